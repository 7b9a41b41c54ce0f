"""Where the output goes: no colour where nobody sees it, and no wrong exit code where nobody reads it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path
from typing import IO

import pytest

from .command import (
    BROKEN_BUNDLE,
    BUNDLE,
    BYLAW,
    FIVE_MISTAKES,
    NOT_REPRODUCIBLE,
    TOO_LONG_S,
    Done,
    bylaw,
    environment,
    spec,
    write,
)

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|4[0-7]|38|48)[0-9;]*m")


@pytest.mark.parametrize("arguments", [["run", "broken.yaml"], ["validate", "bad.yaml"], ["--help"]])
def test_a_pipe_gets_no_escape_codes(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"broken.yaml": BROKEN_BUNDLE, "bad.yaml": FIVE_MISTAKES})
    done = bylaw(*arguments, cwd=tmp_path, TERM="xterm-256color")
    assert ESCAPE not in done.out + done.err


def on_a_terminal(*arguments: str, cwd: Path, **variables: str) -> str:
    """What a terminal would show, for all of stdout and stderr."""
    ours, theirs = pty.openpty()
    try:
        started = subprocess.Popen(
            [BYLAW, *arguments],
            cwd=cwd,
            env=environment(TERM="xterm-256color", **variables),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        started.wait(TOO_LONG_S)
    finally:
        os.close(ours)
    return shown.decode()


def _read(terminal: int) -> bytes:
    """Linux says EIO where the other end of a terminal is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_a_terminal_gets_colours_unless_they_are_unwanted(tmp_path: Path) -> None:
    write(tmp_path, {"broken.yaml": BROKEN_BUNDLE})
    assert COLOUR.search(on_a_terminal("run", "broken.yaml", cwd=tmp_path))
    assert not COLOUR.search(on_a_terminal("run", "broken.yaml", cwd=tmp_path, NO_COLOR="1"))


def test_what_agents_say_can_not_paint_the_terminal(tmp_path: Path) -> None:
    said = BROKEN_BUNDLE.replace('"{args.amount} is too much"', r'"\e[2J\e[31mgone"').replace(
        "amount: 500 ", "amount: 900 "
    )
    write(tmp_path, {"broken.yaml": said})
    done = bylaw("run", "broken.yaml", cwd=tmp_path)
    assert ESCAPE not in done.out
    assert r"\x1b[2J" in done.out


def writing_to(stdout: int | IO[bytes], *arguments: str, cwd: Path) -> Done:
    ended = subprocess.run(
        [BYLAW, *arguments],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=TOO_LONG_S,
        check=False,
    )
    return Done(code=ended.returncode, out="", err=ended.stderr.decode())


def reader_gone(*arguments: str, cwd: Path) -> Done:
    """The command with a stdout whose other end is closed before it writes."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return writing_to(writing, *arguments, cwd=cwd)
    finally:
        os.close(writing)


def named(commands: list[list[str]]) -> list[str]:
    return ["-".join(arguments) for arguments in commands]


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "held.yaml"], 0),
        (["run", "broken.yaml"], 1),
        (["run", "undecided.yaml"], 3),
        (["validate", "held.yaml"], 0),
        (["validate", "bad.yaml"], 2),
        (["guard", "check", "held.yaml", "--tool", "refund", "--args", '{"amount": 900}'], 1),
    ],
    ids=["held", "broken", "undecided", "valid", "invalid", "denied"],
)
def test_a_reader_that_went_away_changes_nothing_that_was_decided(
    arguments: list[str], code: int, more: list[str], tmp_path: Path
) -> None:
    write(
        tmp_path,
        {
            "held.yaml": BUNDLE,
            "broken.yaml": BROKEN_BUNDLE,
            "undecided.yaml": NOT_REPRODUCIBLE,
            "bad.yaml": FIVE_MISTAKES,
        },
    )
    done = reader_gone(*arguments, *more, cwd=tmp_path)
    assert done.code == code
    assert "Traceback" not in done.err


NOTHING_DECIDED = [
    ["schema", "callguard"],
    ["run", "b.yaml", "--dry-run"],
    ["--help"],
    ["guard", "diff", "b.yaml", "b.yaml"],
]


@pytest.mark.parametrize("arguments", NOTHING_DECIDED, ids=named(NOTHING_DECIDED))
def test_a_reader_that_went_away_is_told_where_nothing_was_decided(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": BUNDLE})
    done = reader_gone(*arguments, cwd=tmp_path)
    assert (done.code, done.err) == (2, "bylaw: stdout was closed before everything was written\n")


EVERY_KIND = [
    ["run", "b.yaml"],
    ["run", "b.yaml", "--json"],
    ["run", "b.yaml", "--dry-run"],
    ["run", "b.yaml", "--jobs", "0", "--json"],
    ["validate", "b.yaml"],
    ["validate", "b.yaml", "--json"],
    ["schema", "callguard"],
    ["init", "--template", "files"],
    ["guard", "check", "b.yaml", "--tool", "t"],
    ["--help"],
    ["--version"],
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", EVERY_KIND, ids=named(EVERY_KIND))
def test_a_full_disk_is_one_clear_line(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": BUNDLE})
    with Path("/dev/full").open("wb") as full:
        done = writing_to(full, *arguments, cwd=tmp_path)
    assert done.code == 2
    assert done.err.splitlines()[-1] == "bylaw: can't write to stdout: No space left on device"
    assert len([line for line in done.err.splitlines() if line.startswith("bylaw:")]) == 1
    assert "Traceback" not in done.err


def redirected(how: str, *arguments: str, cwd: Path) -> Done:
    """By a shell, which can close what a program here can't."""
    ended = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" "$@" {how}', BYLAW, *arguments],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TOO_LONG_S,
        check=False,
    )
    return Done(code=ended.returncode, out=ended.stdout.decode(), err=ended.stderr.decode())


@pytest.mark.parametrize("arguments", [["schema", "callguard"], ["run", "spec.yaml"]], ids=["schema", "run"])
def test_without_a_stdout_nothing_is_begun(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"spec.yaml": spec(f"touch {tmp_path}/ran")})
    done = redirected(">&-", *arguments, cwd=tmp_path)
    assert (done.code, done.err) == (2, "bylaw: can't write to stdout: it is closed\n")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full"], ids=["closed", "full"])
def test_without_a_stderr_the_exit_code_is_the_same(how: str, tmp_path: Path) -> None:
    write(tmp_path, {"broken.yaml": BROKEN_BUNDLE, "bad.yaml": FIVE_MISTAKES})
    assert redirected(how, "run", "broken.yaml", cwd=tmp_path).code == 1
    assert redirected(how, "validate", "bad.yaml", cwd=tmp_path).code == 2
    assert redirected(how, "run", "--jason", cwd=tmp_path).code == 2
