"""Ctrl-C: what was judged by then is kept and shown, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bylaw.journal import Ended, read_journal

from .command import BROKEN_BUNDLE, BUNDLE, BYLAW, TOO_LONG_S, environment, spec, write

LARGER_THAN_A_PIPE = 512 * 1024


def interrupted(*arguments: str, cwd: Path, when: Callable[[], bool]) -> tuple[int, str, str]:
    """Starts the command, sends it the signal of Ctrl-C once `when` holds, and waits for its end."""
    started = subprocess.Popen(
        [BYLAW, *arguments],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with started:
        try:
            deadline = time.monotonic() + TOO_LONG_S
            while not when():
                assert started.poll() is None, "it ended by itself"
                assert time.monotonic() < deadline, "it never came so far"
                time.sleep(0.01)
            started.send_signal(signal.SIGINT)
            out, err = started.communicate(timeout=TOO_LONG_S)
        finally:
            started.kill()
    return started.returncode, out.decode(), err.decode()


def sleeping_agent(directory: Path) -> str:
    """Says its process id and then sleeps for longer than anybody waits."""
    return spec(f"echo $$ > {directory}/begun.tmp; mv {directory}/begun.tmp {directory}/begun; exec sleep 600")


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_was_judged_is_shown_and_kept(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": BUNDLE, "b.yaml": sleeping_agent(tmp_path)})
    begun = tmp_path / "begun"
    code, out, err = interrupted(
        "run", "a.yaml", "b.yaml", "--jobs", "1", "--json", "--journal", "j", cwd=tmp_path, when=begun.exists
    )
    document: Any = msgspec.json.decode(out)
    assert (code, document["exit_code"], document["stopped"]) == (3, 3, "interrupted")
    first, second = document["groups"]
    assert first["verdict"]["state"] == "held"
    assert len(first["cells"]) == 2
    assert second["cells"] == []
    assert "Traceback" not in err
    *_, ended = read_journal(tmp_path / "j")
    assert isinstance(ended, Ended)
    assert ended.stopped == "interrupted"
    assert is_gone(int(begun.read_text()))


def test_what_was_broken_by_then_stays_broken(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": BROKEN_BUNDLE, "b.yaml": sleeping_agent(tmp_path)})
    begun = tmp_path / "begun"
    code, out, err = interrupted("run", "a.yaml", "b.yaml", "--jobs", "1", cwd=tmp_path, when=begun.exists)
    assert code == 1
    assert "FAILED  cap: deny example 1" in out
    assert "interrupted" in out
    assert "Traceback" not in err


def test_before_anything_ran_nothing_is_decided(tmp_path: Path) -> None:
    """The contract is larger than a pipe holds, so once it is written the command reads, and waits for its end.

    The end comes after the signal: a signal between two readings is seen only when the second one returns.
    """
    started = subprocess.Popen(
        [BYLAW, "run", "-"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with started:
        try:
            assert started.stdin is not None
            started.stdin.write(b"#" * LARGER_THAN_A_PIPE)
            started.send_signal(signal.SIGINT)
            out, err = started.communicate(timeout=TOO_LONG_S)
        finally:
            started.kill()
    assert (started.returncode, out) == (3, b"")
    assert b"bylaw: interrupted before there was anything to report" in err
    assert b"Traceback" not in err
