"""What of a stream is shown: bytes of any length into text of a bounded one."""

from __future__ import annotations


def excerpt(data: bytes, *, dropped: int = 0, keep: int) -> str:
    """The text, or its beginning and end with a note of what is missing between them.

    `dropped` counts bytes that are missing from the middle of `data` already.
    """
    if len(data) <= keep and not dropped:
        return data.decode(errors="replace")
    half = min(keep, len(data)) // 2
    left_out = dropped + len(data) - 2 * half
    head, end = data[:half], data[len(data) - half :]
    return f"{head.decode(errors='replace')}\n[… {left_out} bytes left out …]\n{end.decode(errors='replace')}"


def tail(data: bytes, *, keep: int = 2000) -> str:
    """The last lines, for a message; a program says last what went wrong."""
    text = data[-keep:].decode(errors="replace").strip()
    return f"…{text}" if len(data) > keep else text
