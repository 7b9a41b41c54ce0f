"""What can be named on the command line: files, directories, stdin, and nothing that is never read to its end."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .command import BUNDLE, BYLAW, FIVE_MISTAKES, TOO_LONG_S, Done, bylaw, environment, write


def fed(text: str, *arguments: str, cwd: Path) -> Done:
    """The command with a text on its stdin, through a pipe."""
    ended = subprocess.run(
        [BYLAW, *arguments],
        cwd=cwd,
        env=environment(),
        input=text.encode(),
        capture_output=True,
        timeout=TOO_LONG_S,
        check=False,
    )
    return Done(code=ended.returncode, out=ended.stdout.decode(), err=ended.stderr.decode())


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0"])
def test_stdin_is_read(name: str, tmp_path: Path) -> None:
    done = fed(BUNDLE, "validate", name, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "1 contract file valid\n", "")


def test_stdin_is_judged(tmp_path: Path) -> None:
    assert "\nHELD: " in fed(BUNDLE, "run", "-", cwd=tmp_path).out
    assert fed(BUNDLE, "guard", "check", "-", "--tool", "refund", cwd=tmp_path).out.startswith("allowed")


def test_what_is_wrong_on_stdin_is_told_by_that_name(tmp_path: Path) -> None:
    (tmp_path / "<stdin>").write_text("another: file\n")
    done = fed(FIVE_MISTAKES, "validate", "-", cwd=tmp_path)
    assert done.code == 2
    assert "<stdin>:4:19: error[bad-form]: `Refunds` is not a name" in done.err
    assert "another" not in done.err


def test_a_file_of_that_name_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "<stdin>").write_text(BUNDLE)
    assert fed("", "validate", "<stdin>", cwd=tmp_path).code == 0
    assert "error[empty-file]" in fed("", "validate", "-", cwd=tmp_path).err


def test_stdin_that_is_closed_is_unreadable(tmp_path: Path) -> None:
    ended = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" validate - <&-', BYLAW],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=TOO_LONG_S,
        check=False,
    )
    assert ended.returncode == 2
    assert b"<stdin>:1:1: error[unreadable]" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [["validate", ""], ["run", ""], ["validate", "b.yaml", ""], ["guard", "check", "", "--tool", "x"]],
    ids=["validate", "run", "the-second", "guard-check"],
)
def test_an_empty_path_is_misuse(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"b.yaml": BUNDLE})
    done = bylaw(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "the path is empty" in done.err


@pytest.mark.parametrize("named", ["pipe.yaml", "."])
def test_a_named_pipe_is_not_waited_for(named: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    done = bylaw("validate", named, cwd=tmp_path)
    assert done.code == 2
    assert "pipe.yaml:1:1: error[not-a-file]: this is a named pipe, not a file" in done.err


@pytest.mark.parametrize("command", ["validate", "run"])
def test_a_device_is_not_read(command: str, tmp_path: Path) -> None:
    done = bylaw(command, "/dev/zero", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "/dev/zero:1:1: error[not-a-file]: this is a device, not a file" in done.err


def test_endings_are_known_in_any_case(tmp_path: Path) -> None:
    write(tmp_path, {"a.YAML": BUNDLE, "b/c.Yml": BUNDLE, "d.txt": BUNDLE})
    assert bylaw("validate", ".", cwd=tmp_path).out == "2 contract files valid\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_directory_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": BUNDLE})
    (tmp_path / "closed").mkdir(mode=0o000)
    done = bylaw("validate", ".", cwd=tmp_path)
    assert done.code == 2
    assert "closed:1:1: error[unreadable]: can't be read: Permission denied" in done.err


def test_a_directory_too_far_down_to_be_read_is_told(tmp_path: Path) -> None:
    """Nobody, root neither, can list a directory whose path is too long."""
    directory = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=directory)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=directory)
        os.close(directory)
        directory = inner
    os.close(directory)
    write(tmp_path, {"a.yaml": BUNDLE})
    done = bylaw("validate", ".", "--json", cwd=tmp_path)
    assert (done.code, done.json["files"]) == (2, ["a.yaml"])
    assert [said["code"] for said in done.json["diagnostics"]] == ["unreadable"]


def test_a_link_to_a_directory_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.yaml": BUNDLE})
    (tmp_path / "again.yaml").symlink_to("a")
    assert bylaw("validate", ".", cwd=tmp_path).out == "1 contract file valid\n"
