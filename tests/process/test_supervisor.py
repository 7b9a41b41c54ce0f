"""The supervisor on systems that give it less: no subreaper, no list of children."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
import sys

import pytest

from bylaw.process import supervisor

ELSEWHERE = """
import os, runpy, sys
{change}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
NO_SUBREAPER = "sys.platform = 'elsewhere'"
NO_LIST_OF_CHILDREN = "os.access = lambda *_: False"


def report(command: str, *, change: str, timeout_s: float = 60.0) -> tuple[list[str], bytes]:
    """The words of the last line, and what the program printed."""
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-I", "-S", "-c", ELSEWHERE.format(change=change)]
    with ours, theirs:
        process = subprocess.Popen(
            [*words, supervisor.__file__, str(theirs.fileno())], stdout=subprocess.PIPE, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        environment = {b"PATH": os.fsencode(os.environ["PATH"])}
        job: supervisor.Job = ([b"/bin/sh", b"-c", command.encode()], environment, None, timeout_s)
        data = marshal.dumps(job)
        ours.sendall(len(data).to_bytes(8, "big") + data)
        printed, _ = process.communicate()
        lines = ours.recv(4096).decode().splitlines()
    assert lines[0].startswith("started ")
    return lines[1].split(), printed


@pytest.mark.parametrize("change", [NO_SUBREAPER, NO_LIST_OF_CHILDREN])
def test_what_is_left_behind_is_ended(change: str) -> None:
    words, printed = report("trap '' TERM; sleep 600 & sleep 0; echo done; exit 4", change=change)

    assert words[:3] == ["ended", "4", "1"]
    assert printed == b"done\n"


@pytest.mark.parametrize("change", [NO_SUBREAPER, NO_LIST_OF_CHILDREN])
def test_the_limit_ends_all(change: str) -> None:
    words, printed = report("trap '' TERM; sleep 600 & echo on; sleep 600", change=change, timeout_s=0.5)

    assert words[:2] == ["ended", "late"]
    assert printed == b"on\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is followed")
def test_without_a_list_of_children_a_daemon_is_found() -> None:
    words, _ = report("(env -i setsid sleep 600 &); exit 0", change=NO_LIST_OF_CHILDREN)

    assert words[:3] == ["ended", "0", "1"]
