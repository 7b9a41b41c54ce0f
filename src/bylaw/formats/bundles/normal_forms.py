"""What a rule looks for in a view, and the view never shows: it gives a normal form, and this is another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from bylaw.formats.bundles.documents import Post, Pre
from bylaw.language.expressions import Leaf, leaves
from bylaw.language.selectors import split_view
from bylaw.language.views import VIEWS, Unreadable
from bylaw.reader import Problems

_NOTATION = frozenset("<>$")
"""What the view of a command writes for what the command does not say itself, such as `<unknown>`."""

_WHOLE = ("equals", "not_equals", "in", "not_in")
_BEFORE = ("", "x", "1", "x.", "/", "x/", "http://")
_AFTER = ("", "x", "1", ":1", ".1", "/x")


def lint_normal_forms(contract: Pre | Post, problems: Problems) -> None:
    for leaf in leaves(contract.when):
        view = split_view(leaf.selector)[1]
        if not view:
            continue
        for written in leaf.operand if isinstance(leaf.operand, tuple) else (leaf.operand,):
            if isinstance(written, str) and written and not _can_show(written, leaf, view):
                meant = _meant(written, leaf, view)
                problems.add(
                    "not-normal",
                    f"`| {view}` never shows `{written}`, so it is compared in vain",
                    leaf.where,
                    hint=f"it shows `{meant}`" if meant else "",
                    level="warning",
                )


def _meant(written: str, leaf: Leaf, view: str) -> str:
    if _can_show(written.lower(), leaf, view):
        return written.lower()
    return next(iter(_shown(written, view)), "")


def _can_show(written: str, leaf: Leaf, view: str) -> bool:
    if view == "argv" and not _NOTATION.isdisjoint(written):
        return True
    if leaf.operator in _WHOLE:
        return written in _shown(written, view)
    return any(
        _is_in(written, text, leaf.operator) for whole in _wholes(written, view) for text in _shown(whole, view)
    )


def _wholes(written: str, view: str) -> Iterator[str]:
    """Values that a part may belong to. A command is told by how it begins, so only its end is open."""
    if view != "argv":
        yield from (f"{before}{written}{after}" for before, after in product(_BEFORE, _AFTER))
        return
    yield from (written, f"{written} x")
    program, _, arguments = written.partition(" ")
    if not arguments or not program or not program[0].isalnum():
        yield from (f"x {written}", f"x {written} x", f"x{written}", f"{written}x")


def _is_in(written: str, text: str, operator: str) -> bool:
    match operator:
        case "starts_with":
            return text.startswith(written)
        case "ends_with":
            return text.endswith(written)
        case _:
            return written in text


def _shown(value: str, view: str) -> tuple[str, ...]:
    try:
        return VIEWS[view](value)
    except Unreadable:
        return ()
