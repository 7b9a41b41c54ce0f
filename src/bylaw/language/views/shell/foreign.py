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
    r"(python|pypy|perl|raku|ruby|nodejs|node|deno|bun|php|luajit|lua|Rscript|julia|osascript|tclsh|expect|groovy"
    r"|elixir|erl|guile|pwsh|powershell)[\d.]*w?"
)
_LETTERS: Final = {
    "python": "c",
    "pypy": "c",
    "perl": "eE",
    "php": "rBRE",
    "node": "ep",
    "nodejs": "ep",
    "expect": "c",
    "guile": "c",
    "pwsh": "cC",
    "powershell": "cC",
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
_SED_ADDRESS: Final = r"(?:^|[;{\n])[ \t]*+(?:\d++|\$|/[^/\n]{0,200}/)?(?:,(?:\d++|\$|/[^/\n]{0,200}/))?[ \t]*+"
_SED_RUNS: Final = rf"{_SED_ADDRESS}e[ \t]++([^;\n]+)|{_SED_ADDRESS}e(?:$|[;}}\n])"
_SED_REPLACES: Final = r"s([!-/:-@\[\]^`{-~])(?:\\.|(?!\2).)*+\2((?:\\.|(?!\2).)*+)\2[gpiIm\d]*e"
_MAKE: Final = r"^\t[@+-]*(.+)$|^[^\t#\n:=]*:[^=\n;]*;[@+ -]*(.+)$|\$\(shell\s([^)]{1,1000})\)|!=[ \t]*+(.+)$"
_EDITOR: Final = (
    r"^[ \t:]*+(?:sil\w*+!?[ \t]++)?[\d,.$%]*+[ \t]*+(?:read|write|r|w|e)?[ \t]*+!(.+)$"
    r"|\bexe\w*\s+[\"']!(.+?)[\"']"
)
_DATABASE: Final = r"^[ \t]*+\.(?:shell|system)[ \t]+(.+)$|(?:\\!|^[ \t]*+system\b)(.+)$|\bPROGRAM\s+'([^']*)'"
_SPAWN: Final = re.compile(r"\b(?:exec|spawn)\s+([^\]\n;]+)")
_WRITTEN_OUT: Final[dict[str, re.Pattern[str]]] = {
    "perl": _TICKS,
    "ruby": _TICKS,
    "php": _TICKS,
    "awk": _AWK_PIPE,
    "sed": re.compile(f"{_SED_RUNS}|{_SED_REPLACES}", re.DOTALL),
    "make": re.compile(_MAKE, re.MULTILINE),
    "cron": re.compile(r"^[ \t]*+(?:@\w+|(?:[\w*,/-]+[ \t]+){4}[\w*,/-]+)[ \t]+(.+)$", re.MULTILINE),
    "ed": re.compile(_EDITOR, re.MULTILINE),
    "gdb": re.compile(r"^[ \t]*+(?:(?:platform[ \t]+)?shell\b|!)(.+)$", re.MULTILINE),
    "sql": re.compile(_DATABASE, re.MULTILINE | re.IGNORECASE),
    "m4": re.compile(r"syscmd\(`?([^)]{1,1000}?)'?\)"),
    "emacs": re.compile(r"\((?:async-)?(?:call-process-)?shell-command(?:-to-string)?\s+\"([^\"]*)\""),
    "socat": re.compile(r"^(?:exec|system|shell):(.+)$", re.IGNORECASE),
    "bind": re.compile(r":\s*(.+)$"),
    "tclsh": _SPAWN,
    "expect": _SPAWN,
    "osascript": re.compile(r"\bshell\s+script\s+\"([^\"]*)\""),
}
"""Commands that stand in the code as they are: the last group that is there, or whatever the program works on."""


def interpreter(name: str) -> str:
    """The language that the program of that name reads, if it is such a one."""
    found = _INTERPRETER.fullmatch(name)
    return found[1] if found else ""


def interpreted(language: str, words: Words, stdin: str | None) -> Iterator[Consequence]:
    """Where the code comes from: an option, a file, what is read."""
    coded = re.compile(rf"-[A-Za-z0-9]*?[{_LETTERS.get(language, 'e')}](.*)", re.DOTALL)
    if language == "deno" and words[1:2] == ("eval",):
        words = (words[0], "--eval", *words[2:])
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


def commands_in(code: str, language: str) -> Iterator[Run | Code]:
    """The commands that the code hands to a shell, or to the system as a list of words.

    A call that can only mean this, with something else than a text in it, runs something unknown.
    """
    for found in _SURELY.finditer(code):
        yield from _handed_over(found) or [Run(words=(ANYTHING,))]
    for found in _MAYBE.finditer(code):
        yield from _handed_over(found)
    written_out = _WRITTEN_OUT.get(language)
    for found in written_out.finditer(code) if written_out else ():
        script = _unescaped(found[found.lastindex]) if found.lastindex else ""
        yield Code(text=script, certain=False) if script else Run(words=(ANYTHING,))


def _handed_over(found: re.Match[str]) -> list[Run | Code]:
    if not found["first"]:
        return []
    words = [_unescaped(text.lstrip("frbuFRBU")[1:-1]) for text in _LITERAL.findall(found["first"] + found["more"])]
    if len(words) == 1 or " " in words[0].strip():
        return [Code(text=words[0], certain=False)]
    return [Run(words=tuple(words))] if words[0] else []


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text, flags=re.DOTALL)
