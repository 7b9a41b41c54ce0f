"""A file's text, or a diagnostic that says why there is none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from bylaw.errors import Span
from bylaw.reader.nodes import Node
from bylaw.reader.parse import LIMITS, Limits, parse
from bylaw.reader.problems import Problems, near


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
        if path.is_dir():
            problems.add("is-directory", "this is a directory, not a file", where)
            return None
        with path.open("rb") as file:
            raw = file.read(limits.size + 1)
    except FileNotFoundError:
        problems.add("no-such-file", "there is no such file", where, hint=_neighbour(path))
        return None
    except (OSError, ValueError) as error:
        problems.add("unreadable", f"can't be read: {getattr(error, 'strerror', None) or error}", where)
        return None
    if len(raw) > limits.size:
        problems.add("too-large", f"is larger than {limits.size // 1024} KiB", where, hint="split the file")
        return None
    return raw


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


def _neighbour(path: Path) -> str:
    try:
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
