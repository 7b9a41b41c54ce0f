"""A text that a pattern is found in, where one is easily made."""

from __future__ import annotations

import re

from bylaw.language.regex.nodes import (
    Anchor,
    Atomic,
    Capture,
    Char,
    Choice,
    Condition,
    Look,
    Node,
    Reference,
    Repeat,
    Sequence,
)

_TRIED = "aA1 -_./x0zZ" + "".join(map(chr, range(33, 127))) + "\t\n" + "éßж中"
_MOST = 200


def sample(node: Node) -> str:
    """A guess that the caller has to try: look-around and back-references are left out, repeats are kept short."""
    match node:
        case Char(source, flags, ranges, _, negated):
            return _one(source, flags, "" if negated else "".join(chr(low) for low, _ in ranges))
        case Sequence(items):
            return "".join(map(sample, items))
        case Choice(options):
            return sample(options[0]) if options else ""
        case Repeat(body, low, high):
            return sample(body) * min(max(low, 1) if high != 0 else 0, _MOST)
        case Capture(body) | Atomic(body):
            return sample(body)
        case Condition(yes, _):
            return sample(yes)
        case Anchor() | Look() | Reference():
            return ""


def _one(source: str, flags: int, likely: str) -> str:
    fits = re.compile(source, flags).fullmatch
    return next((character for character in likely + _TRIED if fits(character)), "")
