"""A collector of diagnostics, and the guess at what a mistyped word was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

from bylaw.errors import Diagnostic, InvalidFile, Span

# A value of which one of these is said could not be read; what its reader says of it is the same mistake once more.
_UNREAD = frozenset({"ambiguous-scalar", "unknown-alias"})


class Problems:
    """Everything there is to say about a set of files, in the order it was found."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(
        self,
        code: str,
        message: str,
        where: Span,
        *,
        hint: str = "",
        level: Literal["error", "warning", "note"] = "error",
    ) -> None:
        self._found.append(Diagnostic(code=code, message=message, where=where, hint=hint, level=level))

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._found.extend(diagnostics)

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """One diagnostic for each mistake."""
        unread = {found.where for found in self._found if found.code in _UNREAD}
        return tuple(found for found in self._found if found.code in _UNREAD or found.where not in unread)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """With those that follow from another: who reads a value can tell by their number whether it was good."""
        return tuple(found for found in self._found if found.level == "error")

    def raise_errors(self) -> None:
        if errors := [found for found in self.all if found.level == "error"]:
            raise InvalidFile(errors)


def near(word: str, words: Iterable[str]) -> str:
    """`did you mean …?` for a near miss, else the empty string; never the word itself."""
    known = [other for other in words if other != word]
    folded = {w.lower().replace("-", "_"): w for w in known}
    same = folded.get(word.lower().replace("-", "_"))
    close = [same] if same else get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else ""


def listing(words: Iterable[str]) -> str:
    """`a`, `b` or `c`."""
    quoted = [f"`{word}`" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
