"""Reading options the way programs do: what is a flag, what takes a value, where the operands begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Letters and long words of a program. `values` and `long_values` take the next word, where none is attached;
    `attached` take only what is attached."""

    flags: str = ""
    values: str = ""
    attached: str = ""
    long_flags: str = ""
    long_values: str = ""

    def takes_value(self, name: str) -> bool | None:
        """Whether a long option takes a value; None where nothing is known of it. It may be written short."""
        valued, plain = self.long_values.split(), self.long_flags.split()
        if name in valued or name in plain:
            return name in valued
        kinds = {known in valued for known in (*valued, *plain) if known.startswith(name)}
        return None if not kinds else True in kinds


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The options before the first operand, each with its value, and where that operand is.

    `doubt` is another place where it may be: an option that nothing is known of may have taken a word, or not.
    """

    given: tuple[tuple[str, str], ...]
    start: int
    doubt: int | None = None


def leading_options(options: Options, words: Sequence[str], start: int = 1) -> Found:
    """The options that stand before the first operand, from the word at `start` on."""
    given: list[tuple[str, str]] = []
    at = start
    doubt = None
    while at < len(words) and len(words[at]) > 1 and words[at][0] == "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        for name, value in _options_in(options, word):
            known = value is not None
            if value is None and at < len(words):
                value = words[at]
                at += 1
                known = _is_known(options, name)
            if not known and doubt is None:
                doubt = at - 1
            given.append((name, value or ""))
    return Found(given=tuple(given), start=at, doubt=doubt)


def _is_known(options: Options, name: str) -> bool:
    return bool(options.takes_value(name)) if len(name) > 1 else name in options.values


def _options_in(options: Options, word: str) -> Iterator[tuple[str, str | None]]:
    """The options of one word; with None for a value that the next word has."""
    if word.startswith("--"):
        name, given, value = word[2:].partition("=")
        yield name, value if given or options.takes_value(name) is False else None
        return
    for at, letter in enumerate(word[1:], 2):
        if letter in options.flags or letter.isdigit():
            yield letter, ""
        elif letter in options.attached:
            yield letter, word[at:]
            return
        else:
            yield letter, word[at:] or None
            return
