"""Wherever the exit codes are written down, they are those the command exits with."""

from __future__ import annotations

import re

import pytest

from bylaw.report.exit import ExitCode

from .tree import ROOT, files

STATEMENT = re.compile(
    r"\b0 (?P<_0>[a-z ]+?) ?[·,;] 1 (?P<_1>[a-z ]+?) ?[·,;] 2 (?P<_2>[a-z ]+?) ?[·,;] 3 (?P<_3>[a-z]+)"
)


def agrees(statement: re.Match[str]) -> bool:
    return all(code.name in statement[f"_{code.value}"].split() for code in ExitCode)


@pytest.mark.parametrize(
    "text",
    ["0 held, 1 undecided, 2 invalid, 3 broken", "0 held · 1 broken · 2 misuse · 3 undecided"],
)
def test_a_wrong_statement_is_seen(text: str) -> None:
    found = STATEMENT.search(text)
    assert found is not None
    assert not agrees(found)


def test_every_statement_of_the_exit_codes_is_true() -> None:
    assert len(ExitCode) == 4
    found = {
        path.relative_to(ROOT).as_posix(): statement
        for path in files()
        if path.suffix in (".md", ".py") and "tests" not in path.relative_to(ROOT).parts
        for statement in STATEMENT.finditer(" ".join(path.read_text(encoding="utf-8").split()))
    }
    assert "src/bylaw/cli/entry.py" in found
    assert any(name.startswith("docs/") or name == "README.md" for name in found)
    wrong = [f"{name}: {statement[0]}" for name, statement in found.items() if not agrees(statement)]
    assert not wrong, "\n".join(wrong)
