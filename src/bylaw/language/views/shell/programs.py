"""Programs that run others, and how each of them finds what to run among its words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Final

from bylaw.language.views.shell import shells
from bylaw.language.views.shell.assignments import DECLARING
from bylaw.language.views.shell.consequences import Code, Consequence, Run, Words
from bylaw.language.views.shell.foreign import interpreted, interpreter
from bylaw.language.views.shell.normal import git_command
from bylaw.language.views.shell.options import Options, leading_options
from bylaw.language.views.shell.scripted import GIT_SCRIPTED, SCRIPTED, scripted
from bylaw.language.views.shell.settings import assigned, git_setting
from bylaw.language.views.shell.unknown import ANYTHING, INPUT, is_known
from bylaw.language.views.shell.wrappers import WRAPPERS, Wrapper

Follow = Callable[[Words, "str | None"], Iterator[Consequence]]

_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
_LOADER = re.compile(r"ld-(?:linux|musl).*|ld\.so.*")
_LOADS: Final = Wrapper(
    options=Options(
        long_flags=("list", "verify", "inhibit-cache"),
        long_values=("library-path", "preload", "argv0", "audit", "inhibit-rpath", "glibc-hwcaps-prepend"),
    )
)


def consequences(words: Words, stdin: str | None) -> Iterator[Consequence]:
    """What follows from running the words; the first is the bare name of a program. `stdin` is None if unknown."""
    name = words[0]
    if name in SCRIPTED:
        yield from scripted(SCRIPTED[name], words, stdin)
    if name in _FOLLOWED:
        yield from _FOLLOWED[name](words, stdin)
    elif name in WRAPPERS:
        yield from _unwrapped(WRAPPERS[name], words)
    elif shells.is_shell(name):
        yield from shells.shell(words, stdin)
    elif language := interpreter(name):
        yield from interpreted(language, words, stdin)
    elif _LOADER.fullmatch(name):
        yield from _unwrapped(_LOADS, words)
    elif name.startswith("git-"):
        yield Run(words=("git", name[4:], *words[1:]))


def _unwrapped(wrapper: Wrapper, words: Words) -> Iterator[Consequence]:
    for start in _starts(wrapper, words):
        rest = words[start + wrapper.operands :]
        if wrapper.verbs and "--" in rest:
            rest = rest[rest.index("--") + 1 :]
        while wrapper.assigns and rest and _ASSIGNS.match(rest[0]):
            yield from assigned(rest[0])
            rest = rest[1:]
        if rest[:1] in (("-c",), ("--command",)) and len(rest) > 1:
            yield Code(text=rest[1])
        elif rest and wrapper.joins:
            yield Code(text=" ".join(rest))
        elif rest:
            yield Run(words=rest)


def _starts(wrapper: Wrapper, words: Words) -> Iterator[int]:
    """Where the words of the program may begin, or the operands before it."""
    if not wrapper.verbs:
        yield from leading_options(wrapper.options, words).starts
        return
    for at, word in enumerate(words[1:], 2):
        if word in wrapper.verbs:
            yield from leading_options(wrapper.options, words, at).starts
            return


def _env(words: Words, _: str | None) -> Iterator[Consequence]:
    """`env -S` splits a text into words itself; the words that follow are its, too."""
    if words[1:2] == ("-",):
        words = ("env", *words[2:])
    leading = leading_options(WRAPPERS["env"].options, words)
    split = [value for name, value in leading.given if name == "S" or name.startswith("sp")]
    if split:
        yield Code(text=" ".join(("env", *split, *map(shlex.quote, words[leading.starts[0] :]))))
    else:
        yield from _unwrapped(WRAPPERS["env"], words)


def _command(words: Words, _: str | None) -> Iterator[Consequence]:
    """With `-v` nothing is run."""
    if not any("v" in word.lower() for word in words[1:2] if word.startswith("-")):
        yield from _unwrapped(WRAPPERS["command"], words)


def _runuser(words: Words, stdin: str | None) -> Iterator[Consequence]:
    yield from shells.after_c(words, stdin)
    yield from _unwrapped(WRAPPERS["runuser"], words)


def _ssh(words: Words, _: str | None) -> Iterator[Consequence]:
    for word in words[1:]:
        if found := re.search(r"(?:Proxy|Local|KnownHosts)Command[= ]\s*(.+)", word, re.IGNORECASE | re.DOTALL):
            yield Code(text=found[1].strip("\"'"))
    yield from _unwrapped(WRAPPERS["ssh"], words)


def _find(words: Words, _: str | None) -> Iterator[Consequence]:
    at = 0
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            end = at + 1
            while end < len(words) and words[end] != ";" and words[end - 1 : end + 1] != ("{}", "+"):
                end += 1
            if words[at + 1 : end]:
                yield Run(words=words[at + 1 : end])
            at = end
        at += 1


_XARGS: Final = Options(
    flags="0oprtx",
    values="adEILnPsJR",
    attached="eil",
    long_flags=("null", "open-tty", "interactive", "no-run-if-empty", "verbose", "exit", "replace", "eof"),
    long_values=("arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"),
)


def _xargs(words: Words, stdin: str | None) -> Iterator[Consequence]:
    leading = leading_options(_XARGS, words)
    names = dict(leading.given)
    placeholder = names.get("I") or names.get("J") or (("i" in names or "replace" in names) and "{}") or ""
    read = _arguments(None if names.keys() & {"a", "arg-file", "0", "null", "d", "delimiter"} else stdin)
    for start in leading.starts:
        command = words[start:]
        if command and placeholder:
            text = " ".join(read)
            yield Run(words=tuple(word.replace(placeholder, text) for word in command))
        elif command:
            yield Run(words=(*command, *read))


def _arguments(stdin: str | None) -> Words:
    if stdin is None or not is_known(stdin):
        return (INPUT,)
    try:
        return tuple(shlex.split(stdin))
    except ValueError:
        return (INPUT,)


_PARALLEL: Final = Options(flags="0kqrtuvX", values="aCEIjLnPS", long_values=("jobs", "arg-file", "colsep", "delay"))


def _parallel(words: Words, stdin: str | None) -> Iterator[Consequence]:
    """Each argument after `:::`, or each line of the input, makes one script of the command's words."""
    rest = words[leading_options(_PARALLEL, words).starts[0] :]
    command = rest[: rest.index(":::")] if ":::" in rest else rest
    read = rest[len(command) + 1 :] or (INPUT if stdin is None else stdin,)
    for argument in read:
        text = " ".join(command)
        yield Code(text=text.replace("{}", argument) if "{}" in text else f"{text} {argument}".strip())


def _git(words: Words, stdin: str | None) -> Iterator[Consequence]:
    """Settings and aliases that are given, and commands of git that run others."""
    for at, word in enumerate(words[1:], 1):
        name, given, value = word.partition("=")
        yield from git_setting(name, value if given else "".join(words[at + 1 : at + 2]))
    verb, *rest = git_command(list(words[1:])) or [""]
    if verb in GIT_SCRIPTED:
        yield from scripted(GIT_SCRIPTED[verb], words, stdin)
    elif verb == "bisect" and rest[:1] == ["run"] and rest[1:]:
        yield Run(words=tuple(rest[1:]))
    elif verb == "submodule" and "foreach" in rest:
        yield Code(text=" ".join(word for word in rest[rest.index("foreach") + 1 :] if word != "--recursive"))


def _declared(words: Words, _: str | None) -> Iterator[Consequence]:
    for word in words[1:]:
        yield from assigned(word)


def _remembered(words: Words, _: str | None) -> Iterator[Consequence]:
    """`fc` runs a line of the history once more, which may have been changed on the way."""
    if not words[1:2] or not words[1].startswith("-l"):
        yield Run(words=(ANYTHING,))


def _anything(_: Words, __: str | None) -> Iterator[Consequence]:
    yield Run(words=(ANYTHING,))


_FOLLOWED: Final[dict[str, Follow]] = {
    "env": _env,
    "command": _command,
    "source": shells.source,
    "at": shells.at_a_time,
    "batch": shells.at_a_time,
    "eval": shells.evaluate,
    "trap": shells.trap,
    "alias": shells.alias,
    "su": shells.after_c,
    "script": shells.after_c,
    "runuser": _runuser,
    "ssh": _ssh,
    "find": _find,
    "xargs": _xargs,
    "parallel": _parallel,
    "git": _git,
    "fc": _remembered,
    "run-parts": _anything,
    **dict.fromkeys(DECLARING, _declared),
}
