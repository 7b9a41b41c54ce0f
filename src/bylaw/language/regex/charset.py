"""Sets of characters, small enough to compare: which of them two parts of a pattern could both match.

A set is an integer: a bit for each Latin-1 character, one for each kind of character beyond Latin-1, and one for
the end of the text. Beyond Latin-1 a set may claim more than the pattern matches, never less.
"""

import re
from functools import lru_cache
from typing import Final

from bylaw.language.regex.nodes import Category, Char, Place

LATIN1: Final = "".join(map(chr, range(256)))
NOTHING: Final = 0
DIGIT, LETTER, SPACE, OTHER = (1 << bit for bit in range(256, 260))
BEYOND: Final = DIGIT | LETTER | SPACE | OTHER
END: Final = 1 << 260
EVERYTHING: Final = END | END - 1

KINDS: Final[dict[Category, int]] = {
    "d": DIGIT,
    "D": BEYOND & ~DIGIT,
    "s": SPACE,
    "S": BEYOND & ~SPACE,
    "w": DIGIT | LETTER,
    "W": SPACE | OTHER,
}
NEXT: Final[dict[Place, int]] = {"end": END, "final": END | 1 << 10, "line_end": END | 1 << 10}
"""Which character can stand after an anchor, where that says something."""


@lru_cache(maxsize=2048)
def matched(char: Char) -> int:
    """The characters that a one-character pattern matches."""
    found = beyond(char)
    for hit in re.compile(char.source, char.flags).finditer(LATIN1):
        found |= 1 << hit.start()
    return found


def beyond(char: Char) -> int:
    kinds = 0
    for category in char.categories:
        kinds |= _kinds(category, char)
    if char.negated:
        return BEYOND & ~kinds
    for low, high in char.ranges:
        if low == high and low > 255:
            kinds |= kind(chr(low))
        elif high > 255:
            kinds = BEYOND
    if char.folds and char.ranges:
        kinds |= LETTER if max(char.ranges, key=lambda pair: pair[1])[1] < 256 else BEYOND
    return kinds


def kind(character: str) -> int:
    """What a character beyond Latin-1 counts as."""
    if character.isalnum():
        return DIGIT if character.isdecimal() else LETTER
    return SPACE if character.isspace() else OTHER


def _kinds(category: Category, char: Char) -> int:
    if char.ascii:
        return BEYOND if category.isupper() else NOTHING
    return KINDS[category]
