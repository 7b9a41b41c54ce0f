"""What running one command may lead to."""

from __future__ import annotations

import msgspec

Words = tuple[str, ...]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Another command is run."""

    words: Words


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A text is read as a script, by a shell of its own with `parameters` for `$0`, `$1` and so on, or right `here`.

    Where it is not `certain` that it is one, a text that can't be a script is none.
    """

    text: str
    parameters: Words = ()
    here: bool = False
    certain: bool = True


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file is read as a script, or as code in another language."""

    path: str
    parameters: Words = ()
    here: bool = False
    language: str = "sh"


class Foreign(msgspec.Struct, frozen=True, kw_only=True):
    """A text is read as code in another language."""

    text: str
    language: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A text that a rule should see."""

    text: str


Consequence = Run | Code | File | Foreign | Shown

SCRIPT_FROM_INPUT = Shown(text="sh <stdin>")
"""A shell runs what it reads, and nobody here knows what that is."""
