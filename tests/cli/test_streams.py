"""Where the output goes: no colour where nobody sees it, and no wrong exit code where nobody reads it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from .command import BROKEN_BUNDLE, BUNDLE, BYLAW, FIVE_MISTAKES, TOO_LONG_S, bylaw, environment, write

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


def reader_gone(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """The command with a stdout whose other end is closed before it writes."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [BYLAW, *arguments],
            cwd=cwd,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=TOO_LONG_S,
            check=False,
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize(
    "arguments", [["run", "b.yaml"], ["run", "b.yaml", "--json"], ["validate", "b.yaml"], ["schema", "callguard"]]
)
def test_a_reader_that_went_away_is_no_broken_contract(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": BUNDLE})
    done = reader_gone(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_full_disk_is_no_broken_contract(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": BUNDLE})
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [BYLAW, "run", "b.yaml", *arguments],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=TOO_LONG_S,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "bylaw: can't write to stdout: No space left on device\n"
