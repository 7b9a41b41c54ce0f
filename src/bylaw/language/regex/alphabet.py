"""Says a text in few enough characters that each is one byte, without the pattern noticing.

Two characters that every set of the pattern treats alike are the same to it. So a character beyond ASCII is replaced
by an ASCII one that is treated alike, or by a byte set aside for its like.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

import msgspec

from bylaw.language.regex.charset import kind, matched
from bylaw.language.regex.nodes import ASCII as ASCII_FLAG
from bylaw.language.regex.nodes import Anchor, Char, Node, every

ASCII: Final = (1 << 128) - 1
NEWLINE: Final = 1 << 10
HIDDEN_NEWLINE: Final = 0x80
"""Stands for a newline that is not at the end of the text, where the pattern has a plain `$`."""

WORD_BYTES: Final = tuple(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
SPARE_BYTES: Final = tuple(range(0x81, 0x100))


Extra = tuple[tuple[int, int], ...]
"""Bytes for characters that are like no ASCII character, each with the sets (as bits) that they are members of."""


class Spelling(msgspec.Struct, frozen=True):
    """A text as bytes, and what those bytes stand for that are not themselves."""

    text: bytes
    extra: Extra = ()


class Alphabet:
    """The characters that one pattern can tell apart."""

    def __init__(self, tree: Node, *, flags: int) -> None:
        """`flags` are those of the pattern as a whole."""
        own = flags & ASCII_FLAG
        nodes = list(every(tree))
        anchors = [node for node in nodes if isinstance(node, Anchor)]
        places = {anchor.place for anchor in anchors}
        sets = dict.fromkeys(node for node in nodes if isinstance(node, Char))
        word = Char(r"[\w]", own, categories=("w",))
        has_words = bool(places & {"boundary", "inside"})
        if has_words:
            sets[word] = None
        if places & {"final", "line_start", "line_end"}:
            sets[Char(r"\n", own, ranges=((10, 10),))] = None
        self._sets = tuple(sets)
        self._word_set = self._sets.index(word) if has_words else None
        self._hides_newlines = "final" in places
        self._has_inside = "inside" in places
        # `re` itself mixes them up: it never finds `(?a:\W)` in a text of `²` alone
        self._mixed = {bool(own)} != {part.ascii for part in nodes if isinstance(part, Char | Anchor)} | {bool(own)}

    def members(self, char: Char, extra: Extra = ()) -> int:
        """The bytes that stand for the members of a set."""
        found = matched(char) & ASCII
        if self._hides_newlines and found & NEWLINE:
            found |= 1 << HIDDEN_NEWLINE
        bit = self._sets.index(char) if extra else 0
        for byte, sets in extra:
            found = found | 1 << byte if sets >> bit & 1 else found & ~(1 << byte)
        return found

    def spell(self, text: str) -> Spelling | None:
        """The text in bytes, or None if there are not enough of them, or RE2 sees something else in it."""
        if not text and self._has_inside:
            return None  # Python finds no `\B` in the empty text, RE2 does
        if text.isascii():
            return Spelling(self._hide_newlines(text.encode("ascii")))
        if self._mixed:
            return None
        table: dict[int, int] = {}
        strange: dict[int, list[int]] = {}
        for group in self._groups(text):
            like = self._like(chr(group[0]))
            if like in self._ascii:
                table.update(dict.fromkeys(group, self._ascii[like]))
            else:
                strange.setdefault(like, []).extend(group)
        extra = self._bytes_for(sorted(strange))
        if extra is None:
            return None
        for byte, like in extra:
            if byte < 128:
                table[byte] = self._ascii[self._ascii_like(byte)]
            table.update(dict.fromkeys(strange[like], byte))
        return Spelling(self._hide_newlines(text.translate(table).encode("latin-1")), extra)

    def _groups(self, text: str) -> Iterable[list[int]]:
        """The characters of the text beyond ASCII, together where the pattern can't tell them apart."""
        edges, folds = self._edges, self._folds
        groups: defaultdict[object, list[int]] = defaultdict(list)
        for character in set(text):
            code = ord(character)
            if code < 128:
                continue
            if folds and (character.lower() != character or character.upper() != character):
                groups[character].append(code)
            elif edges:
                groups[bisect_right(edges, code), kind(character)].append(code)
            else:
                groups[kind(character)].append(code)
        return groups.values()

    def _hide_newlines(self, text: bytes) -> bytes:
        if not self._hides_newlines or b"\n" not in text:
            return text
        return text[:-1].replace(b"\n", bytes([HIDDEN_NEWLINE])) + text[-1:]

    def _bytes_for(self, likes: list[int]) -> Extra | None:
        """A byte for each kind of character, a word character's being one that RE2 takes for a word character."""
        words, others = iter(self._free_words), iter(SPARE_BYTES)
        pairs = []
        for like in likes:
            is_word = self._word_set is not None and like >> self._word_set & 1
            byte = next(words if is_word else others, None)
            if byte is None:
                return None
            pairs.append((byte, like))
        return tuple(pairs)

    @cached_property
    def _ascii(self) -> dict[int, int]:
        """For each kind of ASCII character, the first of it."""
        first: dict[int, int] = {}
        for code in range(128):
            first.setdefault(self._ascii_like(code), code)
        return first

    @cached_property
    def _free_words(self) -> tuple[int, ...]:
        """Word characters that another one can stand for."""
        return tuple(byte for byte in WORD_BYTES if byte not in self._ascii.values())

    def _ascii_like(self, code: int) -> int:
        """The sets (as bits) that an ASCII character is a member of."""
        return sum((matched(char) >> code & 1) << bit for bit, char in enumerate(self._sets))

    def _like(self, character: str) -> int:
        """The same for any character."""
        return sum(bool(pattern.match(character)) << bit for bit, pattern in enumerate(self._patterns))

    @cached_property
    def _folds(self) -> bool:
        return any(char.folds for char in self._sets)

    @cached_property
    def _edges(self) -> list[int]:
        """Where, beyond ASCII, a range that the pattern names begins or has just ended."""
        pairs = [pair for char in self._sets for pair in char.ranges]
        return sorted({edge for low, high in pairs for edge in (low, high + 1) if edge > 128})

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(char.source, char.flags) for char in self._sets]
