"""The call that is made to show that a contract can fire, and why there is none."""

from __future__ import annotations

import pytest

from bylaw.formats.bundles import Pre
from bylaw.language.witnesses import why_no_witness, witness

from .bundles import pre, read_text, text_of


def contract(when: str, tool: str) -> Pre:
    bundle, found = read_text(text_of(pre("a", when, tool=tool)))
    assert bundle is not None, found
    (read,) = bundle.contracts
    assert isinstance(read, Pre)
    return read


def called(when: str, tool: str) -> str | None:
    read = contract(when, tool)
    found = witness(read.when, tools=read.names, is_for=read.is_for)
    return None if found is None else found.tool


@pytest.mark.parametrize(
    ("when", "tool", "name"),
    [
        ("{args.x: {equals: 1}}", "tool: t", "t"),
        ("{args.x: {equals: 1}}", "tool: 't*'", "t*"),
        ("{args.x: {equals: 1}}", 'tool: "*"', "any_tool"),
        ("{args.x: {equals: 1}}", 'tools: ["db_*", t]', "db_x"),
        ("{args.x: {equals: 1}}", 'tools: ["[rw]_?", t]', "r_x"),
        ("{tool.name: {equals: other}}", "tool: t", None),
        ("{tool.name: {equals: t}}", "tool: t", "t"),
        ("{tool.name: {equals: db_drop}}", 'tools: ["db_*"]', "db_drop"),
        ("{tool.name: {starts_with: u}}", "tools: [t, u]", "u"),
        ("{not: {tool.name: {in: [t]}}}", "tools: [t, u]", "u"),
        ("{tool.name: {gt: 5}}", "tool: t", None),
        ("{args.x: {matches: a^b}}", "tool: t", None),
    ],
)
def test_a_contract_is_tried_on_a_tool_it_names(when: str, tool: str, name: str | None) -> None:
    assert called(when, tool) == name


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("{tool.name: {equals: other}}", "`tool.name equals 'other'` holds for the tools it names"),
        ("{all: [{args.y: {gt: 1}}, {args.x: {matches: a^b}}]}", "no call was found on which `args.x matches 'a^b'`"),
        ("{all: [{args.x: {equals: 1}}, {args.x: {gt: 1}}]}", "on which all of its condition holds together"),
    ],
)
def test_it_is_said_why_there_is_none(when: str, why: str) -> None:
    read = contract(when, "tool: t")
    assert why in why_no_witness(read.when, tools=read.names, is_for=read.is_for)
