"""However rules are indexed and sifted, the findings are those of judging all of them in file order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.policy import MemoryLedger, Rule, after, decide, judge_rule

from .rules import brief, call, policy, rule

TOOLS = ["read", "write", "*"]
CONDITIONS = [
    "{args.x: {contains: rm}}",
    "{args.x: {contains_any: [rm, etc]}}",
    "{args.x: {starts_with: /etc}}",
    "{args.x: {ends_with: .py}}",
    "{args.x: {equals: rm}}",
    "{args.x: {in: [rm, ls]}}",
    "{args.x: {not_in: [rm]}}",
    r"{args.x: {matches: '\brm\b'}}",
    "{args.x: {matches_any: ['^/etc', 'py$']}}",
    "{args.n: {gt: 1}}",
    "{args.n: {exists: false}}",
    "{not: {args.x: {contains: rm}}}",
    "{all: [{args.x: {contains: rm}}, {args.n: {gt: 1}}]}",
    "{all: [{args.n: {gt: 1}}, {args.x: {contains: rm}}]}",
    "{any: [{args.x: {contains: rm}}, {args.y: {contains: etc}}]}",
    "{tool.name: {equals: read}}",
]
rules = st.lists(st.tuples(st.sampled_from(TOOLS), st.sampled_from(CONDITIONS), st.booleans()), max_size=14)
values = st.sampled_from(["rm", "rm -rf /etc", "/etc/x.py", "ls", "", "harm", "RM", 1, 2.5, None, True, ["rm"]])
calls = st.builds(
    ToolCall,
    tool=st.sampled_from(["read", "write", "other", "*"]),
    args=st.dictionaries(st.sampled_from("xyn"), values, max_size=3),
)


def scan(all_rules: list[Rule], asked: ToolCall) -> list[Any]:
    return [judge_rule(one, asked) for one in all_rules if one.tools[0] in (asked.tool, "*")]


@settings(deadline=None, max_examples=200)
@given(made=rules, asked=calls)
def test_the_index_changes_nothing(made: list[tuple[str, str, bool]], asked: ToolCall) -> None:
    every = [rule(str(n), when, tools=(tool,), binding=bound) for n, (tool, when, bound) in enumerate(made)]
    wanted = scan(every, asked)
    assert list(decide(policy(*every), asked, ledger=MemoryLedger())) == wanted
    assert list(after(policy(after=tuple(every)), asked)) == wanted


@settings(deadline=None, max_examples=20)
@given(asked=calls)
def test_of_very_many_rules_those_that_fired_are_told_in_file_order(asked: ToolCall) -> None:
    every = [rule(f"{n}", CONDITIONS[n % len(CONDITIONS)], tools=(TOOLS[n % 3],)) for n in range(260)]
    fired = [found for found in scan(every, asked) if found.outcome != "passed"]
    found = decide(policy(*every), asked, ledger=MemoryLedger())
    assert [one for one in found if one.outcome != "passed"] == fired


@pytest.mark.parametrize(
    ("tool", "applied"),
    [
        ("read", ["a", "c", "e"]),
        ("write", ["b", "c"]),
        ("other", ["c"]),
        ("Read", ["c"]),
        ("", ["c"]),
        ("*", ["c"]),
    ],
)
def test_names_match_exactly(tool: str, applied: list[str]) -> None:
    of = policy(
        rule("a", CONDITIONS[0], tools=("read",)),
        rule("b", CONDITIONS[0], tools=("write",)),
        rule("c", CONDITIONS[0], tools=("*",)),
        rule("e", CONDITIONS[0], tools=("read",)),
    )
    assert brief(decide(of, call(tool), ledger=MemoryLedger())) == applied


def test_a_pass_is_one_finding_for_every_call() -> None:
    of = policy(rule("a", CONDITIONS[0]))
    (first,) = decide(of, call(x="ls"), ledger=MemoryLedger())
    (second,) = decide(of, call("other", x="pwd"), ledger=MemoryLedger())
    assert first is second
