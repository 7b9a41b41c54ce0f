"""Nothing that went wrong is lost: what is passed over says why, and what catches everything is a border."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from .suppressions import reason_for
from .tree import Module, modules

EVERYTHING = {"Exception", "BaseException"}


def swallowed(module: Module) -> Iterator[str]:
    for node in module.nodes():
        if isinstance(node, ast.ExceptHandler):
            if not _handled(module, node):
                yield module.at(node.lineno)
        elif isinstance(node, ast.Call) and _name(node.func) == "suppress" and not _explained(module, node.lineno):
            yield module.at(node.lineno)


def _handled(module: Module, handler: ast.ExceptHandler) -> bool:
    line = handler.lineno
    if handler.type is None:
        return False
    if _broad(handler.type):
        return _raises(handler, module) or bool(reason_for("BLE001", module.comments.get(line, "")))
    return (
        not all(map(_quiet, handler.body)) or _explained(module, line) or _explained(module, handler.body[0].lineno)
    )


def _raises(handler: ast.ExceptHandler, module: Module) -> bool:
    """Always, or under a condition that is explained."""
    sometimes = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
    return isinstance(handler.body[-1], ast.Raise) or (sometimes and _explained(module, handler.lineno))


def _quiet(statement: ast.stmt) -> bool:
    dots = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return dots or isinstance(statement, ast.Pass | ast.Continue)


def _broad(caught: ast.expr) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(_name(kind) in EVERYTHING for kind in kinds)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _explained(module: Module, line: int) -> bool:
    """By a comment on the line, one that stands alone above it, or a docstring that ends there."""
    above = module.lines[line - 2].strip() if line > 1 else ""
    return line in module.comments or above.startswith("#") or above.endswith('"""')


CAUGHT = [
    "try: x()\nexcept: raise",
    "try: x()\nexcept ValueError: pass",
    "try: x()\nexcept ValueError:\n    ...",
    "for y in z:\n    try: x()\n    except (KeyError, ValueError): continue",
    "with suppress(OSError):\n    x()",
    "with contextlib.suppress(OSError):\n    x()",
    "try: x()\nexcept Exception as error:\n    y = error",
    "try: x()\nexcept Exception as error:  # noqa: BLE001\n    y = error",
    "try: x()\nexcept (OSError, BaseException):  # we don't mind\n    y = 1",
]
FINE = [
    "try: x()\nexcept ValueError: y()",
    "try: x()\nexcept ValueError:\n    pass  # it was gone before",
    "# it was gone before\nwith suppress(OSError):\n    x()",
    "with suppress(OSError):  # it was gone before\n    x()",
    "try: x()\nexcept BaseException:\n    undo()\n    raise",
    "try: x()\nexcept Exception as error:  # noqa: BLE001 (a rule may raise anything)\n    y = error",
    "try: x()\nexcept Exception:  # lost as any other answer is\n    if y:\n        raise",
]


@pytest.mark.parametrize("text", CAUGHT)
def test_a_swallowed_exception_is_seen(text: str) -> None:
    assert list(swallowed(Module(text)))


@pytest.mark.parametrize("text", FINE)
def test_a_handled_exception_is_none(text: str) -> None:
    assert not list(swallowed(Module(text)))


def test_no_exception_is_swallowed() -> None:
    found = modules("src", "benchmarks", "examples")
    handlers = sum(isinstance(node, ast.ExceptHandler) for module in found for node in module.nodes())
    assert handlers >= 60
    wrong = [place for module in found for place in swallowed(module)]
    assert not wrong, "\n".join(wrong)
