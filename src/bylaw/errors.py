"""What goes wrong, in words for the person who wrote the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec


class Span(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place in a file: lines and columns count from 1, offsets count characters from 0."""

    file: str = ""
    line: int = 1
    column: int = 1
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span()


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to say about a file: a stable code, one sentence, where, and what to do next."""

    code: str
    message: str
    where: Span
    hint: str = ""
    level: Literal["error", "warning", "note"] = "error"

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: {self.level}[{self.code}]: {self.message}{hint}"


class BylawError(Exception):
    """Anything Bylaw raises on purpose."""


class ConfigError(BylawError):
    """What the user gave can't be used as it is."""


class InvalidFile(ConfigError):
    """A file could not be used; `diagnostics` says everything that is wrong with it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))


class Misuse(ConfigError):
    """The command was called with words that can't mean anything."""
