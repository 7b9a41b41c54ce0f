"""Programs with a language of their own that can run commands, and options that are commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from bylaw.language.views.shell.consequences import Code, Consequence, File, Foreign, Shown, Words
from bylaw.language.views.shell.foreign import INPUTS, commands_in

SHORTEST: Final = 5
"""A long option may be cut short, but not to less than so many characters here."""


class Scripted(msgspec.Struct, frozen=True, kw_only=True):
    """Where a program finds code: after the options in `code`, in files after those in `files`, in its operands, in
    files that it looks for by itself; with `reads`, in what it is given to read."""

    language: str = "sh"
    code: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    operands: Literal["code", "files"] | None = None
    looked_for: tuple[str, ...] = ()
    reads: bool = False


def _scripted(
    language: str = "sh",
    code: str = "",
    *,
    files: str = "",
    operands: Literal["code", "files"] | None = None,
    looked_for: str = "",
    reads: bool = False,
) -> Scripted:
    return Scripted(
        language=language,
        code=tuple(code.split()),
        files=tuple(files.split()),
        operands=operands,
        looked_for=tuple(looked_for.split()),
        reads=reads,
    )


def _each(names: str, program: Scripted) -> dict[str, Scripted]:
    return dict.fromkeys(names.split(), program)


SCRIPTED: Final[Mapping[str, Scripted]] = {
    **_each("awk gawk mawk nawk", _scripted("awk", files="-f --file -E --exec", operands="code")),
    **_each("sed gsed", _scripted("sed", "-e --expression", files="-f --file", operands="code")),
    **_each(
        "make gmake",
        _scripted(
            "make",
            "--eval",
            files="-f --file --makefile",
            looked_for="Makefile makefile GNUmakefile",
            operands="code",
        ),
    ),
    "crontab": _scripted("cron", operands="files", reads=True),
    **_each("ed red ex vi vim nvim view gvim", _scripted("ed", "-c --cmd +", files="-S -s -u", reads=True)),
    **_each("dc ftp sftp lftp", _scripted("ed", "-e -c", files="-b -f", reads=True)),
    "gdb": _scripted("gdb", "-ex --ex -iex -eval-command --eval-command", files="-x -command --command", reads=True),
    "lldb": _scripted("gdb", "-o -O --one-line", files="-s --source", reads=True),
    "sqlite3": _scripted("sql", "-cmd", operands="code", reads=True),
    "psql": _scripted("sql", "-c --command", files="-f --file", reads=True),
    **_each("mysql mariadb", _scripted("sql", "-e --execute", reads=True)),
    "m4": _scripted("m4", operands="files", reads=True),
    "emacs": _scripted("emacs", "--eval --execute -eval", files="-l --load --script"),
    **_each("gnuplot octave R", _scripted("other", "-e --eval", operands="files", reads=True)),
    "socat": _scripted("socat", operands="code"),
    "tar": _scripted(
        code="--checkpoint-action --to-command --use-compress-program -I -F --info-script --new-volume-script "
        "--rsh-command"
    ),
    "zip": _scripted(code="-TT --unzip-command"),
    **_each("nc ncat netcat", _scripted(code="-e -c --exec --sh-exec")),
    "man": _scripted(code="-P --pager"),
    "sort": _scripted(code="--compress-program"),
    "split": _scripted(code="--filter"),
    "rsync": _scripted(code="-e --rsh"),
    "scp": _scripted(code="-S"),
    "rg": _scripted(code="--pre"),
    "tcpdump": _scripted(code="-z"),
    **_each("npm npx", _scripted(code="-c --call")),
    **_each("nix-shell nix", _scripted(code="--run --command -c")),
    **_each("sg capsh vagrant", _scripted(code="-c")),
    "nodemon": _scripted(code="-x --exec"),
    **_each("mapfile readarray complete compgen", _scripted(code="-C")),
    "bind": _scripted("bind", "-x"),
    "hyperfine": _scripted(code="-p --prepare -s --setup -c --cleanup", operands="code"),
}

GIT_SCRIPTED: Final[Mapping[str, Scripted]] = {
    "rebase": _scripted(code="-x --exec"),
    "difftool": _scripted(code="-x --extcmd"),
    "grep": _scripted(code="-O --open-files-in-pager"),
    "clone": _scripted(code="-u --upload-pack"),
    **_each("fetch pull ls-remote fetch-pack", _scripted(code="--upload-pack")),
    **_each("push send-pack archive", _scripted(code="--receive-pack --exec")),
    "filter-branch": _scripted(
        code="--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter "
        "--tag-name-filter"
    ),
}


def scripted(program: Scripted, words: Words, stdin: str | None) -> Iterator[Consequence]:
    """What follows from the code that the words give the program, or lead it to."""
    for text in _after(program.code, words):
        if program.language == "sh":
            yield _script(text)
        else:
            yield Foreign(text=text, language=program.language)
    paths = [*_after(program.files, words)]
    operands = [word for word in words[1:] if word == "-" or word[:1] not in ("-", "")]
    if program.operands == "code":
        for word in operands:
            yield from (_script(word),) if program.language == "sh" else commands_in(word, program.language)
    elif program.operands == "files":
        paths += operands
    for path in paths or program.looked_for:
        if path not in INPUTS:
            yield File(path=path, language=program.language)
        elif stdin is None:
            yield Shown(text=f"{program.language} <stdin>")
        else:
            yield Foreign(text=stdin, language=program.language)
    if program.reads and stdin is not None:
        yield Foreign(text=stdin, language=program.language)


def _script(text: str) -> Code:
    return Code(text=text.removeprefix("exec=").lstrip("!"), certain=False)


def _after(options: tuple[str, ...], words: Words) -> Iterator[str]:
    """The values of the options, attached to them or in the next word."""
    for at, word in enumerate(words[1:], 1):
        for option in options:
            value = _attached(option, word)
            if value is not None:
                yield from (value,) if value else words[at + 1 : at + 2]
                break


def _attached(option: str, word: str) -> str | None:
    """What is attached to the option in this word, if it is there at all."""
    if option.startswith("--"):
        name, _, value = word.partition("=")
        return value if option.startswith(name) and len(name) >= min(SHORTEST, len(option)) else None
    if len(option) == 2:
        found = re.fullmatch(rf"-[A-Za-z]*?{re.escape(option[1])}(.*)", word, re.DOTALL)
        return found[1] if found else None
    if option == "+":
        return word[1:] if word.startswith(option) else None
    name, _, value = word.partition("=")
    return value if name == option else None
