"""News is written with the change: a fragment per change set, a line per change."""

from __future__ import annotations

import re

import pytest

from .tree import ROOT

FOLDER = ROOT / "changelog.d"
NAME = re.compile(r"(?:[0-9]+|\+[a-z0-9-]+)\.md")


def faults(name: str, text: str) -> list[str]:
    found = [] if NAME.fullmatch(name) else ["is not named for an issue (`12.md`) or a subject (`+words.md`)"]
    if not text.strip():
        return [*found, "is empty"]
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            found.append(f"line {number} is blank")
        elif line.startswith((" ", "#", "- ", "* ")):
            found.append(f"line {number} is not a plain sentence")
    return found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("news.txt", "Something new.\n"),
        ("+new.md", "\n"),
        ("+new.md", "# New\n"),
        ("+new.md", "One thing.\n\nAnother.\n"),
        ("+new.md", "One thing that\n  goes on.\n"),
    ],
)
def test_a_fragment_that_can_t_be_collected_is_seen(name: str, text: str) -> None:
    assert faults(name, text)


def test_every_fragment_can_be_collected() -> None:
    fragments = [path for path in FOLDER.iterdir() if path.name != "README.md"]
    assert fragments or (ROOT / "CHANGELOG.md").exists()
    wrong = [f"{path.name} {fault}" for path in fragments for fault in faults(path.name, path.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)
