"""Many rules sifted together say the same as each by itself: same contracts, same order, same words."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import Answer, ToolCall
from bylaw.formats.bundles import rule_of
from bylaw.formats.bundles.documents import Bundle, Post, Pre
from bylaw.guard.documents import document_source
from bylaw.guard.guard import Guard
from bylaw.policy import Rule, judge_rule
from bylaw.reader import Problems, read
from bylaw.verdict import Finding

from .bundles import bundle

WORDS = ["rm", "rf", "r", "", "é", "e\u0301", "\ud800", "\udcff", "日本", "RM", "a b", "\n", "\0", "x" * 40, "ß", "K"]
PATTERNS = [
    r"\brm\b",
    "r.",
    "^r",
    "m$",
    r"\w+\s",
    "(?i)RM",
    "é|ß",
    r"[^\x00-\x7f]",
    "a*",
    r"(r)\1",
    "(?=r)r",
    r"\d{2,3}",
]
text = st.lists(st.sampled_from(WORDS), max_size=4).map("".join) | st.text(max_size=8)
scalar = text | st.integers(-3, 3) | st.booleans() | st.sampled_from([1.5, float("inf")])
fields = ["args.x", "args.y", "args.deep.z", "principal.role", "principal.claims.c", "tool.name", "environment"]

leaf = st.one_of(
    st.tuples(st.sampled_from(["contains", "starts_with", "ends_with"]), text),
    st.tuples(st.just("contains_any"), st.lists(text, min_size=1, max_size=3)),
    st.tuples(st.just("matches"), st.sampled_from(PATTERNS)),
    st.tuples(st.just("matches_any"), st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3)),
    st.tuples(st.sampled_from(["equals", "not_equals"]), scalar),
    st.tuples(st.sampled_from(["in", "not_in"]), st.lists(scalar, min_size=1, max_size=3)),
    st.tuples(st.sampled_from(["gt", "gte", "lt", "lte"]), st.integers(-3, 3)),
    st.tuples(st.just("exists"), st.booleans()),
)


def conditions(selectors: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    comparison = st.tuples(st.sampled_from(selectors), leaf).map(lambda made: {made[0]: dict([made[1]])})
    return st.recursive(
        comparison,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
            inner.map(lambda part: {"not": part}),
        ),
        max_leaves=4,
    )


tools = st.sampled_from([{"tool": "t"}, {"tool": "*"}, {"tools": ["t", "u"]}, {"tools": ["t*"]}, {"tool": "u"}])
MESSAGE = "{tool.name} {args.x} {args.deep.z} {principal.role} {output.text} {args.none}"


def contracts(kind: str, selectors: list[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    effect = "deny" if kind == "pre" else "warn"
    one = st.tuples(tools, conditions(selectors), st.sampled_from(["enforce", "observe"]))
    return st.lists(one, min_size=1, max_size=30).map(
        lambda made: [
            {
                "id": f"{kind}-{number}",
                "type": kind,
                "when": when,
                "mode": mode,
                "then": {"effect": effect, "message": f"{number}: {MESSAGE}"},
                **for_tools,
            }
            for number, (for_tools, when, mode) in enumerate(made)
        ]
    )


value = (
    scalar | st.none() | st.lists(text, max_size=2) | st.just(float("nan")) | st.dictionaries(text, text, max_size=1)
)
calls = st.fixed_dictionaries(
    {"tool": st.sampled_from(["t", "u", "tt", "other"])},
    optional={
        "args": st.fixed_dictionaries(
            {}, optional={"x": value, "y": value, "deep": value | st.fixed_dictionaries({"z": value})}
        ),
        "principal": st.fixed_dictionaries(
            {}, optional={"role": st.none() | text, "claims": st.fixed_dictionaries({}, optional={"c": value})}
        ),
        "environment": st.sampled_from(["production", "rm", "日本"]),
        "output": text,
    },
)


def rules(document: Any) -> tuple[list[Rule], list[Rule]]:
    problems = Problems()
    source = document_source(document, file="b", problems=problems)
    assert source is not None, problems.all
    found = read(Bundle, source.root, problems)
    assert found is not None, problems.all
    made = [(one, rule_of(one, one.mode or "enforce")) for one in found.contracts if isinstance(one, (Pre, Post))]
    return [rule for one, rule in made if isinstance(one, Pre)], [rule for one, rule in made if isinstance(one, Post)]


def told(findings: list[Finding]) -> list[tuple[Any, ...]]:
    return [
        (found.item.id, found.outcome, found.action, found.code, found.reason, found.binding) for found in findings
    ]


def one_by_one(before: list[Rule], after: list[Rule], call: dict[str, Any]) -> list[tuple[Any, ...]]:
    asked = ToolCall(
        tool=call["tool"],
        args=call.get("args", {}),
        environment=call.get("environment", "production"),
        principal=call.get("principal"),
    )
    answered = ToolCall(
        tool=asked.tool,
        args=asked.args,
        environment=asked.environment,
        principal=asked.principal,
        answer=Answer(text=call["output"]) if "output" in call else None,
    )
    found = [judge_rule(rule, asked) for rule in before if _is_for(rule, asked.tool)]
    if "output" in call:
        found += [judge_rule(rule, answered) for rule in after if _is_for(rule, asked.tool)]
    return told(found)


def _is_for(rule: Rule, tool: str) -> bool:
    return any(name in ("*", tool) or (name == "t*" and tool.startswith("t")) for name in rule.tools)


@settings(max_examples=200, deadline=None)
@given(
    before=contracts("pre", fields),
    after=contracts("post", [*fields, "output.text", "output.text"]),
    asked=st.lists(calls, min_size=1, max_size=5),
)
def test_many_rules_together_say_the_same_as_each_by_itself(
    before: list[dict[str, Any]], after: list[dict[str, Any]], asked: list[dict[str, Any]]
) -> None:
    document = json.loads(bundle(*before, *after))
    alone, later = rules(document)
    guard = Guard.from_documents(document)
    for call in asked:
        decision = guard.evaluate(
            call["tool"],
            call.get("args", {}),
            output=call.get("output"),
            principal=call.get("principal"),
            environment=call.get("environment"),
        )
        assert told(list(decision.findings)) == one_by_one(alone, later, call)
        first = next((found for found in decision.findings if found.action == "deny" and found.binding), None)
        assert decision.name == (None if first is None else first.item.id)
