"""Words that promise work, or praise it, in place of doing it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .tree import ROOT, files

PROMISES = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
PRAISE = re.compile(r"\b(?:comprehensive(?:ly)?|robust(?:ly|ness)?|seamless(?:ly)?)\b", re.IGNORECASE)


def read_by_people(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return name.startswith(("src/", "docs/", "examples/", "changelog.d/")) or (
        "/" not in name and path.suffix == ".md"
    )


def banned(text: str) -> list[tuple[int, str]]:
    return [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if PROMISES.search(line) or PRAISE.search(line)
    ]


@pytest.mark.parametrize("text", ["# TODO: later", "a Robust parser", "works seamlessly"])
def test_a_banned_word_is_seen(text: str) -> None:
    assert banned(text)


def test_no_banned_word_is_written() -> None:
    read = [path for path in files() if read_by_people(path)]
    assert len(read) >= 100
    assert {path.name for path in read} >= {"README.md", "CONTRIBUTING.md", "diagnostics.md"}
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in read
        for number, line in banned(path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)
