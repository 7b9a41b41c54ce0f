"""What a few programs print, where their words say it all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from bylaw.language.views.shell.decoders import decoded
from bylaw.language.views.shell.environments import sets_up_a_shell
from bylaw.language.views.shell.escapes import unescape
from bylaw.language.views.shell.unknown import OR_NOTHING, is_known
from bylaw.language.views.unreadable import Unreadable

_FLAGS = re.compile(r"-[neE]+")
_DIRECTIVE = re.compile(r"%(?:%|s|b|c|d)")
LONGEST: Final = 65_536


def output(words: Sequence[str], stdin: str | None) -> str | None:
    """What the command writes; nothing where that can't be told."""
    if sets_up_a_shell(words):
        return ""
    printer = _PRINTERS.get(words[0])
    if printer is None:
        return decoded(words, stdin)
    try:
        return printer(words[1:], stdin)
    except Unreadable:
        return None  # what is printed then is not known, and is shown so where it is used


def _echo(words: Sequence[str], _: str | None) -> str | None:
    flags = ""
    while words and _FLAGS.fullmatch(words[0]):
        flags += words[0][1:]
        words = words[1:]
    text = " ".join(words)
    if "e" in flags:
        text = unescape(text, octal_after_0=True)
    elif "\\" in text and "E" not in flags:
        return None  # some shells resolve escapes here, some don't
    return text if "n" in flags else text + "\n"


def _printf(words: Sequence[str], _: str | None) -> str | None:
    if words and words[0] == "--":
        words = words[1:]
    elif words and words[0].startswith("-"):
        return None
    if not words or re.search(r"\\0[0-7]{3}|\\c", words[0]) or not is_known(words[0]):
        return None
    pattern, arguments = words[0], list(words[1:])
    if "%" in _DIRECTIVE.sub("", pattern):
        return None
    per_round = len(_DIRECTIVE.findall(pattern.replace("%%", "")))
    printed = ""
    while len(printed) < LONGEST:
        printed += _round(pattern, arguments)
        if not arguments or not per_round:
            return printed
    return None


def _round(pattern: str, arguments: list[str]) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        argument = arguments.pop(0) if arguments else "0" if found[0] == "%d" else ""
        if found[0] == "%b":
            return unescape(argument, octal_after_0=True)
        return argument[:1] if found[0] == "%c" and is_known(argument) else argument

    return "".join(piece if at % 2 else unescape(piece) for at, piece in enumerate(_pieces(pattern, fill)))


def _pieces(pattern: str, fill: Callable[[re.Match[str]], str]) -> list[str]:
    """Plain text and what was filled in, in turn."""
    pieces: list[str] = []
    end = 0
    for found in _DIRECTIVE.finditer(pattern):
        pieces += [pattern[end : found.start()], fill(found)]
        end = found.end()
    return [*pieces, pattern[end:]]


def _cat(words: Sequence[str], stdin: str | None) -> str | None:
    return stdin if not words or list(words) == ["-"] else None


def _found_program(words: Sequence[str], _: str | None) -> str | None:
    """`which rm` prints the path of `rm`, wherever that is, if there is one."""
    names = [word for word in words if not word.startswith("-")]
    return f"{names[0]}{OR_NOTHING}" if len(names) == 1 else None


def _command(words: Sequence[str], stdin: str | None) -> str | None:
    return _found_program(words[1:], stdin) if words and words[0] in ("-v", "-pv", "-vp") else None


def _type(words: Sequence[str], stdin: str | None) -> str | None:
    return _found_program(words[1:], stdin) if words and words[0] in ("-p", "-P") else None


def _base_name(words: Sequence[str], _: str | None) -> str | None:
    return words[0].rstrip("/").rpartition("/")[2] + "\n" if len(words) == 1 and is_known(words[0]) else None


def _nothing(_: Sequence[str], __: str | None) -> str | None:
    return ""


_PRINTERS: Final[dict[str, Callable[[Sequence[str], str | None], str | None]]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "which": _found_program,
    "command": _command,
    "type": _type,
    "basename": _base_name,
    "true": _nothing,
    "false": _nothing,
    ":": _nothing,
}
