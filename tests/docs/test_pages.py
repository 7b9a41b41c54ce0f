"""Everything shown in the README and the docs runs."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bylaw.checks import CHECKS
from bylaw.formats import load_paths
from bylaw.language.operators import JSON
from bylaw.reader.documents import fields_of

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(page, language, text, id=f"{page.name}-{number}")
    for page in PAGES
    for number, (language, text) in enumerate(BLOCK.findall(page.read_text()), 1)
    if not text.startswith(("quiz:", "kind: bylaw/model-script"))  # no contracts; the tests of their pages run them
]


def blocks(language: str) -> list[object]:
    found = [block for block in BLOCKS if block.values[1] == language]
    assert found, f"no {language} block in any page"
    return list(found)


@pytest.mark.parametrize(("page", "language", "text"), blocks("yaml"))
def test_a_yaml_block_is_a_valid_contract(page: Path, language: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "contract.yaml"
    file.write_text(text)
    assert [str(found) for found in load_paths([file]).diagnostics] == []


@pytest.mark.parametrize(("page", "language", "text"), blocks("console"))
def test_a_transcript_shows_what_its_command_prints(page: Path, language: str, text: str) -> None:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    if all(line.startswith("$ make") for line in commands):
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert all(line.split()[2] in targets for line in commands)
        return
    (command,) = commands
    program, *arguments = shlex.split(command[2:])
    assert program == "bylaw"
    ended = subprocess.run(
        [sys.executable, "-m", "bylaw", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    shown = text.split("\n", 1)[1]
    assert _timeless(ended.stdout) == _timeless(shown)


def _timeless(text: str) -> str:
    return re.sub(r"[\d.]+ m?s$", "TIME", text, flags=re.MULTILINE)


def test_the_readmes_python_runs() -> None:
    (text,) = [text for language, text in BLOCK.findall((ROOT / "README.md").read_text()) if language == "python"]
    ended = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == [
        "ran ls -l",
        "no-shell-deletes says no: 'sudo env X=1 rm --force --recursive /srv' deletes whole directories.",
    ], ended.stderr


def test_a_format_is_one_module(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "adding-a-format.md").read_text()
    found = dict(BLOCK.findall(page))
    shutil.copytree(ROOT / "src" / "bylaw", tmp_path / "copy" / "bylaw", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "copy" / "bylaw" / "formats" / "quiz.py").write_text(found["python"])
    (tmp_path / "capitals.yaml").write_text(found["yaml"])

    def bylaw(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PYTHONPATH": str(tmp_path / "copy"), "PATH": "/usr/bin:/bin"}
        run = [sys.executable, "-m", "bylaw", *arguments]
        return subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    held = bylaw("run", "capitals.yaml")
    assert (held.returncode, held.stderr) == (0, "")
    assert "1 passed" in held.stdout
    (tmp_path / "capitals.yaml").write_text(found["yaml"].replace("answer: paris", "answer: rome"))
    assert bylaw("run", "capitals.yaml").returncode == 1
    (tmp_path / "capitals.yaml").write_text(found["yaml"].replace("ask:", "aks:"))
    assert "did you mean `ask`?" in bylaw("run", "capitals.yaml").stderr
    assert '"title": "Quiz"' in bylaw("schema", "quiz").stdout


def test_every_check_and_field_is_documented() -> None:
    page = (ROOT / "docs" / "checks.md").read_text()
    rows = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, re.MULTILINE)}
    assert rows.keys() == CHECKS.keys() | {"policy"}
    for name, demand in CHECKS.items():
        documented = set(re.findall(r"`(\w+)`", rows[name].split("(")[0] + rows[name].rpartition(")")[2]))
        assert documented == set(fields_of(demand)), name


def test_every_operator_is_documented() -> None:
    page = (ROOT / "docs" / "checks.md").read_text()
    section = page.split("## Operators in assertions")[1].split("A\nmissing path")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(JSON.operators)
