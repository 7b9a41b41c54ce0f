"""Brace expansion: `{rm,-rf,/x}` is three words, `{1..3}` three numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from bylaw.language.views.shell.tree import Literal, Part, Word
from bylaw.language.views.unreadable import Unreadable

MOST: Final = 1024
"""The most words that one word may become."""

LONGEST: Final = 65_536
"""The most atoms that all of them may have."""

LONGEST_RANGE: Final = 40
DEEPEST: Final = 16
PAIRS: Final = 64
ENUMERATED: Final = 64
"""A longer range of numbers stays as it was written: it has nothing but numbers in it."""

_RANGE = re.compile(r"(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?")

Atoms = Sequence[str | Part]


def expand_braces(word: Word) -> tuple[Word, ...]:
    """The words that a word stands for; mostly itself."""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in word):
        return (word,)
    atoms: list[str | Part] = []
    for part in word:
        if isinstance(part, Literal) and not part.quoted:
            atoms += part.text
        else:
            atoms.append(part)
    if atoms.count("{") > PAIRS:
        raise Unreadable(f"a word has more than {PAIRS} braces")
    expanded = _expand(atoms, 0)
    if expanded == [atoms]:
        return (word,)
    return tuple(filter(None, map(_word, expanded)))


def _word(atoms: Atoms) -> Word:
    parts: list[Part] = []
    text = ""
    for atom in atoms:
        if isinstance(atom, str):
            text += atom
            continue
        if text:
            parts.append(Literal(text=text))
            text = ""
        parts.append(atom)
    if text:
        parts.append(Literal(text=text))
    return tuple(parts)


def _expand(atoms: Atoms, depth: int) -> list[list[str | Part]]:
    if depth > DEEPEST:
        raise Unreadable(f"braces are nested more than {DEEPEST} deep")
    factors: list[list[list[str | Part]]] = []
    plain: list[str | Part] = []
    at = 0
    pairs = _pairs(atoms)
    while at < len(atoms):
        end = pairs.get(at)
        options = None if end is None else _options(atoms[at + 1 : end], depth)
        if end is None or options is None:
            plain.append(atoms[at])
            at += 1
            continue
        factors += [[plain], options]
        plain = []
        at = end + 1
    factors.append([plain])
    return _product(factors)


def _pairs(atoms: Atoms) -> dict[int, int]:
    """Where each brace that opens is closed."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    divided: set[int] = set()
    alone = False
    for at, atom in enumerate(atoms):
        if atom == "," and opened:
            divided.add(opened[-1])
        elif atom == "," and alone:
            raise Unreadable("braces that shells expand in different ways")
        elif atom == "{":
            opened.append(at)
        elif atom == "}" and opened:
            start = opened.pop()
            pairs[start] = at
            alone = alone or (start not in divided and at > start + 1 and not _is_range(atoms[start + 1 : at]))
    return pairs


def _is_range(inner: Atoms) -> bool:
    return (
        len(inner) < 40
        and all(isinstance(atom, str) for atom in inner)
        and bool(_RANGE.fullmatch("".join(map(str, inner))))
    )


def _options(inner: Atoms, depth: int) -> list[list[str | Part]] | None:
    """What the braces offer; nothing if they are no more than braces."""
    if _is_range(inner):
        return _range("".join(map(str, inner)))
    options: list[list[str | Part]] = [[]]
    nested = 0
    for atom in inner:
        nested += 1 if atom == "{" else -1 if atom == "}" else 0
        if atom == "," and nested == 0:
            options.append([])
        else:
            options[-1].append(atom)
    if len(options) == 1:
        return None
    return [expanded for option in options for expanded in _expand(option, depth + 1)]


def _range(text: str) -> list[list[str | Part]] | None:
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    low, high, first, last, step = found.groups()
    start, stop = (int(low), int(high)) if low is not None else (ord(first), ord(last))
    stride = abs(int(step or 1)) or 1
    if low is not None and abs(stop - start) // stride >= ENUMERATED:
        return [["{", text, "}"]]
    width = max(len(low), len(high)) if low is not None and re.search(r"(?:^|\.|-)0\d", text) else 0
    numbers = range(start, stop + 1, stride) if start <= stop else range(start, stop - 1, -stride)
    return [[f"{number:0{width}d}" if low is not None else chr(number)] for number in numbers]


def _product(factors: list[list[list[str | Part]]]) -> list[list[str | Part]]:
    count, size = 1, 0
    for factor in factors:
        count *= len(factor)
        size += max(map(len, factor), default=0)
    if count > MOST or count * size > LONGEST:
        raise Unreadable(f"braces stand for more than {MOST} words")
    return [[atom for chosen in choice for atom in chosen] for choice in product(*factors)]
