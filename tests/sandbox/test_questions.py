"""What checks may ask of a workspace, and what is no answer."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, Literal

import pytest

from bylaw.agents.command import CommandAgent
from bylaw.evidence import Need
from bylaw.plan import Trial, Unseen
from bylaw.process import run_program
from bylaw.sandbox import Workspace

TRIAL = Trial(id="t", subject=CommandAgent(command="true"))


def ask(
    kind: str,
    *,
    mess: str = "true",
    workspace: Workspace | None = None,
    at: Literal["before", "after"] = "after",
    **words: str,
) -> Any:
    """The answer, after `mess` was made in the workspace."""

    async def visit() -> Any:
        async with (workspace or Workspace()).enter(TRIAL) as sandbox:
            await run_program(mess, directory=sandbox.directory, environment=sandbox.environment, timeout_s=60)
            return await sandbox.answer(Need(kind=kind, ask=tuple(words.items()), at=at))

    return asyncio.run(visit())


def unseen(kind: str, *, mess: str = "true", workspace: Workspace | None = None, **words: str) -> str:
    with pytest.raises(Unseen) as caught:
        ask(kind, mess=mess, workspace=workspace, at="after", **words)
    return str(caught.value)


@pytest.mark.parametrize("at", ["before", "after"])
def test_a_command_runs_in_the_workspace_with_its_environment(at: Literal["before", "after"]) -> None:
    workspace = Workspace(files={"a.txt": "text\n"}, variables={"WORD": "said"})

    assert ask("command", command="cat a.txt; echo $WORD >&2; exit 3", workspace=workspace, at=at) == {
        "exit_code": 3,
        "stdout": "text\n",
        "stderr": "said\n",
        "timed_out": False,
    }


def test_a_command_does_not_see_the_callers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")

    assert ask("command", command="echo [$SECRET_OF_THE_CALLER]")["stdout"] == "[]\n"


def test_a_command_that_a_signal_ended_has_the_exit_code_a_shell_gives() -> None:
    assert ask("command", command="kill -9 $$")["exit_code"] == 137


def test_a_command_out_of_time_is_an_answer_too() -> None:
    answer = ask("command", command="echo so far; exec sleep 600", workspace=Workspace(timeout_s=1.0))

    assert answer == {"exit_code": None, "stdout": "so far\n", "stderr": "", "timed_out": True}


def test_long_streams_are_cut_where_it_says() -> None:
    answer = ask("command", command="head -c 30000000 /dev/zero | tr '\\0' a; echo end; printf '\\377' >&2")

    assert len(answer["stdout"]) < 21_000
    assert answer["stdout"].startswith("aaa")
    assert "\n[… 29980004 bytes left out …]\n" in answer["stdout"]
    assert answer["stdout"].endswith("aend\n")
    assert answer["stderr"] == "\N{REPLACEMENT CHARACTER}"


def test_a_command_that_cannot_start_is_no_answer() -> None:
    why = unseen("command", command="true", mess='rm -rf "$PWD"')

    assert why.startswith("the command `true` could not be started: the directory")


def test_a_command_that_ends_out_of_sight_is_no_answer() -> None:
    assert "nobody saw how it ended" in unseen("command", command="kill -9 $PPID; sleep 600")


@pytest.mark.parametrize(
    ("mess", "path", "answer"),
    [
        ("printf 'h\\303\\251\\r\\n' > a", "a", {"exists": True, "kind": "file", "text": "hé\r\n"}),
        ("printf 'a\\377b' > a", "a", {"exists": True, "kind": "file", "text": "a\N{REPLACEMENT CHARACTER}b"}),
        (": > a", "./x/../a", {"exists": True, "kind": "file", "text": ""}),
        ("mkdir -p d/e", "d/e", {"exists": True, "kind": "directory", "text": None}),
        ("true", ".", {"exists": True, "kind": "directory", "text": None}),
        ("true", "a/b", {"exists": False, "kind": "missing", "text": None}),
        (": > a", "a/b", {"exists": False, "kind": "missing", "text": None}),
        ("mkfifo p", "p", {"exists": True, "kind": "other", "text": None}),
        ("mkdir d; echo x > d/a; ln -s d l", "l/a", {"exists": True, "kind": "file", "text": "x\n"}),
        ("ln -s nowhere l", "l", {"exists": False, "kind": "missing", "text": None}),
    ],
)
def test_a_file(mess: str, path: str, answer: dict[str, Any]) -> None:
    assert ask("file", mess=mess, path=path) == answer


@pytest.mark.parametrize(
    ("mess", "path", "why"),
    [
        ("true", "../out", "`../out` leaves the workspace"),
        ("true", "a/../../out", "`a/../../out` leaves the workspace"),
        ("true", "..", "`..` leaves the workspace"),
        ("true", "/etc/passwd", "`/etc/passwd` is absolute: paths are relative to the workspace"),
        ("true", "a\0b", "`'a\\x00b'` is no path: there is a NUL byte in it"),
        ("ln -s /etc/passwd l", "l", "`l` leaves the workspace through a symbolic link"),
        ("ln -s /etc l", "l/passwd", "`l/passwd` leaves the workspace through a symbolic link"),
        ("ln -s .. l", "l/home", "`l/home` leaves the workspace through a symbolic link"),
        ("ln -s /no/such l", "l", "`l` leaves the workspace through a symbolic link"),
        ("mkdir d; ln -s /etc d/l", "d/l/nothing", "`d/l/nothing` leaves the workspace through a symbolic link"),
        ("cd ..; rm -rf work; ln -s /etc work", "passwd", "`passwd` leaves the workspace through a symbolic link"),
        ("ln -s l l", "l", "`l` can't be read: too many levels of symbolic links"),
        ("true", "x" * 300, f"`{'x' * 300}` can't be read: file name too long"),
        (
            "head -c 5000001 /dev/zero > a",
            "a",
            "`a` is too long to be judged: 5000001 bytes, at most 5000000 are read",
        ),
    ],
)
def test_no_answer_about_a_file(mess: str, path: str, why: str) -> None:
    assert unseen("file", mess=mess, path=path) == why


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_no_answer() -> None:
    assert unseen("file", mess="echo x > a; chmod 000 a", path="a") == "`a` can't be read: permission denied"


def test_a_file_of_the_largest_size_is_whole() -> None:
    assert len(ask("file", mess="head -c 5000000 /dev/zero > a", path="a")["text"]) == 5_000_000


def test_another_question_is_not_answered() -> None:
    assert unseen("sql", query="select 1") == "this sandbox can't answer `sql`"


def test_a_question_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("secret")

    assert "symbolic link" in unseen("file", mess=f"ln -s {outside} l", path="l")
    assert outside.read_text() == "secret"
