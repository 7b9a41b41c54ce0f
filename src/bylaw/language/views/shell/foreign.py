"""Code in other languages: how programs get it, and the commands that it runs as far as they are written out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.shell.consequences import Code, Consequence, File, Foreign, Run, Shown, Words
from bylaw.language.views.shell.unknown import ANYTHING, PIPE

INPUTS: Final = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", PIPE))
"""Names of what a program reads anyway."""

_INTERPRETER = re.compile(
    r"(python|pypy|perl|ruby|nodejs|node|bun|php|luajit|lua|Rscript|julia|osascript|tclsh|expect|groovy)[\d.]*w?"
)
_LETTERS: Final = {
    "python": "c",
    "pypy": "c",
    "perl": "eE",
    "php": "rBRE",
    "node": "ep",
    "nodejs": "ep",
    "expect": "c",
}
_LONG: Final = ("--eval", "--print", "--run", "--execute")

_TEXT: Final = r"""(?:[frbuFRBU]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`))"""
_ARGUMENTS: Final = rf"\s*\[?\s*(?P<first>{_TEXT})?(?P<more>(?:\s*,\s*\[?\s*{_TEXT})*)"
_SURELY = re.compile(
    r"\b(?:os\s*\.\s*(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|execute)|subprocess\s*\.\s*\w+|Popen|getoutput"
    r"|getstatusoutput|check_output|check_call|execSync|execFile(?:Sync)?|spawnSync|shell_exec|passthru|proc_open)\s*\("
    + _ARGUMENTS,
    re.DOTALL,
)
_MAYBE = re.compile(r"\b(?:system|exec|popen|spawn|run|call)\b\s*\(?" + _ARGUMENTS, re.DOTALL)
_TICKS = re.compile(r"`((?:[^`\\]|\\.)*)`|\b(?:qx|%x)\s*[{(/]([^})/]*)[})/]", re.DOTALL)
_AWK_PIPE = re.compile(
    r"\|\s*(?:getline\b\s*)?\"((?:[^\"\\]|\\.)*)\"|\"((?:[^\"\\]|\\.)*)\"\s*\|\s*getline", re.DOTALL
)
_LITERAL = re.compile(_TEXT, re.DOTALL)
_TICKING: Final = frozenset(("perl", "ruby", "php"))
_SED = re.compile(r"\s*(?:\d+|\$|/[^/]*/)?(?:,(?:\d+|\$|/[^/]*/))?\s*e\s+(\S.*)", re.DOTALL)


def interpreter(name: str) -> str:
    """The language that the program of that name reads, if it is such a one."""
    found = _INTERPRETER.fullmatch(name)
    return found[1] if found else ""


def interpreted(language: str, words: Words, stdin: str | None) -> Iterator[Consequence]:
    """Where the code comes from: an option, a file, what is read."""
    coded = re.compile(rf"-[A-Za-z0-9]*?[{_LETTERS.get(language, 'e')}](.*)", re.DOTALL)
    at = 1
    given_as_option = False
    while at < len(words) and words[at].startswith("-") and words[at] not in INPUTS:
        option, given, value = words[at].partition("=")
        found = None if option.startswith("--") else coded.fullmatch(words[at])
        at += 1
        if found or option in _LONG:
            code = found[1] if found else value
            if not code and not given and at < len(words):
                code = words[at]
                at += 1
            given_as_option = True
            yield Foreign(text=code, language=language)
    if len(words) == 1 or words[1] in INPUTS:
        yield Shown(text=f"{language} <stdin>") if stdin is None else Foreign(text=stdin, language=language)
    elif at < len(words) and not given_as_option:
        yield File(path=words[at], language=language)


def awk(words: Words, _: str | None) -> Iterator[Consequence]:
    """One of the operands is the program."""
    for word in words[1:]:
        yield from commands_in(word, "awk")


def sed(words: Words, _: str | None) -> Iterator[Consequence]:
    """The command `e` runs what follows it."""
    for word in words[1:]:
        for line in re.split(r"[;\n]", word):
            if found := _SED.fullmatch(line):
                yield Code(text=found[1])


def commands_in(code: str, language: str) -> Iterator[Run | Code]:
    """The commands that the code hands to a shell, or to the system as a list of words.

    A call that can only mean this, with something else than a text in it, runs something unknown.
    """
    for found in _SURELY.finditer(code):
        yield from _handed_over(found) or [Run(words=(ANYTHING,))]
    for found in _MAYBE.finditer(code):
        yield from _handed_over(found)
    patterns = [_TICKS] if language in _TICKING else [_AWK_PIPE] if language == "awk" else []
    for pattern in patterns:
        for found in pattern.finditer(code):
            yield Code(text=_unescaped(found[1] or found[2] or ""), certain=False)


def _handed_over(found: re.Match[str]) -> list[Run | Code]:
    if not found["first"]:
        return []
    words = [_unescaped(text.lstrip("frbuFRBU")[1:-1]) for text in _LITERAL.findall(found["first"] + found["more"])]
    if len(words) == 1 or " " in words[0].strip():
        return [Code(text=words[0], certain=False)]
    return [Run(words=tuple(words))] if words[0] else []


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text, flags=re.DOTALL)
