"""Variables and settings of git whose value is run by some program, sooner or later."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.shell.consequences import SCRIPT_FROM_INPUT, Code, Consequence, File, Run
from bylaw.language.views.shell.unknown import PIPE

_SCRIPT = re.compile(
    r"GIT_(?:SEQUENCE_)?EDITOR|GIT_PAGER|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND"
    r"|GIT_CONFIG_VALUE_\d+|(?:GIT|SSH|SUDO)_ASKPASS|[A-Z_]*PAGER|EDITOR|VISUAL|FCEDIT|SUDO_EDITOR|BROWSER"
    r"|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|[A-Z]+_RSH|SHELL"
)
_FILES: Final = frozenset(("BASH_ENV", "ENV"))
_OPTIONS: Final = {
    "TAR_OPTIONS": "tar",
    "MAKEFLAGS": "make",
    "GNUMAKEFLAGS": "make",
    "PERL5OPT": "perl",
    "RUBYOPT": "ruby",
    "NODE_OPTIONS": "node",
    "ZIPOPT": "zip",
}
"""Variables with further options of a program."""

_GIT_SCRIPT = re.compile(
    r"core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|pager\.\S+|sequence\.editor|interactive\.difffilter"
    r"|diff\.external|gpg\.(?:\S+\.)?program|\S+\.(?:helper|textconv|command|cmd|driver|clean|smudge|process)"
    r"|uploadpack\.packobjectshook",
    re.IGNORECASE,
)
_ALIAS = re.compile(r"alias\.\S+", re.IGNORECASE)
_ASSIGNS = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def assigned(word: str) -> Iterator[Consequence]:
    """What follows from `NAME=value` where programs are given it."""
    found = _ASSIGNS.fullmatch(word)
    if found is None:
        return
    name, value = found[1], found[2]
    if name in _FILES:
        yield SCRIPT_FROM_INPUT if value == PIPE else File(path=value)
    elif name in _OPTIONS:
        yield from _run(_OPTIONS[name], value)
    elif _SCRIPT.fullmatch(name):
        yield _script(value)


def git_setting(name: str, value: str) -> Iterator[Consequence]:
    """What follows from a setting: a script, or for most aliases another command of git."""
    if _GIT_SCRIPT.fullmatch(name) or (_ALIAS.fullmatch(name) and value.startswith("!")):
        yield _script(value)
    elif _ALIAS.fullmatch(name):
        yield from _run("git", value)


def _script(value: str) -> Code:
    return Code(text=value.lstrip("!|-"), certain=False)


def _run(program: str, value: str) -> Iterator[Run]:
    try:
        words = shlex.split(value)
    except ValueError:
        return  # then the program can't read it either
    if words:
        yield Run(words=(program, *words))
