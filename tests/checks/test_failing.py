"""A case that must fail passes only when it fails in the stated way."""

from __future__ import annotations

import pytest

from bylaw.checks.failing import FailsAs
from bylaw.evidence import Evidence, Need, ToolCall

from .judging import demand, judged

ORDER = ("tool_not_invoked", "wrong_tool", "malformed_arguments", "schema_violation")
CALLS = demand("tool_calls", "{expect_tools: [a]}")
ANSWER = demand("json", "{assertions: [{path: $.ok, equals: true}]}")
GOOD, BAD = '{"ok": true}', '{"ok": false}'


def evidence(tools: str, output: str | None) -> Evidence:
    return Evidence(events=tuple(ToolCall(tool=tool) for tool in tools), output=output)


@pytest.mark.parametrize(
    ("code", "tools", "output", "outcome", "reason"),
    [
        ("wrong_tool", "b", GOOD, "passed", "it fails as expected: `a` was not called; called were `b`"),
        ("wrong_tool", "b", BAD, "passed", "it fails as expected: `a` was not called; called were `b`"),
        ("schema_violation", "a", BAD, "passed", "it fails as expected: `$.ok` is false; wanted `equals: true`"),
        (
            "schema_violation",
            "b",
            BAD,
            "failed",
            (
                "it must fail with `schema_violation` and failed in another way:"
                " `a` was not called; called were `b` [wrong_tool]"
            ),
        ),
        ("tool_not_invoked", "", GOOD, "passed", "it fails as expected: no tool was called; `a` was expected"),
        ("wrong_tool", "a", GOOD, "failed", "it must fail with `wrong_tool` and did not fail"),
    ],
)
def test_only_the_stated_failure_will_do(code: str, tools: str, output: str, outcome: str, reason: str) -> None:
    found = judged(FailsAs(code=code, order=ORDER, parts=(CALLS, ANSWER)), evidence(tools, output))
    assert (found.outcome, found.reason) == (outcome, reason)
    assert found.code == ("" if outcome == "passed" else "unexpected_outcome")


def test_what_could_not_be_judged_is_no_failure() -> None:
    unseen = demand("file_exists", "{path: a}")
    check = FailsAs(code="schema_violation", order=ORDER, parts=(unseen, ANSWER))
    found = judged(check, evidence("", BAD))
    assert (found.outcome, found.code) == ("error", "undecided")
    assert found.reason == "nobody answered this question [unseen]"
    nothing = judged(FailsAs(code="wrong_tool", parts=()), evidence("", GOOD))
    assert (nothing.outcome, nothing.reason) == ("error", "nothing judged")


def test_a_failure_that_counts_before_it_decides_whatever_is_unknown() -> None:
    unseen = demand("file_exists", "{path: a}")
    check = FailsAs(code="schema_violation", order=ORDER, parts=(unseen, CALLS))
    assert judged(check, evidence("b", GOOD)).outcome == "failed"


def test_it_asks_what_its_parts_ask() -> None:
    parts = (demand("file_exists", "{path: a}"), demand("file_absent", "{path: b}"), CALLS)
    check = FailsAs(code="wrong_tool", parts=parts)
    assert list(check.needs(Evidence())) == [Need(kind="file", ask=(("path", name),)) for name in "ab"]
