"""The guard's pages are executed as they stand, block after block."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("page", "file"),
    [
        ("callguard.md", "bundle.yaml"),
        ("observe-first.md", "exports.yaml"),
        ("guard-in-python.md", "support.yaml"),
    ],
)
def test_a_page_does_what_it_shows(page: str, file: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall((DOCS / page).read_text())
    first, *others = [text for language, text in blocks if language == "yaml"]
    bundles = {file: first} | {f"other-{number}.yaml": text for number, text in enumerate(others, 1)}
    for name, yaml in bundles.items():
        (tmp_path / name).write_text(yaml)
        run = subprocess.run(
            [sys.executable, "-m", "bylaw", "run", name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
    python = [text for language, text in blocks if language == "python"]
    assert python
    for text in python:
        ended = subprocess.run(
            [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("template", ["files", "shell", "devops", "research", "payments"])
def test_a_starter_bundle_does_what_its_examples_say(template: str, tmp_path: Path) -> None:
    def bylaw(*arguments: str) -> subprocess.CompletedProcess[str]:
        run = [sys.executable, "-m", "bylaw", *arguments]
        return subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert bylaw("init", "--template", template).returncode == 0
    ran = bylaw("run", f"{template}.yaml")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    again = bylaw("init", "--template", template)
    assert again.returncode == 2
    assert "is there already" in again.stderr
