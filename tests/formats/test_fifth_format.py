"""A format is one module of its room: one more file there, and every command knows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import bylaw

GREETING = '''
"""Greetings: a file that says what an agent must have said."""

from bylaw.agents.recorded import Recorded
from bylaw.checks import ItemCheck
from bylaw.checks.answers import Contains
from bylaw.evidence import Evidence
from bylaw.formats.format import Format
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.reader import Document, read, schema
from bylaw.scoring import AllHold
from bylaw.verdict import Item


class Greeting(Document, frozen=True, kw_only=True):
    greeting: str
    said: str


def _plan(source, context):
    found = read(Greeting, source.root, context.problems)
    if found is None:
        return None
    trial = Trial(id=f"{source.path}#it", subject=Recorded(evidence=Evidence(output=found.said)))
    item = Item(id="greets", kind="greeting", where=found.at.span)
    check = ItemCheck(item=item, demand=Contains(value=found.greeting))
    cell = Cell(id=trial.id, check=check, trials=(trial.id,), fold=AllHold())
    return Plan(trials=(trial,), root=Group(id=str(source.path), title="greeting", fold=AllHold(), members=(cell,)))


FORMAT = Format(
    name="greeting",
    title="Greeting",
    claims=lambda root, _: "greeting" in root.entries,
    plan=_plan,
    schema=lambda: schema(Greeting, title="Greeting"),
)
'''


def with_format(module: str, directory: Path) -> None:
    (package,) = bylaw.__path__
    shutil.copytree(package, directory / "bylaw", ignore=shutil.ignore_patterns("__pycache__"))
    (directory / "bylaw" / "formats" / "greeting.py").write_text(module)


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command out of a package that was copied into the directory."""
    return subprocess.run(
        [sys.executable, "-m", "bylaw", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fifth_format_is_one_module(tmp_path: Path) -> None:
    with_format(GREETING, tmp_path)
    (tmp_path / "polite.yaml").write_text("{ greeting: hello, said: Hello there. }")
    (tmp_path / "rude.yaml").write_text("{ greeting: hello, said: What? }")
    (tmp_path / "wrong.yaml").write_text("{ greeting: hello, sad: What? }")
    assert command("run", "polite.yaml", cwd=tmp_path).returncode == 0
    assert command("run", "rude.yaml", cwd=tmp_path).returncode == 1
    wrong = command("validate", "wrong.yaml", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "did you mean `said`?" in wrong.stderr
    assert '"title": "Greeting"' in command("schema", "greeting", cwd=tmp_path).stdout


def test_a_format_that_breaks_is_told_in_full_and_decides_nothing(tmp_path: Path) -> None:
    with_format(GREETING.replace('"greeting" in root.entries', "1 / 0"), tmp_path)
    (tmp_path / "foreign.yaml").write_text("a: b")
    done = command("run", "foreign.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.endswith("bylaw: this is a defect of bylaw; nothing was decided\n")
