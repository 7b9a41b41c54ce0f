"""Reading options the way programs do: what is a flag, what takes a value, where the operands begin."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


def names(text: str) -> frozenset[str]:
    """The names in a text that blanks divide: long tables stay readable so."""
    return frozenset(text.split())


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Letters and long words of a program. Those in `values` take the next word unless one is attached; those in
    `attached` take only what is attached."""

    flags: str = ""
    values: str = ""
    attached: str = ""
    long_flags: tuple[str, ...] = ()
    long_values: tuple[str, ...] = ()

    def takes_value(self, name: str) -> bool | None:
        """Whether a long option, maybe cut short, takes a value; None where nothing is known of it."""
        if name in self.long_flags or name in self.long_values:
            return name in self.long_values
        kinds = {
            known in self.long_values for known in (*self.long_values, *self.long_flags) if known.startswith(name)
        }
        return None if not kinds else True in kinds


class Leading(msgspec.Struct, frozen=True, kw_only=True):
    """The options before the first operand, each with its value, and where that operand is.

    There are several places where it may be if nothing is known of some option: it may have taken a word or not.
    """

    given: tuple[tuple[str, str], ...]
    starts: tuple[int, ...]


def leading_options(options: Options, words: Sequence[str], start: int = 1) -> Leading:
    """The options that stand before the first operand, from the word at `start` on."""
    given: list[tuple[str, str]] = []
    doubts: list[int] = []
    at = start
    while at < len(words) and len(words[at]) > 1 and words[at][0] == "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        name, value, known = _last_option(options, word, given)
        if value is None:
            value = words[at] if at < len(words) else ""
            if not known:
                doubts.append(at)
            at += 1
        elif not known:
            doubts.append(at + 1)
        given.append((name, value))
    return Leading(given=tuple(given), starts=(min(at, len(words)), *doubts))


def _last_option(options: Options, word: str, given: list[tuple[str, str]]) -> tuple[str, str | None, bool]:
    """The last option of a word: its name, its value or None if the next word is that, and whether it is known."""
    if word.startswith("--"):
        name, attached, value = word[2:].partition("=")
        takes = options.takes_value(name)
        return name, value if attached or takes is False else None, bool(attached) or takes is not None
    for at, letter in enumerate(word[1:], 2):
        if letter not in options.flags and not letter.isdigit():
            known = letter in options.values or letter in options.attached
            rest = word[at:]
            return letter, rest if rest or letter in options.attached else None, known
        given.append((letter, ""))
    name, value = given.pop()
    return name, value, True
