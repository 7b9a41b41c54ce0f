"""Where tools that no contract names are refused, naming one opens it; a comparison of bundles says so."""

from __future__ import annotations

import pytest

from bylaw.formats.bundles import Composed, compose
from bylaw.formats.bundles.differences import OPENED, SHUT, Differences, compare_bundles

from .bundles import post, pre, read_text, session, text_of

X = "{args.x: {gt: 1}}"
KNOWN = pre("known", X)
LIMITS = session("limits", "max_calls_per_tool: {mail: 5}")


def composed(*contracts: str, unmatched: str = "deny") -> Composed:
    text = text_of(*contracts).replace("{mode: enforce}", f"{{mode: enforce, unmatched: {unmatched}}}")
    bundle, found = read_text(text)
    assert bundle is not None, found
    return compose([bundle])


def compared(old: list[str], new: list[str]) -> Differences:
    return compare_bundles(composed(KNOWN, *old), composed(KNOWN, *new))


def openings(found: Differences) -> list[tuple[str, str, tuple[str, ...]]]:
    """Each contract with its direction and the tools it opens."""
    return [
        (
            change.id,
            change.direction,
            tuple(tool for field in change.fields if field.field == OPENED for tool in field.new),
        )
        for change in found.contracts
    ]


@pytest.mark.parametrize(
    "contract",
    [
        pre("new", X, tool="tool: mail"),
        pre("new", X, tool="tools: [t, mail]"),
        pre("new", X, tool="tool: mail", more="mode: observe"),
        post("new", X, tool="tool: mail"),
        session("new", "max_calls_per_tool: {mail: 5}"),
    ],
    ids=["pre", "among others", "observed", "post", "limit"],
)
def test_a_contract_that_is_the_first_to_name_a_tool_opens_it(contract: str) -> None:
    assert openings(compared([], [contract])) == [("new", "loosened", ("mail",))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([], pre("new", "{args.y: {gt: 1}}")),
        ([], pre("new", X, tool='tool: "*"')),
        ([], pre("new", X, tool='tools: ["**"]')),
        ([LIMITS], pre("new", X, tool="tool: mail")),
        ([pre("all", X, tool='tools: ["m*"]')], pre("new", X, tool="tool: mail")),
    ],
    ids=["known", "every tool", "stars", "limited", "by a glob"],
)
def test_a_contract_on_a_tool_that_is_named_only_tightens(old: list[str], new: str) -> None:
    assert openings(compared(old, [*old, new])) == [("new", "tightened", ())]


def test_a_contract_that_is_not_enabled_opens_nothing() -> None:
    assert openings(compared([], [pre("new", X, tool="tool: mail", more="enabled: false")])) == [
        ("new", "changed", ())
    ]


def test_more_tools_on_a_contract_open_them() -> None:
    changed = compared([pre("a", X, tool="tool: u")], [pre("a", X, tool="tools: [u, mail]")])
    assert openings(changed) == [("a", "loosened", ("mail",))]


@pytest.mark.parametrize("contract", [pre("old", X, tool="tool: mail"), LIMITS], ids=["pre", "limit"])
def test_a_tool_that_nothing_names_any_more_is_refused(contract: str) -> None:
    (change,) = compared([contract], []).contracts
    assert (change.what, change.direction) == ("removed", "tightened")
    assert [(field.field, field.new) for field in change.fields] == [(SHUT, ("mail",))]


def test_where_unnamed_tools_are_allowed_a_new_contract_tightens() -> None:
    old, new = (
        composed(KNOWN, unmatched="allow"),
        composed(KNOWN, pre("new", X, tool="tool: mail"), unmatched="allow"),
    )
    assert openings(compare_bundles(old, new)) == [("new", "tightened", ())]
