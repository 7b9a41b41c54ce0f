"""Files that are not what they should be, each told once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
from pathlib import Path

import pytest

from bylaw.errors import InvalidFile, Span
from bylaw.reader import Limits, Problems, Source, load, plain
from bylaw.reader.source import load_text

from .reading import brief


def loaded(path: Path, *, limits: Limits | None = None) -> tuple[Source | None, Problems]:
    problems = Problems()
    return load(path, problems=problems, limits=limits or Limits()), problems


def test_a_file_is_its_text_its_nodes_and_the_hash_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    raw = b"\xef\xbb\xbfa: \xc3\xbc\r\n"
    path.write_bytes(raw)
    source, problems = loaded(path)
    assert source is not None
    assert problems.all == ()
    assert (source.path, source.text, plain(source.root)) == (path, "a: ü\r\n", {"a": "ü"})
    assert source.sha256 == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize(
    ("raw", "place", "hint"),
    [
        (b"\xff\xfea\x00:\x00", "1:1", "this looks like a binary file"),
        (b"a: 1\nb: \xe9t\xe9\n", "2:4", "save it as UTF-8"),
        ("größe: ü".encode() + b"\xe9", "1:9", "save it as UTF-8"),
        (b"\xef\xbb\xbf" + "ä\nöb: ".encode() + b"\xe9", "2:5", "save it as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "1:1", "this looks like a binary file"),
        (b"a: \xed\xa0\xbd", "1:4", "save it as UTF-8"),
    ],
)
def test_what_is_no_text_is_told_at_its_first_byte(tmp_path: Path, raw: bytes, place: str, hint: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(raw)
    source, problems = loaded(path)
    assert source is None
    assert brief(problems.all) == [("not-text", place)]
    assert problems.all[0].hint == hint


def test_junk_that_happens_to_be_text_is_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(bytes(range(32)) * 10)
    assert brief(loaded(path)[1].all) == [("yaml-syntax", "1:1")]


def test_a_directory(tmp_path: Path) -> None:
    source, problems = loaded(tmp_path)
    assert source is None
    assert brief(problems.all) == [("is-directory", "1:1")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("refund.yaml", "did you mean `refunds.yaml`?"),
        ("refunds.yml", "did you mean `refunds.yaml`?"),
        ("Refunds.YAML", "did you mean `refunds.yaml`?"),
        ("zzz", ""),
        ("nowhere/refunds.yaml", ""),
    ],
)
def test_a_missing_file_names_its_neighbour(tmp_path: Path, name: str, hint: str) -> None:
    (tmp_path / "refunds.yaml").touch()
    source, problems = loaded(tmp_path / name)
    assert source is None
    (said,) = problems.all
    assert (said.code, said.hint) == ("no-such-file", hint)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.touch(mode=0o000)
    (said,) = loaded(path)[1].all
    assert (said.code, said.message) == ("unreadable", "can't be read: Permission denied")


@pytest.mark.parametrize("name", ["a\0b.yaml", "x" * 300])
def test_a_name_that_can_be_no_file(tmp_path: Path, name: str) -> None:
    source, problems = loaded(tmp_path / name)
    assert source is None
    assert [said.code for said in problems.all] == ["unreadable"]


def test_a_file_that_runs_through_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.symlink_to(path)
    assert [said.code for said in loaded(path)[1].all] == ["unreadable"]


def test_a_link_that_leads_nowhere_names_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("gone/b.yaml")
    (said,) = loaded(tmp_path / "a.yaml")[1].all
    assert (said.code, said.hint) == ("no-such-file", "it is a link to `gone/b.yaml`, which is not there")


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    (said,) = loaded(tmp_path / "a.yaml")[1].all
    assert (said.code, said.message) == ("not-a-file", "this is a named pipe, not a file")
    assert said.hint == "give it as stdin: `- < a.yaml`"


def test_a_socket_and_a_device_are_no_files(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(tmp_path):
        listening.bind("a.yaml")
        assert [said.message for said in loaded(Path("a.yaml"))[1].all] == ["this is a socket, not a file"]
    assert [said.message for said in loaded(Path("/dev/zero"))[1].all] == ["this is a device, not a file"]


def test_a_pipe_that_the_shell_opened_is_read_to_its_end() -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, b"a: 1\n")
        os.close(writing)
        source, problems = loaded(Path(f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
    assert source is not None
    assert (plain(source.root), problems.all) == ({"a": 1}, ())


def test_a_pipe_without_an_end_is_read_up_to_the_limit() -> None:
    with Path("/dev/zero").open("rb") as endless:
        (said,) = loaded(Path(f"/dev/fd/{endless.fileno()}"))[1].all
    assert said.code == "too-large"


def test_the_size_is_bounded_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    limits = Limits(size=2048)
    path.write_bytes(b"a: " + b"x" * 2045)
    assert loaded(path, limits=limits)[1].all == ()
    path.write_bytes(b"a: " + b"x" * 2046)
    (said,) = loaded(path, limits=limits)[1].all
    assert (said.code, said.message, said.hint) == ("too-large", "is larger than 2 KiB", "split the file")


def test_the_default_limit_is_a_mebibyte(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    assert [said.code for said in loaded(path)[1].all] == ["too-large"]


def test_a_text_is_a_source_like_the_file_that_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: ü\n", encoding="utf-8")
    problems = Problems()
    assert load_text("a: ü\n", file=str(path), problems=problems) == loaded(path)[0]
    assert problems.all == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [("a: [", "yaml-syntax"), ("", "empty-file"), ("a: \ud83d", "yaml-syntax"), ("#" * 1025, "too-large")],
)
def test_a_text_that_can_t_be_used_is_told_once(text: str, code: str) -> None:
    problems = Problems()
    assert load_text(text, file="given", problems=problems, limits=Limits(size=1024)) is None
    (said,) = problems.all
    assert (said.code, said.where.file) == (code, "given")


def test_errors_are_raised_together_and_warnings_are_not() -> None:
    problems = Problems()
    problems.raise_errors()
    problems.add("a", "first", where := Span(file="f"), level="warning")
    problems.raise_errors()
    problems.add("b", "second", where)
    problems.add("c", "third", where, hint="do it")
    with pytest.raises(InvalidFile) as raised:
        problems.raise_errors()
    assert [said.code for said in raised.value.diagnostics] == ["b", "c"]
    assert str(raised.value) == "f:1:1: error[b]: second\nf:1:1: error[c]: third (do it)"
    other = Problems()
    other.extend(problems.all)
    assert other.all == problems.all
