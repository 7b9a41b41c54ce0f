"""The page on contracts in application code and on traces is executed as it stands, block after block."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "responses.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def texts(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (contract,) = texts("yaml")
    (traces,) = texts("json")
    (tmp_path / "pack" / "contracts").mkdir(parents=True)
    (tmp_path / "pack" / "contracts" / "refund.yaml").write_text(contract)
    (tmp_path / "traces.json").write_text(traces)
    return tmp_path


@pytest.mark.parametrize("number", range(4))
def test_a_python_block_runs(number: int, place: Path) -> None:
    assert len(texts("python")) == 4
    ended = subprocess.run(
        [sys.executable, "-c", texts("python")[number]], cwd=place, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_the_commands_hold(place: Path) -> None:
    (shell,) = texts("sh")
    commands = [shlex.split(line) for line in shell.splitlines()]
    assert len(commands) == 3
    for program, *arguments in commands:
        assert program == "bylaw"
        ended = subprocess.run(
            [sys.executable, "-m", "bylaw", *arguments], cwd=place, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
