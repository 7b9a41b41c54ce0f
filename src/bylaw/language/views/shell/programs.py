"""Programs that run others, and how each of them finds what to run among its words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Final

from bylaw.language.views.shell import shells
from bylaw.language.views.shell.consequences import Code, Consequence, Run, Words
from bylaw.language.views.shell.foreign import awk, interpreted, interpreter, sed
from bylaw.language.views.shell.options import Options, leading_options
from bylaw.language.views.shell.unknown import INPUT, is_known
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


def _unwrapped(wrapper: Wrapper, words: Words) -> Iterator[Consequence]:
    leading = leading_options(wrapper.options, words)
    for start in leading.starts:
        rest = words[start + wrapper.operands :]
        while wrapper.assigns and rest and _ASSIGNS.match(rest[0]):
            rest = rest[1:]
        if rest[:1] in (("-c",), ("--command",)) and len(rest) > 1:
            yield Code(text=rest[1])
        elif rest and wrapper.joins:
            yield Code(text=" ".join(rest))
        elif rest:
            yield Run(words=rest)


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


def _git(words: Words, _: str | None) -> Iterator[Consequence]:
    """An alias that begins with `!` is a script, and so are some settings."""
    for word in words[1:]:
        setting = re.fullmatch(r"(?i:core\.(?:sshcommand|pager|editor|fsmonitor|hookspath)|\S*\.helper)=!?(.*)", word)
        alias = re.fullmatch(r"(?:alias\.[^=]*=)?!(.*)", word, re.DOTALL)
        for found in (setting, alias):
            if found:
                yield Code(text=found[1])


def _tar(words: Words, _: str | None) -> Iterator[Consequence]:
    for at, word in enumerate(words[1:], 1):
        found = re.fullmatch(r"(?:--checkpoint-action=)?exec=(.*)|--(?:to-command|use-compress-program)=(.*)", word)
        if found:
            yield Code(text=found[1] or found[2] or "")
        elif word in ("--to-command", "--use-compress-program", "-I"):
            yield from (Code(text=text) for text in words[at + 1 : at + 2])


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
    "tar": _tar,
    "awk": awk,
    "gawk": awk,
    "mawk": awk,
    "nawk": awk,
    "sed": sed,
    "gsed": sed,
}
