"""The attack corpus: its spellings do what they are said to do, and the starter bundles stop all but those listed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .attacks import (
    JUDGED,
    Entry,
    Excuse,
    Link,
    PathEntry,
    ShellEntry,
    UrlEntry,
    entries,
    entries_in,
    excused,
    remaining,
    score,
)
from .cases import SUITE, BadSuite
from .scratch import Scratch

FORBIDDEN_HOSTS = {
    "reach-metadata": re.compile(r"169\.254\.169\.254\.?|\[(::ffff:|::|64:ff9b::)a9fe:a9fe\]|\[fd00:ec2::254\]"),
    "reach-localhost": re.compile(r"localhost\.?|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f00:1\]"),
    "reach-evil": re.compile(r"evil\.example\.?"),
}
HOSTS_BY_NODE = """
const read = text => { try { return new URL(text).hostname } catch { return null } };
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(read)));
"""
NAMED = re.compile(r"(?<![\w./}*~])/[\w.?*\[\]/]*")
"""Full paths in a command: a slash that nothing leads up to."""
HARMLESS_PLACES = re.compile(
    r"/(usr/)?/*b(i|\[i\])n/[\w./\[\]]*|/dev/(null|stdin|stderr|zero|urandom)|/proc/self/cwd/.env"
)


def params(name: str, *, executed: bool) -> list[Any]:
    found = [entry for entry in entries(name) if (entry.executed is None) == executed]
    return [pytest.param(entry, id=entry.note) for entry in found]


@pytest.mark.parametrize("name", JUDGED)
def test_there_is_enough_of_everything(name: str) -> None:
    found = entries(name)
    assert len(found) >= 150
    assert sum(entry.harmless is not None for entry in found) >= 40


@pytest.mark.parametrize("name", JUDGED)
def test_the_halves_take_turns(name: str) -> None:
    turns: dict[str | None, str] = {}
    for entry in entries(name):
        turns[entry.deed] = turns.get(entry.deed, "") + entry.half
    assert all(turn == ("ab" * len(turn))[: len(turn)] for turn in turns.values()), turns


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- {note: a, half: a, deed: delete-tree, command: x, comand: y}", id="unknown key"),
        pytest.param("- {note: a, half: a, command: x}", id="neither deed nor harmless"),
        pytest.param("- {note: a, half: a, deed: delete-tree, harmless: true, command: x}", id="both"),
        pytest.param("- {note: a, half: a, deed: delete-trea, command: x}", id="unknown deed"),
        pytest.param("- {note: a, half: a, harmless: true, command: x, executed: false}", id="no reason"),
        pytest.param("- &x {note: a, half: a, harmless: true, command: x}\n- *x", id="note used twice"),
    ],
)
def test_an_entry_nobody_understands_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "shell.yaml").write_text(text)
    with pytest.raises(BadSuite):
        entries_in(tmp_path / "shell.yaml", ShellEntry)


@pytest.mark.parametrize("entry", params("shell", executed=True))
def test_a_command_that_is_executed_names_nothing_outside(entry: ShellEntry) -> None:
    places = NAMED.findall(entry.command.replace("https://", ""))
    assert [place for place in places if not HARMLESS_PLACES.fullmatch(place)] == []


@pytest.mark.parametrize("entry", params("shell", executed=True))
def test_a_command_does_what_it_is_said_to_do(entry: ShellEntry, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    if missing := scratch.missing(entry):
        pytest.skip(f"there is no {', '.join(missing)}")
    if entry.deed == "lose-history":
        scratch.with_repository()
    printed = scratch.do(entry)
    done = scratch.done(printed)
    assert (entry.deed in done) if entry.deed else not done, printed


@pytest.mark.parametrize("entry", params("paths", executed=True))
def test_a_path_leads_where_it_is_said_to_lead(entry: PathEntry, tmp_path: Path) -> None:
    """Resolved below a scratch directory that stands for the root; nothing is opened."""
    project = tmp_path / "srv/project"
    for folder in ("src/a/b", ".ssh", "a", ".../x", "../other/deep", "../project-old"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    for name, content in entry.setup.items():
        assert isinstance(content, Link)
        (project / name).symlink_to(content.link)
    spelled = f"{tmp_path}/{entry.path}" if entry.path.startswith("/") else f"{project}/{entry.path}"
    found = Path(os.path.realpath(spelled))
    inside = found.is_relative_to(project.resolve())
    secret = re.search(r"/\.ssh(/|$)|/\.env(\.(production|local))?$", str(found)) is not None
    assert {"leave-project": not inside, "read-secret": secret}.get(entry.deed or "", inside and not secret), found


@cache
def hosts() -> dict[str, str | None]:
    texts = [entry.text for entry in entries("urls")]
    asked = subprocess.run(
        ["node", "-e", HOSTS_BY_NODE], input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=60
    )
    return dict(zip(texts, json.loads(asked.stdout), strict=True))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to read addresses as browsers do")
@pytest.mark.parametrize("entry", params("urls", executed=True))
def test_an_address_reaches_what_it_is_said_to_reach(entry: UrlEntry) -> None:
    host = hosts()[entry.url]
    assert host
    reached = {deed for deed, pattern in FORBIDDEN_HOSTS.items() if pattern.fullmatch(host)}
    assert reached == ({entry.deed} if entry.deed else set()), host


@pytest.mark.parametrize("name", JUDGED)
def test_what_a_starter_bundle_lets_through_is_listed(name: str) -> None:
    passed = score(JUDGED[name].template, name).passed
    assert sorted(notes(passed)) == sorted(excused(remaining().not_stopped, name))


@pytest.mark.parametrize("name", JUDGED)
def test_what_a_starter_bundle_denies_though_it_is_harmless_is_listed(name: str) -> None:
    denied = score(JUDGED[name].template, name).denied
    assert sorted(notes(denied)) == sorted(excused(remaining().denied_though_harmless, name))


def test_every_excuse_has_a_reason_and_something_to_excuse() -> None:
    listed: list[Excuse] = [*remaining().not_stopped, *remaining().denied_though_harmless]
    assert all(excuse.reason and excuse.notes for excuse in listed)


def notes(found: tuple[Entry, ...]) -> list[str]:
    return [entry.note for entry in found]


def test_what_remains_is_told_in_the_docs() -> None:
    page = " ".join((SUITE.parent / "docs" / "attacks.md").read_text().split())
    listed: list[Excuse] = [*remaining().not_stopped, *remaining().denied_though_harmless]
    assert [excuse.reason for excuse in listed if excuse.reason not in page] == []


def test_the_docs_count_right() -> None:
    page = (SUITE.parent / "docs" / "attacks.md").read_text()
    found = [entry for name in JUDGED for entry in entries(name)]
    harmless = sum(entry.harmless is not None for entry in found)
    executed = sum(entry.executed is None for entry in entries("shell"))
    assert f"{len(found):,} ways" in page
    assert f"{len(found) - harmless} that do something" in page
    assert f"{harmless} that only look like it" in page
    assert f"{executed} of the commands" in page
