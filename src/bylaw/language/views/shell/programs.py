"""What running one command leads to: other commands, scripts to read, code in other languages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from bylaw.language.views.shell.options import Options, leading_options
from bylaw.language.views.shell.unknown import PIPE, is_known, shown, unknown
from bylaw.language.views.shell.wrappers import WRAPPERS, Wrapper

Words = tuple[str, ...]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Another command is run."""

    words: Words


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A text is read as a script, with `parameters` for `$0`, `$1` and so on where it gets its own."""

    text: str
    parameters: Words | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A text a rule should see as it is."""

    text: str


Consequence = Run | Code | Shown
Follow = Callable[[Words, "str | None"], Iterator[Consequence]]

FROM_INPUT: Final = unknown("<stdin>")
SCRIPT_FROM_INPUT: Final = Shown(text="sh <stdin>")
_INPUTS: Final = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", PIPE))
_ASSIGNS = re.compile(r"[A-Za-z_]\w*=")
_SHELL = re.compile(r"(?:ba|da|z|k|mk|pdk|lk|ya|rba|rz|a|po|fi|c|tc)?sh[\d.]*(?:-static)?")
_INTERPRETER = re.compile(
    r"(python|pypy|perl|ruby|node|nodejs|bun|php|lua|luajit|Rscript|julia|osascript|tclsh|expect|groovy)[\d.]*w?"
)
_LOADER = re.compile(r"ld-(?:linux|musl).*|ld\.so.*")
_CODE_LETTERS: Final = {
    "python": "c",
    "pypy": "c",
    "perl": "eE",
    "php": "rBRE",
    "node": "ep",
    "nodejs": "ep",
    "expect": "c",
}
_CODE_WORDS: Final = ("--eval", "--print", "--run", "--execute")


def consequences(words: Words, stdin: str | None) -> Iterator[Consequence]:
    """What follows from running the words; the first is the bare name of a program. `stdin` is None if unknown."""
    name = words[0]
    follow = _FOLLOWED.get(name)
    if follow is not None:
        yield from follow(words, stdin)
    elif name in WRAPPERS:
        yield from _unwrapped(WRAPPERS[name], words)
    elif _SHELL.fullmatch(name):
        yield from _shell(words, stdin)
    elif interpreter := _INTERPRETER.fullmatch(name):
        yield from _interpreter(interpreter[1], words, stdin)
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
    split = [
        value for name, value in leading.given if name == "S" or ("split-string".startswith(name) and len(name) > 1)
    ]
    if split:
        yield Code(text=" ".join(("env", *split, *map(shlex.quote, words[leading.starts[0] :]))))
    else:
        yield from _unwrapped(WRAPPERS["env"], words)


def _command(words: Words, _: str | None) -> Iterator[Consequence]:
    if not any("v" in word.lower() for word in words[1:2] if word.startswith("-")):
        yield from _unwrapped(WRAPPERS["command"], words)


def _shell(words: Words, stdin: str | None) -> Iterator[Consequence]:
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
            at += word in ("--rcfile", "--init-file")
            continue
        code = code or (word[0] == "-" and "c" in word)
        from_input = from_input or (word[0] == "-" and "s" in word)
        at += word.count("o") + word.count("O")
    rest = words[at:]
    if rest[:1] == ("-",) and code:
        rest = rest[1:]
    if code:
        yield from (Code(text=text, parameters=rest[1:]) for text in rest[:1])
    elif from_input or not rest or rest[0] in _INPUTS:
        yield _script_from(stdin, parameters=(words[0], *(rest if from_input else rest[1:])))


def _script_from(stdin: str | None, parameters: Words | None = None) -> Consequence:
    return SCRIPT_FROM_INPUT if stdin is None else Code(text=stdin, parameters=parameters)


def _source(words: Words, stdin: str | None) -> Iterator[Consequence]:
    if words[1:2] and words[1] in _INPUTS:
        yield SCRIPT_FROM_INPUT if words[1] == PIPE else _script_from(stdin)


def _at(_: Words, stdin: str | None) -> Iterator[Consequence]:
    yield _script_from(stdin)


def _eval(words: Words, _: str | None) -> Iterator[Consequence]:
    yield Code(text=" ".join(words[2:] if words[1:2] == ("--",) else words[1:]))


def _trap(words: Words, _: str | None) -> Iterator[Consequence]:
    rest = words[2:] if words[1:2] == ("--",) else words[1:]
    if len(rest) > 1 and not rest[0].startswith("-"):
        yield Code(text=rest[0])


def _alias(words: Words, _: str | None) -> Iterator[Consequence]:
    for word in words[1:]:
        _, given, value = word.partition("=")
        if given:
            yield Code(text=value)


def _after_c(words: Words, _: str | None) -> Iterator[Consequence]:
    """Programs that take a script with `-c`, wherever it stands."""
    for at, word in enumerate(words[1:], 1):
        if word.startswith("--command="):
            yield Code(text=word.partition("=")[2])
        elif word == "--command" or re.fullmatch(r"-[A-Za-z]*c", word):
            yield from (Code(text=text) for text in words[at + 1 : at + 2])


def _runuser(words: Words, stdin: str | None) -> Iterator[Consequence]:
    yield from _after_c(words, stdin)
    yield from _unwrapped(WRAPPERS["runuser"], words)


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
    long_flags=(
        "null",
        "open-tty",
        "interactive",
        "no-run-if-empty",
        "verbose",
        "exit",
        "replace",
        "eof",
        "max-lines",
    ),
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
        return (FROM_INPUT,)
    try:
        return tuple(shlex.split(stdin))
    except ValueError:
        return (FROM_INPUT,)


_PARALLEL: Final = Options(flags="0kqrtuvX", values="aCEIjLnPS", long_values=("jobs", "arg-file", "colsep", "delay"))


def _parallel(words: Words, stdin: str | None) -> Iterator[Consequence]:
    """Each argument after `:::`, or each line of the input, makes one script of the command's words."""
    start = leading_options(_PARALLEL, words).starts[0]
    rest = words[start:]
    command = rest[: rest.index(":::")] if ":::" in rest else rest
    read = rest[len(command) + 1 :] or ((stdin,) if stdin is not None else (FROM_INPUT,))
    for argument in read:
        text = " ".join(command)
        yield Code(text=text.replace("{}", argument) if "{}" in text else f"{text} {argument}".strip())


def _git(words: Words, _: str | None) -> Iterator[Consequence]:
    """An alias that begins with `!` is a script."""
    for word in words[1:]:
        found = re.fullmatch(r"(?:alias\.[^=]*=)?!(.*)", word, re.DOTALL)
        if found:
            yield Code(text=found[1])


def _interpreter(name: str, words: Words, stdin: str | None) -> Iterator[Consequence]:
    coded = re.compile(rf"-[A-Za-z0-9]*?[{_CODE_LETTERS.get(name, 'e')}](.*)", re.DOTALL)
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] not in _INPUTS:
        option, given, value = words[at].partition("=")
        found = None if option.startswith("--") else coded.fullmatch(words[at])
        at += 1
        if found or option in _CODE_WORDS:
            code = found[1] if found else value
            if not code and not given and at < len(words):
                code = words[at]
                at += 1
            yield Shown(text=shown(code))
    if len(words) == 1 or words[1] in _INPUTS:
        yield Shown(text=f"{name} <stdin>" if stdin is None else shown(stdin))


_LOADS: Final = Wrapper(
    options=Options(
        long_flags=("list", "verify", "inhibit-cache"),
        long_values=("library-path", "preload", "argv0", "audit", "inhibit-rpath", "glibc-hwcaps-prepend"),
    )
)

_FOLLOWED: Final[dict[str, Follow]] = {
    "env": _env,
    "command": _command,
    "source": _source,
    "at": _at,
    "batch": _at,
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "su": _after_c,
    "runuser": _runuser,
    "script": _after_c,
    "find": _find,
    "xargs": _xargs,
    "parallel": _parallel,
    "git": _git,
}
