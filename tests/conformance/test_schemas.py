"""The schema an editor has: it accepts every file that a case runs, and refuses what the loader refuses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bylaw.formats import formats
from bylaw.reader import MapNode, Problems, parse, plain

from .cases import Case, DiagnosticsCase, RunCase, of_kind

EXAMPLES = Path(__file__).parents[2] / "examples"
SEEN_BY_A_SCHEMA = frozenset(
    {"unknown-key", "not-a-choice", "too-few", "too-short", "too-long", "out-of-range", "unknown-operator"}
)


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(formats()[name].schema())


def contracts(files: dict[str, str]) -> Iterator[tuple[str, str, Any]]:
    """Of some files those of a format: name, format, data."""
    for name, text in files.items():
        root = parse(text, file=name, problems=Problems()) if name.endswith((".yaml", ".yml")) else None
        if isinstance(root, MapNode):
            for known in formats().values():
                if known.claims(root, Path(name)):
                    yield name, known.name, plain(root)


def texts(case: Case) -> dict[str, str]:
    """The files a case writes itself, without those that lie where nobody looks."""
    found = {name: text for name, text in case.files.items() if isinstance(text, str)}
    return {name: text for name, text in found.items() if not name.startswith((".", "node_modules/"))}


def good() -> Iterator[Any]:
    for case in (*of_kind(RunCase), *(case for case in of_kind(DiagnosticsCase) if case.valid)):
        for name, known, data in contracts(texts(case)):
            yield pytest.param(known, data, id=f"{case.note}: {name}")
    for path in sorted(EXAMPLES.rglob("*.y*ml")):
        for name, known, data in contracts({str(path.relative_to(EXAMPLES)): path.read_text()}):
            yield pytest.param(known, data, id=f"example {name}")


def bad() -> Iterator[Any]:
    for case in of_kind(DiagnosticsCase):
        for name, known, data in contracts(texts(case)):
            said = [wanted for wanted in case.wanted.diagnostics if wanted.file in (None, name)]
            if name in case.validate and SEEN_BY_A_SCHEMA & {wanted.code for wanted in said}:
                yield pytest.param(known, data, id=f"{case.note}: {name}")


GOOD, BAD = list(good()), list(bad())


@pytest.mark.parametrize(("known", "data"), GOOD)
def test_a_good_file_is_accepted(known: str, data: Any) -> None:
    assert [error.message for error in validator(known).iter_errors(data)] == []


@pytest.mark.parametrize(("known", "data"), BAD)
def test_a_bad_file_is_refused(known: str, data: Any) -> None:
    assert not validator(known).is_valid(data)


def test_there_is_something_of_every_format_to_look_at() -> None:
    for found in (GOOD, BAD):
        assert {param.values[0] for param in found} == set(formats())
