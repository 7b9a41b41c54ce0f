"""Characters that nobody sees, in names that are compared as they are."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from bylaw.errors import Span
from bylaw.formats.bundles.documents import Contract, Post, Pre, Session
from bylaw.language.expressions import leaves
from bylaw.language.selectors import without_view
from bylaw.reader import ListNode, MapNode, Problems

_UNSEEN = frozenset({"Cf", "Cc", "Zl", "Zp"})


def lint_lettering(contract: Contract, problems: Problems) -> None:
    for name, where in _names(contract):
        if name != visible_name(name):
            problems.add(
                "invisible-character",
                f"{_shown(name)} has a blank at an end or a character that nobody sees, and counts as another name",
                where,
                hint=f"write `{visible_name(name)}`",
                level="warning",
            )


def visible_name(name: str) -> str:
    """What a reader takes a name for."""
    seen = "".join(letter for letter in name if unicodedata.category(letter) not in _UNSEEN)
    return "".join(" " if unicodedata.category(letter) == "Zs" else letter for letter in seen).strip()


def _shown(name: str) -> str:
    return "`" + name.encode("ascii", "backslashreplace").decode() + "`"


def _names(contract: Contract) -> Iterator[tuple[str, Span]]:
    """Names of tools and fields, each with its place."""
    if isinstance(contract, Session):
        limits = contract.limits.at.get("max_calls_per_tool")
        for tool in contract.limits.max_calls_per_tool:
            yield tool, limits.where(tool) if isinstance(limits, MapNode) else contract.limits.at.span
    if not isinstance(contract, Pre | Post):
        return
    if contract.tool is not None:
        yield contract.tool, contract.where("tool")
    listed = contract.at.get("tools")
    for number, tool in enumerate(contract.tools):
        yield tool, listed.items[number].span if isinstance(listed, ListNode) else contract.where("tools")
    for leaf in leaves(contract.when):
        for part in without_view(leaf.selector).split("."):
            yield part, leaf.where
