"""Words that assign: `name=value`, `name+=value`, `name[index]=value`."""

from __future__ import annotations

import re
from typing import Final

from bylaw.language.views.shell.tree import Assignment, Literal, Part, Word

DECLARING: Final = frozenset(("declare", "typeset", "local", "export", "readonly"))
"""Programs whose operands assign, too."""

_PLAIN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_INDEXED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\[")
_INDEX_ENDS = re.compile(r"\](\+?)=")
_ELEMENT = re.compile(r"\[[^]]*\]\+?=")


def assignment(word: Word) -> Assignment | None:
    """What the word assigns, if it is one that does."""
    first = word[0] if word else None
    if not isinstance(first, Literal) or first.quoted:
        return None
    if plain := _PLAIN.match(first.text):
        value = _rest(first, plain.end(), word[1:])
        return Assignment(name=plain[1], append=bool(plain[2]), values=(value,))
    indexed = _INDEXED.match(first.text)
    return _with_index(indexed[1], _rest(first, indexed.end(), word[1:])) if indexed else None


def _with_index(name: str, rest: Word) -> Assignment | None:
    for at, part in enumerate(rest):
        if isinstance(part, Literal) and not part.quoted and (end := _INDEX_ENDS.search(part.text)):
            index = (*rest[:at], Literal(text=part.text[: end.start()]))
            return Assignment(
                name=name, index=index, append=bool(end[1]), values=(_rest(part, end.end(), rest[at + 1 :]),)
            )
    return None


def _rest(part: Literal, start: int, following: tuple[Part, ...]) -> Word:
    text = part.text[start:]
    return (Literal(text=text), *following) if text else following


def element(word: Word) -> Word:
    """The value of an element of `(…)`, which may say its index first."""
    first = word[0]
    found = _ELEMENT.match(first.text) if isinstance(first, Literal) and not first.quoted else None
    return _rest(first, found.end(), word[1:]) if found and isinstance(first, Literal) else word
