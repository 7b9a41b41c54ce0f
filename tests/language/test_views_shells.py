"""The reader of command lines against shells that run them: nothing runs that the view has not shown."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.language.views import VIEWS, Unreadable
from bylaw.language.views.shell.normal import texts

argv = VIEWS["argv"]
SHELLS = [found for name in ("bash", "dash") if (found := shutil.which(name))]
STAND_IN = '#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@" "@@END" >> "$LOG"\n'
END = b"\0@@END\0"
UNKNOWN = re.compile(r"\$\(\(\.\.\.\)\)|\$\(\.\.\.\)|<stdin>|<\(\.\.\.\)|<unknown>|\$\w+|\$[@*#?!-]")
ESCAPED_QUOTE, ESCAPED_DOUBLE, QUOTED_E = "\\'", '\\"', "'E'"


class Lines:
    """Command lines made by chance; the programs in them are `aa`, `bb`, `cc` and `rm`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._fuel = 0

    def line(self) -> str:
        self._fuel = self._random.randint(5, 40)
        line = self._list(0)
        for _ in range(self._random.choice((0, 0, 0, 1))):
            at = self._random.randrange(len(line) + 1)
            line = line[:at] + self._one_of("'", '"', "`", "$(", ")", ";", "\\", "#", "\n", "&", "{", "") + line[at:]
        return line

    def _one_of(self, *options: str | Callable[[], str]) -> str:
        chosen = self._random.choice(options)
        return chosen if isinstance(chosen, str) else chosen()

    def _word(self) -> str:
        self._fuel -= 1
        plain = self._one_of("aa", "bb", "-x", "y", "rm", "1")
        if self._fuel < 0:
            return plain
        return self._one_of(
            plain,
            plain,
            lambda: f"'{plain}{self._one_of('', ';bb', chr(92), ' ', '#', '$(bb)')}'",
            lambda: f'"{plain}{self._one_of("", ";bb", "$x", "`bb 1`", "$(bb 2)", ESCAPED_DOUBLE)}"',
            lambda: f"$'{plain}{self._one_of('', ESCAPED_QUOTE, ';bb')}'",
            lambda: f"$({self._list(2)})",
            lambda: "`" + self._list(3).replace("\\", "\\\\").replace("`", "\\`") + "`",
            lambda: self._one_of("$x", "${x:-aa}", "${x:+bb}", "$@", '"${x:-a b}"', '"$x"', "${x#a}"),
            lambda: f"{plain}\\{self._one_of(';', ' ', chr(10), chr(39), '#')}",
            lambda: self._word() + self._word(),
        )

    def _simple(self) -> str:
        head = self._one_of(
            "aa", "bb", "rm", "eval", "x=aa;", "$x", "f", "f aa", "command", "env", '"$@"', self._word
        )
        words = [head, *(self._word() for _ in range(self._random.randint(0, 2)))]
        return " ".join(words) + self._one_of("", "", "", " >o", " 2>&1", " &>o")

    def _command(self, depth: int) -> str:
        if depth > 3 or self._fuel < 0:
            return self._simple()
        inner = depth + 1
        return self._one_of(
            self._simple,
            self._simple,
            self._simple,
            lambda: f"({self._list(inner)})",
            lambda: f"{{ {self._list(inner)}; }}",
            lambda: f"if {self._list(inner)}; then {self._list(inner)}; else {self._list(inner)}; fi",
            lambda: f"for x in {self._word()} {self._word()}; do {self._list(inner)}; done",
            lambda: f"case {self._word()} in aa) {self._list(inner)};; *) {self._list(inner)}; esac",
            lambda: f"[[ {self._word()} == {self._word()} ]]",
            lambda: f"f() {{ {self._one_of('aa', 'x=bb;', 'eval')} {self._one_of('', '$@', '$1')}; }}",
            lambda: f"{self._one_of('aa', 'sh', 'bash')} <<{self._one_of('E', QUOTED_E)}\nbb $x\nE\n",
        )

    def _list(self, depth: int) -> str:
        line = self._command(depth)
        for _ in range(self._random.choice((0, 0, 1, 2))):
            line += self._one_of("; ", " && ", " || ", " | ", "\n", " & ") + self._command(depth)
        return line


class Sandbox:
    """Shells that find nothing to run but stand-ins, which write down how they were called."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._count = 0
        (root / "bin").mkdir()
        for name in ("aa", "bb", "cc", "rm"):
            (root / "bin" / name).write_text(STAND_IN)
            (root / "bin" / name).chmod(0o755)
        for name, program in (("bash", SHELLS[0]), ("sh", SHELLS[-1]), ("env", shutil.which("env"))):
            (root / "bin" / name).symlink_to(str(program))

    def called(self, shell: str, line: str) -> list[str]:
        self._count += 1
        work, log = self._root / f"work{self._count}", self._root / f"log{self._count}"
        work.mkdir()
        log.touch()
        environment = {"PATH": str(self._root / "bin"), "LOG": str(log)}
        try:
            subprocess.run(
                [shell, "-c", line],
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
            )
        except subprocess.TimeoutExpired:
            return []
        calls = [call.decode(errors="replace").split("\0") for call in log.read_bytes().split(END)[:-1]]
        return [texts((call[0], *filter(None, call[1:])))[0] for call in calls]


def is_shown(called: str, shown: tuple[str, ...]) -> bool:
    """Whether a text stands for the call, with anything in place of what the text alone does not tell."""
    words = _joined(called)
    return "sh <stdin>" in shown or any(_pattern(text).fullmatch(words) for text in shown)


def _joined(text: str) -> str:
    return re.sub(r" ''(?= |$)", "", text).replace(" ", "")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, UNKNOWN.split(_joined(text)))), re.DOTALL)


@pytest.mark.skipif(not SHELLS, reason="there is no shell here")
@pytest.mark.parametrize("seed", range(6))
def test_nothing_runs_that_is_not_shown(seed: int, tmp_path: Path) -> None:
    lines, sandbox = Lines(seed), Sandbox(tmp_path)
    compared = 0
    for _ in range(40):
        line = lines.line()
        try:
            shown = argv(line)
        except Unreadable:
            continue
        for shell in SHELLS:
            for called in sandbox.called(shell, line):
                assert is_shown(called, shown), (shell, line, shown)
                compared += 1
    assert compared > 5


TOKENS = [
    *"'\"`\\$(){}[]<>|&;#!~*?=,.\n\t @",
    "$(",
    "${",
    "$((",
    "))",
    "<<",
    "<<E\n",
    "\nE\n",
    "$'",
    "rm -rf /x",
    "\\\n",
]
WORDS = [
    "if ",
    "then ",
    "fi",
    "for a in ",
    "do ",
    "done",
    "case ",
    "esac",
    " in ",
    "[[ ",
    " ]]",
    "f() ",
    "eval ",
    "sh -c ",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(TOKENS + WORDS + ["a", "x=1", "$a", "${a:-", "env ", "python -c "]), max_size=25))
def test_nothing_but_unreadable_is_ever_raised(tokens: list[str]) -> None:
    line = "".join(tokens)
    try:
        shown = argv(line)
    except Unreadable:
        return
    assert argv(line) == shown
    assert not any("\ufdd0" <= character <= "\ufdef" for text in shown for character in text)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_nothing_but_unreadable_is_raised_for_any_text(line: str) -> None:
    try:
        shown = argv(line)
    except Unreadable:
        return
    assert all(shown)


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs", "Cn")), max_size=8), max_size=4)
)
def test_quoted_words_come_out_as_they_are(words: list[str]) -> None:
    line = " ".join(["aa", *("'" + word.replace("'", "'\\''") + "'" for word in words)])
    assert texts(("aa", *words))[0] in argv(line)
