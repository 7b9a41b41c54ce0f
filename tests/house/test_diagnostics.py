"""Every code a diagnostic can carry has a row in `docs/diagnostics.md`, and every row a code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .tree import ROOT, Module, modules

PAGE = ROOT / "docs" / "diagnostics.md"
CODE = re.compile(r"[a-z]+(-[a-z]+)*")
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def calls(module: Module, name: str) -> Iterator[ast.Call]:
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called == name:
                yield node


def codes(module: Module, unique_keys: frozenset[str]) -> Iterator[str]:
    """The codes of all `problems.add("code", …)`; one that ends in a list's unique key stands for each such key."""
    for call in calls(module, "add"):
        if not (isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).split(".")[-1] == "problems"):
            continue
        match call.args[0]:
            case ast.Constant(value=str(code)):
                yield code
            case ast.JoinedStr(values=[ast.Constant(value=str(start)), ast.FormattedValue()]):
                yield from (f"{start}{key}" for key in unique_keys)
            case other:
                raise AssertionError(
                    f"{module.at(call.lineno)}: `{ast.unparse(other)}` is no code that can be listed"
                )


def unique_keys() -> frozenset[str]:
    return frozenset(
        keyword.value.value
        for module in modules("src")
        for call in calls(module, "Items")
        for keyword in call.keywords
        if keyword.arg == "unique"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    )


def used() -> frozenset[str]:
    keys = unique_keys()
    return frozenset(code for module in modules("src") for code in codes(module, keys))


def test_codes_are_found() -> None:
    sample = Module(
        'problems.add("a", m, w)\nself.problems.add("b", m, w)\nseen.add("c")\nproblems.add(f"twice-{key}", m, w)'
    )
    assert set(codes(sample, frozenset({"id", "name"}))) == {"a", "b", "twice-id", "twice-name"}


def test_every_code_is_a_kebab_word() -> None:
    assert len(used()) >= 40
    wrong = [code for code in sorted(used()) if not CODE.fullmatch(code)]
    assert not wrong, "\n".join(wrong)


def test_every_code_is_explained_and_every_explanation_is_used() -> None:
    rows = [row[1] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(rows) >= 40
    assert len(rows) == len(set(rows))
    assert used() - set(rows) == set(), "used, not explained"
    assert set(rows) - used() == set(), "explained, not used"
