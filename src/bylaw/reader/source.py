"""A file's text, or a diagnostic that says why there is none."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

import msgspec

from bylaw.errors import Span
from bylaw.reader.nodes import Node
from bylaw.reader.parse import LIMITS, Limits, parse
from bylaw.reader.problems import Problems, near

STDIN = Path("<stdin>")
_STREAMS = (Path("/dev/fd"), Path("/proc/self/fd"))
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read: its text, its root node, and the hash of its bytes."""

    path: Path
    text: str
    root: Node
    sha256: str


def read_bytes(path: Path, *, problems: Problems, limits: Limits = LIMITS) -> bytes | None:
    """The bytes of a file that is there, is a file and is small enough."""
    where = Span(file=str(path))
    try:
        if not _is_stream(path) and not _is_file(path, where, problems):
            return None
        with _open(path) as file:
            raw = file.read(limits.size + 1)
    except FileNotFoundError:
        problems.add("no-such-file", "there is no such file", where, hint=_instead(path))
        return None
    except (OSError, ValueError) as error:
        problems.add("unreadable", f"can't be read: {getattr(error, 'strerror', None) or error}", where)
        return None
    if len(raw) > limits.size:
        problems.add("too-large", f"is larger than {limits.size // 1024} KiB", where, hint="split the file")
        return None
    return raw


def _is_stream(path: Path) -> bool:
    """What the shell opened for us, as `<(command)` does: somebody writes to it, so reading it comes to an end."""
    return path in (STDIN, Path("/dev/stdin")) or path.parent in _STREAMS


def _is_file(path: Path, where: Span, problems: Problems) -> bool:
    """Anything but a file and a directory might keep its reader waiting for ever."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        problems.add("is-directory", "this is a directory, not a file", where)
    for is_kind, name in _KINDS:
        if is_kind(mode):
            hint = f"give it as stdin: `- < {path.name}`" if is_kind is stat.S_ISFIFO else ""
            problems.add("not-a-file", f"this is {name}, not a file", where, hint=hint)
    return stat.S_ISREG(mode)


def _open(path: Path) -> BinaryIO:
    return open(0, "rb", closefd=False) if path == STDIN else path.open("rb")


def decode(raw: bytes, *, file: str, problems: Problems) -> str | None:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        where = Span(file=file, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
        hint = "this looks like a binary file" if b"\0" in raw else "save it as UTF-8"
        problems.add("not-text", "is not UTF-8 text", where, hint=hint)
        return None


def load(path: Path, *, problems: Problems, limits: Limits = LIMITS) -> Source | None:
    raw = read_bytes(path, problems=problems, limits=limits)
    text = None if raw is None else decode(raw, file=str(path), problems=problems)
    if raw is None or text is None:
        return None
    root = parse(text, file=str(path), problems=problems, limits=limits)
    if root is None:
        return None
    return Source(path=path, text=text, root=root, sha256=hashlib.sha256(raw).hexdigest())


def _instead(path: Path) -> str:
    try:
        if path.is_symlink():
            return f"it is a link to `{os.readlink(path)}`, which is not there"  # noqa: PTH115 (as it is written)
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    return near(path.name, names)


def load_text(text: str, *, file: str, problems: Problems, limits: Limits = LIMITS) -> Source | None:
    """A document that came as text; `file` names it in diagnostics."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) > limits.size:
        problems.add("too-large", f"is larger than {limits.size // 1024} KiB", Span(file=file))
        return None
    root = parse(text, file=file, problems=problems, limits=limits)
    if root is None:
        return None
    return Source(path=Path(file), text=text, root=root, sha256=hashlib.sha256(raw).hexdigest())
