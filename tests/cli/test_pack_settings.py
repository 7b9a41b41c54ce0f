"""Which pack is meant and who answers: flags, the project's file, keys, and what can't be done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bylaw.testing import ScriptedModel

from .command import bylaw, write
from .packs import PACK, answer, asked, pack, recorded, run, scripted

PROJECTS = [".replayci.yml", ".vesanor.yml"]


@pytest.mark.parametrize("file", PROJECTS)
def test_the_project_s_file_names_the_pack(tmp_path: Path, file: str) -> None:
    pack(tmp_path, response=recorded(asked()))
    write(tmp_path, {file: f"pack: {PACK}\n"})
    assert bylaw("pack", "run", cwd=tmp_path).code == 0


def test_the_project_s_file_says_who_answers_and_flags_win(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    write(tmp_path, {".replayci.yml": f"pack: {PACK}\nprovider: openai\nmodel: large\n"})
    done, model = scripted(tmp_path, [answer(asked())], "run")
    assert (done.code, [one.request.model for one in model.requests]) == (0, ["large"])
    done, model = scripted(tmp_path, [answer(asked())], "run", "--provider", "anthropic", "--model", "tiny")
    assert [(one.api, one.request.model) for one in model.requests] == [("anthropic_messages", "tiny")]
    done, model = scripted(tmp_path, [answer(asked())], "run", "--provider", "recorded")
    assert (done.code, model.requests) == (0, ())


@pytest.mark.parametrize("way", [["--pack", PACK], [PACK], [PACK, "--pack", PACK]], ids=["flag", "plain", "both"])
def test_a_pack_is_named_either_way(tmp_path: Path, way: list[str]) -> None:
    pack(tmp_path, response=recorded(asked()))
    write(tmp_path, {".replayci.yml": "pack: elsewhere\n"})
    assert bylaw("pack", "run", *way, cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pakc: packs\n", "did you mean `pack`?"),
        ("pack: packs\nkey: sk-1\n", "`key` is not a key of the project's file"),
        ("pack: [packs]\n", ".replayci.yml:1:7"),
        ("provider: recorded\n", "no pack is named"),
    ],
    ids=["typo", "no-keys-here", "wrong-type", "no-pack"],
)
def test_a_project_s_file_with_a_mistake(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, {".replayci.yml": text})
    done = bylaw("pack", "run", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_two_project_files(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(PROJECTS, f"pack: {PACK}\n"))
    done = bylaw("pack", "run", cwd=tmp_path)
    assert done.code == 2
    assert "two project files, .replayci.yml and .vesanor.yml" in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--pack", "other"], f"two packs are named, {PACK} and other"),
        (["--model", "m"], "--model asks somebody live"),
        (["--stream", "--capture-recordings"], "--stream and --capture-recordings asks somebody live"),
        (["--provider", "opnai"], "did you mean `openai`?"),
        (["--provider", "anthropic"], "set `REPLAYCI_PROVIDER_KEY` or `ANTHROPIC_API_KEY`"),
        (["--provider", "compatible"], "needs the server's address"),
        (["--provider", "openai", "--base-url", "example.org"], "`base_url` is no address of a server"),
        (["--shadow-provider", "openai"], "a second model is asked with `--shadow-capture`"),
        (["--shadow-capture"], "needs a `--shadow-provider`"),
        (["--repeat", "0"], "--repeat"),
        (["--repeat", "2"], "a recording is always the same"),
        (["--only-contract", "x"], "--only-contracts"),
    ],
    ids=lambda value: value[-1].strip("-") if isinstance(value, list) else None,
)
def test_what_can_t_be_done_is_misuse(tmp_path: Path, options: list[str], says: str) -> None:
    pack(tmp_path, response=recorded(asked()))
    keyless = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "REPLAYCI_PROVIDER_KEY", "OPENAI_BASE_URL"), "")
    if "example.org" in options:
        keyless["OPENAI_API_KEY"] = "none"
    done = run(tmp_path, *options, **keyless)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    write(tmp_path, {"hidden/anthropic.py": "raise ModuleNotFoundError('gone', name='anthropic')"})
    hidden = os.fspath(tmp_path / "hidden")
    done = run(tmp_path, "--provider", "anthropic", PYTHONPATH=hidden, ANTHROPIC_API_KEY="none")
    assert done.code == 2
    assert done.err == "bylaw: asking this provider needs the package `anthropic`: pip install 'bylaw[anthropic]'\n"


def test_the_key_for_any_provider_comes_before_its_own(tmp_path: Path) -> None:
    pack(tmp_path)
    with ScriptedModel.from_answers({"status": 401, "times": "forever"}) as model:
        variables = {**model.environment, "REPLAYCI_PROVIDER_KEY": "broken key \x07"}
        done = run(tmp_path, "--provider", "openai", **variables)
        assert model.requests == ()
    assert done.code == 2
    assert "`REPLAYCI_PROVIDER_KEY` has characters that no key has" in done.err
