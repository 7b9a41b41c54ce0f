"""Our tests follow what the code does: they never put something in place of a part of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from .tree import Module, modules

PATCHES = {"setattr", "delattr", "setitem", "delitem", "patch", "object", "dict", "multiple"}


def patches(module: Module) -> Iterator[str]:
    ours = set(_ours(module))
    for node in module.nodes():
        if isinstance(node, ast.Call) and node.args and _is_patch(node.func) and _of_ours(node.args[0], ours):
            yield module.at(node.lineno)


def _ours(module: Module) -> Iterator[str]:
    """The names by which a file knows something of our package."""
    for node in module.nodes():
        if isinstance(node, ast.Import):
            yield from (alias.asname or "bylaw" for alias in node.names if alias.name.split(".")[0] == "bylaw")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bylaw":
            yield from (alias.asname or alias.name for alias in node.names)


def _is_patch(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "patch"
    if not isinstance(function, ast.Attribute) or function.attr not in PATCHES:
        return False
    return function.attr == "patch" or ast.unparse(function.value).split(".")[-1] in ("monkeypatch", "patch")


def _of_ours(target: ast.expr, ours: set[str]) -> bool:
    if isinstance(target, ast.Constant):
        return isinstance(target.value, str) and target.value.split(".")[0] == "bylaw"
    while isinstance(target, ast.Attribute):
        target = target.value
    return isinstance(target, ast.Name) and target.id in ours


@pytest.mark.parametrize(
    "text",
    [
        'monkeypatch.setattr("bylaw.plan.join", fake)',
        "from bylaw import plan\nmonkeypatch.setattr(plan, 'join', fake)",
        "import bylaw.plan\nmonkeypatch.setattr(bylaw.plan, 'join', fake)",
        '@mock.patch("bylaw.plan.join")\ndef test(): ...',
        "from bylaw.plan import Plan\nwith patch.object(Plan, 'cost'): ...",
    ],
)
def test_a_patch_of_ours_is_seen(text: str) -> None:
    assert list(patches(Module(text)))


@pytest.mark.parametrize("text", ["monkeypatch.setattr(tempfile, 'tempdir', x)", 'monkeypatch.setenv("HOME", "x")'])
def test_a_patch_of_something_else_is_fine(text: str) -> None:
    assert not list(patches(Module(text)))


def test_no_test_patches_our_own_modules() -> None:
    found = modules("tests")
    assert len(found) >= 30
    assert sum(bool(set(_ours(module))) for module in found) >= 25
    wrong = [place for module in found for place in patches(module)]
    assert not wrong, "\n".join(wrong)
