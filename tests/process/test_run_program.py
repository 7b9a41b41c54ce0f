"""Programs that behave: what they get, what is known of them afterwards."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bylaw.process import CannotStart, Ended, run_program
from bylaw.process.supervisor import descendants

PLAIN = {"PATH": os.environ.get("PATH", os.defpath)}


def run(
    command: str | Sequence[str],
    *,
    directory: str | None = None,
    environment: Mapping[str, str] = PLAIN,
    stdin: bytes = b"",
    timeout_s: float = 60.0,
    keep: int = 10_000_000,
) -> Ended:
    return asyncio.run(
        run_program(
            command, directory=directory, environment=environment, stdin=stdin, timeout_s=timeout_s, keep=keep
        )
    )


def test_the_streams_and_the_exit_code_are_kept_apart() -> None:
    ended = run("echo out; echo err >&2; exit 3")

    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, b"out\n", b"err\n")
    assert (ended.timed_out, ended.left, ended.stdout_dropped, ended.stderr_dropped) == (False, 0, 0, 0)
    assert ended.ms > 0


def test_a_list_is_a_program_and_its_arguments() -> None:
    assert run(["printf", "%s|", "a b", "$HOME", ""]).stdout == b"a b|$HOME||"


def test_it_runs_where_it_is_told(tmp_path: Path) -> None:
    assert run(["pwd", "-P"], directory=str(tmp_path)).stdout.decode().strip() == os.path.realpath(tmp_path)


def test_without_a_directory_it_runs_in_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["pwd", "-P"]).stdout.decode().strip() == os.path.realpath(tmp_path)


def test_all_of_stdin_arrives() -> None:
    data = os.urandom(3_000_000)

    assert run("cat", stdin=data).stdout == data


def test_a_program_that_never_reads_stdin_is_no_error() -> None:
    assert run("exit 0", stdin=b"x" * 3_000_000).exit_code == 0
    assert run("exec <&-; echo fine", stdin=b"x" * 3_000_000).stdout == b"fine\n"


def test_it_sees_the_given_environment_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")
    environment = {**PLAIN, "GIVEN": "one two", "NOT_UTF8": "\udcff"}

    lines = run(["env"], environment=environment).stdout.splitlines()

    assert sorted(lines) == sorted(
        f"{name}={value}".encode(errors="surrogateescape") for name, value in environment.items()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_its_parent_tells_nothing_of_the_callers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")

    ended = run("cat /proc/$PPID/environ && echo read")

    assert ended.stdout.endswith(b"read\n")
    assert b"s3cret" not in ended.stdout


def test_what_is_over_the_bound_is_dropped_from_the_middle() -> None:
    ended = run("printf 'abcdefghij'; printf '0123456789' >&2", keep=6)

    assert (ended.stdout, ended.stdout_dropped) == (b"abchij", 4)
    assert (ended.stderr, ended.stderr_dropped) == (b"012789", 4)


def test_a_program_in_a_pipeline_dies_of_a_closed_pipe_as_usual() -> None:
    ended = run("yes | head -n 1")

    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, b"y\n", b"")


def test_an_end_by_a_signal_is_negative_and_what_a_shell_says_besides() -> None:
    ended = run("kill -9 $$")

    assert (ended.exit_code, ended.status) == (-9, 137)
    assert ended.trouble(timeout_s=60) == "was killed by SIGKILL"


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "trouble"),
    [
        (0, False, ""),
        (7, False, "ended with exit code 7"),
        (-15, False, "was killed by SIGTERM"),
        (-50, False, "was killed by signal 50"),
        (None, True, "was still running after 1.5 s, its time limit, and was ended"),
        (None, False, "killed the process that watches over it, so nobody saw how it ended"),
    ],
)
def test_trouble_is_said_in_words(exit_code: int | None, timed_out: bool, trouble: str) -> None:
    ended = Ended(exit_code=exit_code, stdout=b"", stderr=b"", timed_out=timed_out, ms=1.0)

    assert ended.trouble(timeout_s=1.5) == trouble


@pytest.mark.parametrize(
    ("command", "directory", "environment", "why"),
    [
        ([], None, PLAIN, "there is no program to start"),
        (["no-such-program"], None, PLAIN, "no such file or directory"),
        (["/"], None, PLAIN, "permission denied"),
        ("true", "/no/such/place", PLAIN, "the directory `/no/such/place` can't be used: no such file or directory"),
        ("true", "/bin/sh", PLAIN, "the directory `/bin/sh` can't be used: not a directory"),
        ("true", None, {"A": "x\0y"}, "NUL byte"),
        ("true", None, {"A=B": "x"}, "a variable's name has a `=`"),
        ("true", None, {"A": "x" * 10_000_000}, "its arguments and environment are longer than the system takes"),
    ],
)
def test_a_program_that_cannot_be_started(
    command: str | list[str], directory: str | None, environment: dict[str, str], why: str
) -> None:
    with pytest.raises(CannotStart, match=why.replace("(", r"\(")):
        run(command, directory=directory, environment=environment)


def test_a_command_that_sh_does_not_find_has_started() -> None:
    assert run("no-such-program").exit_code == 127


def test_text_without_bytes_of_its_own_is_replaced() -> None:
    assert run(["printenv", "A"], environment={**PLAIN, "A": "x\ud800y"}).stdout == b"x?y\n"


def test_many_at_once_stay_apart() -> None:
    async def all_of_them() -> list[Ended]:
        return await asyncio.gather(
            *(
                run_program(["cat"], directory=None, environment=PLAIN, stdin=b"%d" % n, timeout_s=60)
                for n in range(40)
            )
        )

    assert [ended.stdout for ended in asyncio.run(all_of_them())] == [b"%d" % n for n in range(40)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_zombie_and_no_open_file_is_left() -> None:
    def held() -> tuple[set[int], int]:
        return set(descendants(os.getpid())), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count, no paths wanted)

    before = held()
    run("sleep 60 & echo")
    run("sleep 60", timeout_s=0.2)
    with pytest.raises(CannotStart):
        run(["no-such-program"])

    assert held() == before
