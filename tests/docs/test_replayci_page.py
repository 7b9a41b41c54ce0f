"""The page on packs names everything a pack may say, and its commands do what it says of them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bylaw.cli.packing.settings import FILES, ProjectFile
from bylaw.formats.packs.allowlist import Accepted
from bylaw.formats.packs.documents import (
    ERROR_CLASSES,
    NOT_JUDGED,
    AllowedError,
    Assertions,
    ContractFile,
    GoldenCase,
    OnRateLimit,
    RateLimits,
    Retries,
    Timeouts,
)
from bylaw.formats.packs.roots import PackFile
from bylaw.language.operators import JSON
from bylaw.models import PROVIDERS
from bylaw.observe.pins import Pins
from bylaw.reader import Document, Problems, parse, read
from bylaw.reader.documents import fields_of
from bylaw.testing import ScriptedModel
from bylaw.wire import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "replayci.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAID = set(re.findall(r"[\w.-]+", PAGE))
DOCUMENTS: list[type[Document]] = [
    Accepted,
    AllowedError,
    Assertions,
    ContractFile,
    GoldenCase,
    OnRateLimit,
    PackFile,
    Pins,
    ProjectFile,
    RateLimits,
    Retries,
    Timeouts,
]
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "a refund for A-17"}]}


def commands() -> list[str]:
    return [line for language, text in BLOCK.findall(PAGE) if language == "sh" for line in text.splitlines()]


def bylaw(line: str, *, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    _, *arguments = shlex.split(line)
    environment = {**os.environ, **variables}
    run = [sys.executable, "-m", "bylaw", *arguments]
    return subprocess.run(run, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.__name__)
def test_every_key_is_on_the_page(document: type[Document]) -> None:
    assert fields_of(document).keys() - SAID == set()


def test_every_word_is_on_the_page() -> None:
    for words in (ERROR_CLASSES, NOT_JUDGED, JSON.operators, PROVIDERS, KINDS, FILES):
        assert words
        assert set(words) - SAID - {name for name in words if f"`{name}`" in PAGE} == set()


def test_the_other_files_of_a_pack_are_read_as_they_stand() -> None:
    pins, project = (text for language, text in BLOCK.findall(PAGE) if language == "yml")
    for text, document in ((pins, Pins), (project, ProjectFile)):
        problems = Problems()
        root = parse(text, file="page", problems=problems)
        assert root is not None
        read(document, root, problems)
        assert not problems.all
    case, accepted = (msgspec.json.decode(text) for language, text in BLOCK.findall(PAGE) if language == "json")
    assert case.keys() == {"boundary", "request", "response"}
    assert accepted[0].keys() == fields_of(Accepted).keys()


def test_the_commands_have_options_that_there_are(tmp_path: Path) -> None:
    shown = {
        name: bylaw(f"bylaw pack {name} --help", cwd=tmp_path).stdout
        for name in ("run", "observe", "promote", "drift")
    }
    lines = commands()
    assert len(lines) >= 10
    for line in lines:
        told = shown[line.split()[2]]
        assert [option for option in re.findall(r"--[\w-]+", line) if option not in told] == [], line


def test_drafts_are_observed_judged_and_promoted_as_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "requests").mkdir()
    (tmp_path / "requests/refund.json").write_bytes(msgspec.json.encode(REQUEST))
    section = PAGE.split("## Drafts")[1].split("## Drift")[0]
    observe, run, promote, again = BLOCK.findall(section)[0][1].splitlines()
    with ScriptedModel.from_answers(
        {"tool_calls": [{"name": "issue_refund", "arguments": {"order": "A-17"}}]}
    ) as model:
        seen = bylaw(observe, cwd=tmp_path, **model.environment)
    assert (seen.returncode, seen.stderr) == (0, "")
    judged = bylaw(run, cwd=tmp_path)
    assert (judged.returncode, "NOTHING IS ENFORCED" in judged.stdout) == (0, True)
    assert bylaw(promote, cwd=tmp_path).returncode == 0
    held = bylaw(again, cwd=tmp_path)
    assert (held.returncode, "HELD: everything that was enforced holds." in held.stdout) == (0, True)
    (tmp_path / "packs/seen/golden/refund.success.json").write_text('{"response": {"content": "no"}}')
    (tmp_path / "packs/seen/recordings/refund.success.recording.json").unlink()
    assert bylaw(again, cwd=tmp_path).returncode == 1
