"""Whole runs: in this process, out of the journal, and by the installed command; all must come to the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bylaw.formats import load_paths
from bylaw.journal import read_journal

from .cases import RunCase, of_kind
from .gaps import along
from .results import differences, from_events, from_json
from .roads import command, paths, run_plan, write


@pytest.mark.parametrize("case", along("engine", of_kind(RunCase)))
def test_a_run_in_this_process_and_its_journal(
    case: RunCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(case.files, tmp_path)
    monkeypatch.chdir(tmp_path)
    loaded = load_paths(paths(case.run), seed=case.seed)
    assert [str(found) for found in loaded.diagnostics if found.level == "error"] == []
    result = run_plan(loaded.plan, journal=tmp_path / ".journal", seed=case.seed)
    wrong = differences(result, case.wanted)
    assert not wrong, "\n".join(wrong)
    assert from_events(read_journal(tmp_path / ".journal")) == result


@pytest.mark.parametrize("case", along("cli", of_kind(RunCase)))
def test_a_run_of_the_command(case: RunCase, tmp_path: Path) -> None:
    write(case.files, tmp_path)
    done = command("run", *case.run, "--json", "--seed", str(case.seed), directory=tmp_path)
    assert done.returncode == case.wanted.exit, done.stderr.decode()
    result = from_json(msgspec.json.decode(done.stdout), done.returncode)
    wrong = differences(result, case.wanted)
    assert not wrong, "\n".join(wrong)
