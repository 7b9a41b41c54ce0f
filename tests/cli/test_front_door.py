"""What somebody meets who does not know the command yet, or mistypes it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from bylaw.formats import formats

from .command import bylaw


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_the_commands_and_the_exit_codes(flag: str, tmp_path: Path) -> None:
    done = bylaw(flag, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert all(word in done.out for word in ("run", "validate", "schema"))
    assert "0 held, 1 broken, 2 misuse or invalid file, 3 undecided" in done.out


def test_every_command_has_help(tmp_path: Path) -> None:
    listed = bylaw("--help", cwd=tmp_path).out.partition("Commands:\n")[2]
    commands = re.findall(r"^  (\S+)  ", listed, re.MULTILINE)
    assert {"run", "validate", "schema"} <= set(commands)
    for command in commands:
        done = bylaw(command, "--help", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"Usage: bylaw {command}")


def test_groups_of_commands_say_what_each_is_for(tmp_path: Path) -> None:
    assert "\n  verify  find records that were changed, removed or moved\n" in bylaw("audit", "-h", cwd=tmp_path).out


def test_the_help_of_schema_lists_the_formats(tmp_path: Path) -> None:
    said = bylaw("schema", "--help", cwd=tmp_path).out
    assert all(f"\n    {name:<10}  {known.title}\n" in said for name, known in formats().items())


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    done = bylaw("--version", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, f"bylaw {version('bylaw')}\n", "")


def test_the_module_is_the_same_command(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "bylaw", "--version"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode() == bylaw("--version", cwd=tmp_path).out


def test_no_command_shows_the_help_and_is_misuse(tmp_path: Path) -> None:
    done = bylaw(cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Commands" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["juggle"], "No such command 'juggle'"),
        (["run"], "Missing argument 'PATHS...'"),
        (["validate"], "Missing argument 'PATHS...'"),
        (["run", "--jobs", "0", "x.yaml"], "0 is not in the range x>=1"),
        (["run", "--seed", "lucky", "x.yaml"], "'lucky' is not a valid integer"),
        (["run", "--jason", "x.yaml"], "No such option"),
        (["schema", "openapi"], "'openapi' is not one of"),
    ],
)
def test_words_that_mean_nothing_are_misuse(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = bylaw(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
