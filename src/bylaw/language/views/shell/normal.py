"""The normal form of one command, so that one rule meets all the ways to write it."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import Final

from bylaw.language.views.shell.flags import FLAGS, GIT, sorted_flags
from bylaw.language.views.shell.options import Options, leading_options
from bylaw.language.views.shell.unknown import is_known, shown

UNKNOWN: Final = "<unknown>"
_GLOB = re.compile(r"[*?]|\[.+\]")
_NEEDS_QUOTES = re.compile(r"[\s'\"\x00-\x1f\x7f]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_DETOUR = re.compile(r"/(?:/|\.\.?(?:/|$))")
_SIGNALS: Final = {"HUP": "1", "INT": "2", "QUIT": "3", "KILL": "9", "TERM": "15", "CONT": "18", "STOP": "19"}
_KILLERS: Final = frozenset(("kill", "pkill", "killall"))
_GIT: Final = Options(
    flags="pP",
    values="Cc",
    long_flags=(
        "version",
        "help",
        "paginate",
        "no-pager",
        "no-replace-objects",
        "bare",
        "literal-pathspecs",
        "no-optional-locks",
        "exec-path",
        "html-path",
        "man-path",
        "info-path",
        "no-lazy-fetch",
        "no-advice",
        "glob-pathspecs",
        "noglob-pathspecs",
        "icase-pathspecs",
    ),
    long_values=("git-dir", "work-tree", "namespace", "super-prefix", "config-env", "attr-source", "list-cmds"),
)


def program(word: str) -> str:
    """The bare name of a program, or `<unknown>` where the text does not tell which it is."""
    name = word.rpartition("/")[2]
    if not is_known(name) or not name or _GLOB.search(name):
        return UNKNOWN
    return "source" if name == "." else name


def quoted(word: str) -> str:
    """A word that could be taken for several, or for none, in quotes; always on one line."""
    if not word:
        return "''"
    if _CONTROL.search(word):
        return "$'" + _CONTROL.sub(_escaped, word.replace("\\", "\\\\").replace("'", "\\'")) + "'"
    return shlex.quote(word) if _NEEDS_QUOTES.search(word) else word


def _escaped(found: re.Match[str]) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(found[0]) or f"\\u{ord(found[0]):04x}"


def texts(words: Sequence[str]) -> list[str]:
    """The command in its normal form; in others, too, if that leaves something out or the paths have detours."""
    readings = [_arranged(words)]
    if words[0] == "git" and words[1:2] and words[1].startswith("-"):
        readings.append(list(words))
    found: list[str] = []
    for reading in readings:
        as_shown = [shown(word) for word in reading]
        found.append(" ".join(map(quoted, as_shown)))
        if any(map(_DETOUR.search, as_shown)):
            found.append(" ".join(quoted(straight(word)) for word in as_shown))
    return found


def straight(word: str) -> str:
    """A path without `//`, `/./` and `/../`, as far as its text alone allows."""
    if "://" in word or not _DETOUR.search(word):
        return word
    head, assigned, path = word.rpartition("=")
    return head + assigned + posixpath.normpath(path).replace("//", "/")


def _arranged(words: Sequence[str]) -> list[str]:
    name, rest = words[0], list(words[1:])
    if name in FLAGS:
        return [name, *sorted_flags(FLAGS[name], _with_dash(rest) if name == "tar" else rest)]
    if name == "git":
        return [name, *git_command(rest)]
    if name in _KILLERS:
        return [name, *_signal(rest)]
    return [name, *rest]


def _with_dash(words: list[str]) -> list[str]:
    """`tar xzf a.tgz` has its first word as flags, and their values follow it in order."""
    if not words or not words[0].isalpha():
        return words
    letters, rest = words[0], words[1:]
    flags: list[str] = []
    for letter in letters:
        flags.append(f"-{letter}")
        if letter in FLAGS["tar"].values and rest:
            flags.append(rest.pop(0))
    return flags + rest


def git_command(words: list[str]) -> list[str]:
    """The words from the command of git on, its flags in order."""
    start = leading_options(_GIT, words, 0).starts[0]
    if start >= len(words):
        return words
    verb, rest = words[start], words[start + 1 :]
    return [verb, *(sorted_flags(GIT[verb], rest) if verb in GIT else rest)]


def _signal(words: list[str]) -> list[str]:
    if words[:1] in (["-s"], ["--signal"], ["-n"]) and len(words) > 1:
        words = [f"-{words[1]}", *words[2:]]
    elif words and words[0].startswith("--signal="):
        words = [f"-{words[0].partition('=')[2]}", *words[1:]]
    if words and words[0].startswith("-"):
        name = words[0][1:].upper().removeprefix("SIG")
        words = [f"-{_SIGNALS.get(name, words[0][1:])}", *words[1:]]
    return [word for word in words if word != "--"]
