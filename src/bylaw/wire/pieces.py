"""A text in the pieces a stream sends it in."""

from __future__ import annotations

from collections.abc import Iterator


def in_pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
