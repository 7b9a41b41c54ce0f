"""Commands of the shell itself that change what variables hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from bylaw.language.views.shell.assignments import DECLARING
from bylaw.language.views.shell.outputs import output
from bylaw.language.views.shell.unknown import ANYTHING, is_known, variable
from bylaw.language.views.shell.variables import Variables

_ASSIGNS = re.compile(r"([A-Za-z_]\w*)(?:\[[^]]*\])?(\+?)=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_RECKONED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\[[^]]*\]\s*)?(?:[-+*/%&|^]=|<<=|>>=|\+\+|--|=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_CHANGING: Final = frozenset("lucin")
"""Options of `declare` after which a variable holds something else than what is assigned."""


def change(variables: Variables, words: Sequence[str], stdin: str | None) -> None:
    """What the command leaves in the variables of the shell that runs it."""
    name = words[0]
    if name in DECLARING:
        _declare(variables, words)
    elif name in _CHANGES:
        _CHANGES[name](variables, words[1:], stdin)


def reckoned(variables: Variables, text: str) -> None:
    """What arithmetic assigns is a number nobody here knows."""
    for found in _RECKONED.finditer(text):
        name = found[1] or found[2]
        variables.assign(name, [(variable(name),)])


def _declare(variables: Variables, words: Sequence[str]) -> None:
    options = "".join(word[1:] for word in words[1:] if word[:1] in ("-", "+"))
    for word in words[1:]:
        if word[:1] in ("-", "+"):
            continue
        found = _ASSIGNS.fullmatch(word)
        name = found[1] if found else word
        if not is_known(name):
            variables.doubt()
            continue
        if found:
            variables.assign(name, [(ANYTHING if found[2] else found[3],)])
        if _CHANGING & set(options):
            variables.loosen(name)
            if "n" in options:
                variables.doubt()
        if words[0] == "readonly" or "r" in options:
            variables.fix(name)


def _set(variables: Variables, words: Sequence[str], _: str | None) -> None:
    at = 0
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("-", "--"):
        at += 2 if words[at][1:] == "o" else 1
    if at < len(words):
        variables.assign("@", [tuple(words[at + (words[at] in ("-", "--")) :])])


def _shift(variables: Variables, words: Sequence[str], _: str | None) -> None:
    count = int(words[0]) if words and re.fullmatch(r"\d{1,4}", words[0]) else 1
    variables.assign("@", [value[count:] for value in variables.values("@")])


def _unset(variables: Variables, words: Sequence[str], _: str | None) -> None:
    for word in words:
        variables.forget(word)


def _read(variables: Variables, words: Sequence[str], stdin: str | None) -> None:
    """One line of the input, and which one depends on what was read before."""
    options = {letter for word in words if word.startswith("-") for letter in word[1:]}
    names = [word for word in words if _NAME.fullmatch(word)]
    if stdin is not None and len(names) == 1 and options <= {"r"}:
        variables.assign(names[0], [(line.strip(),) for line in stdin.splitlines() or [""]])
    else:
        _fill(variables, words, stdin)


def _fill(variables: Variables, words: Sequence[str], _: str | None) -> None:
    for word in words:
        if _NAME.fullmatch(word):
            variables.assign(word, [(variable(word),)])


def _printf(variables: Variables, words: Sequence[str], stdin: str | None) -> None:
    if len(words) > 1 and words[0] == "-v":
        printed = output(["printf", *words[2:]], stdin)
        variables.assign(words[1], [(ANYTHING if printed is None else printed,)])


def _let(variables: Variables, words: Sequence[str], _: str | None) -> None:
    for word in words:
        reckoned(variables, word)


def _source(variables: Variables, _: Sequence[str], __: str | None) -> None:
    variables.doubt()


_CHANGES: Final[dict[str, Callable[[Variables, Sequence[str], str | None], None]]] = {
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "read": _read,
    "mapfile": _fill,
    "readarray": _fill,
    "getopts": _fill,
    "printf": _printf,
    "let": _let,
    "source": _source,
}
