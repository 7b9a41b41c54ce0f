"""Imports point down, and the way to a decision about a call loads nothing that talks to the world."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .tree import ROOT, modules

WORLDLY = re.compile(
    r"(?:asyncio|concurrent|dbm|ftplib|http|imaplib|multiprocessing|poplib|selectors|smtplib|socket|socketserver|sqlite3"
    r"|ssl|subprocess|telnetlib|urllib\.(?:error|request)|wsgiref|xmlrpc)(?:\..*)?"
)
LIBRARIES = {
    "bylaw": frozenset[str](),
    "bylaw.policy": frozenset({"msgspec", "typing_extensions", "yaml", "re2"}),
    "bylaw.language": frozenset({"msgspec", "typing_extensions", "yaml", "re2"}),
}
"""What is loaded beside the standard library: values, YAML and bounded regular expressions."""

OF_EXTENSION_MODULES = re.compile(r"_?cython_.*")

LISTING = """
import sys
before = set(sys.modules)
for name in sys.argv[1:]:
    __import__(name)
print(*sorted(set(sys.modules) - before))
"""


def loaded_with(*names: str) -> set[str]:
    shown = subprocess.run([sys.executable, "-c", LISTING, *names], capture_output=True, check=True, text=True)
    return set(shown.stdout.split())


def below(room: str) -> list[str]:
    """The room and every module in it."""
    return [module.name for module in modules("src") if f"{module.name}.".startswith(f"{room}.")]


@pytest.mark.parametrize("room", LIBRARIES)
def test_what_a_decision_needs_is_light(room: str) -> None:
    names = [room] if room == "bylaw" else below(room)
    loaded = loaded_with(*names)
    assert loaded >= set(names)
    tops = {name.partition(".")[0] for name in loaded}
    foreign = {top for top in tops - sys.stdlib_module_names if not OF_EXTENSION_MODULES.fullmatch(top)}
    assert foreign <= LIBRARIES[room] | {"bylaw"}
    assert [name for name in sorted(loaded) if WORLDLY.fullmatch(name)] == []


def test_the_layers_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, check=False, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    analyzed = re.search(r"Analyzed (\d+) files", ended.stdout)
    assert analyzed is not None
    assert int(analyzed[1]) >= 60


def test_no_room_is_left_out_of_the_layers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = [contract for contract in settings["contracts"] if contract["type"] == "layers"]
    assert layers["exhaustive"]
    assert layers["containers"] == [settings["root_package"]] == ["bylaw"]
    assert len(layers["layers"]) >= 15
