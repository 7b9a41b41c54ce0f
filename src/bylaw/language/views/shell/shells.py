"""Programs that read a script: from a word, from a file, or from what they are given to read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bylaw.language.views.shell.consequences import SCRIPT_FROM_INPUT, Code, Consequence, File, Words
from bylaw.language.views.shell.foreign import INPUTS
from bylaw.language.views.shell.unknown import PIPE

_SHELL = re.compile(r"(?:ba|da|z|k|mk|pdk|lk|ya|rba|rz|a|po|fi|c|tc|xon|elvi|o|y)?sh[\d.]*(?:-static)?")


def is_shell(name: str) -> bool:
    return _SHELL.fullmatch(name) is not None


def shell(words: Words, stdin: str | None) -> Iterator[Consequence]:
    at = 1
    code = from_input = False
    while at < len(words) and len(words[at]) > 1 and words[at][0] in "-+":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word in ("--version", "--help"):
            return
        if word.startswith("--"):
            if word in ("--rcfile", "--init-file"):
                yield from (File(path=path) for path in words[at : at + 1])
                at += 1
            continue
        code = code or (word[0] == "-" and "c" in word)
        from_input = from_input or (word[0] == "-" and "s" in word)
        at += word.count("o") + word.count("O")
    rest = words[at:]
    if code:
        rest = rest[1:] if rest[:1] == ("-",) else rest
        yield from (Code(text=text, parameters=rest[1:]) for text in rest[:1])
    elif from_input or not rest or rest[0] in INPUTS:
        yield _read(stdin, parameters=(words[0], *(rest if from_input else rest[1:])))
    else:
        yield File(path=rest[0], parameters=rest)


def _read(stdin: str | None, *, parameters: Words = (), here: bool = False) -> Consequence:
    return SCRIPT_FROM_INPUT if stdin is None else Code(text=stdin, parameters=parameters, here=here)


def source(words: Words, stdin: str | None) -> Iterator[Consequence]:
    for path in words[1:2]:
        if path == PIPE:
            yield SCRIPT_FROM_INPUT
        else:
            yield _read(stdin, here=True) if path in INPUTS else File(path=path, here=True)


def at_a_time(_: Words, stdin: str | None) -> Iterator[Consequence]:
    yield _read(stdin)


def evaluate(words: Words, _: str | None) -> Iterator[Consequence]:
    yield Code(text=" ".join(words[2:] if words[1:2] == ("--",) else words[1:]), here=True)


def trap(words: Words, _: str | None) -> Iterator[Consequence]:
    rest = words[2:] if words[1:2] == ("--",) else words[1:]
    if len(rest) > 1 and not rest[0].startswith("-"):
        yield Code(text=rest[0], here=True)


def alias(words: Words, _: str | None) -> Iterator[Consequence]:
    for word in words[1:]:
        _, given, value = word.partition("=")
        if given:
            yield Code(text=value, here=True)


def after_c(words: Words, _: str | None) -> Iterator[Consequence]:
    """A script with `-c`, wherever it stands."""
    for at, word in enumerate(words[1:], 1):
        if word.startswith("--command="):
            yield Code(text=word.partition("=")[2])
        elif word == "--command" or re.fullmatch(r"-[A-Za-z]*c", word):
            yield from (Code(text=text) for text in words[at + 1 : at + 2])
