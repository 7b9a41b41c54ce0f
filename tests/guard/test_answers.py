"""What the caller gets of an answer, and what it is warned of."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.guard.decision import Outcome
from bylaw.guard.guard import Guard
from bylaw.guard.python_rules import Verdict, postcondition

from .bundles import ALWAYS, BROKEN, Call, Contract, X, bundle, echo, guard_of, last, post, pre, watched


def given(call: Call, answer: Any, *contracts: Contract, args: Any = None, **options: Any) -> Outcome:
    return call(guard_of(*contracts, **options), "t", args or {}, lambda **_: answer)


def output(**condition: Any) -> dict[str, Any]:
    return {"output.text": condition}


def redact(name: str, when: Any, **then: Any) -> Contract:
    return post(name, when, then={"output": "redact", **then})


def withhold(name: str, when: Any, **then: Any) -> Contract:
    return post(name, when, then={"output": "withhold", **then})


def test_warnings_reach_the_caller_with_the_answer_as_it_is(call: Call) -> None:
    answer = {"ssn": "123-45-6789"}
    outcome = given(call, answer, post("pii", output(matches=r"\d{3}-\d{2}-\d{4}"), then={"message": "{tool.name}"}))
    assert outcome.result is answer
    assert [(found.item.id, found.reason, found.action) for found in outcome.warnings] == [("pii", "t", "warn")]
    assert outcome.decision.allowed


@pytest.mark.parametrize(
    ("answer", "text"), [("a", "a"), (5, "5"), ({"k": [1]}, "{'k': [1]}"), (b"x", "b'x'"), ("", ""), (True, "True")]
)
def test_the_output_is_the_answer_as_text(call: Call, answer: Any, text: str) -> None:
    assert len(given(call, answer, post("w", output(equals=text))).warnings) == 1


def test_no_answer_is_a_missing_field(call: Call) -> None:
    for condition, fires in (({"exists": True}, False), ({"exists": False}, True), ({"not_equals": "x"}, False)):
        assert bool(given(call, None, post("w", output(**condition))).warnings) is fires


@pytest.mark.parametrize(
    ("when", "answer", "result"),
    [
        (output(matches=r"\d{4}"), "card 1234 and 5678.", "card [redacted] and [redacted]."),
        (output(contains="key"), "a key, keys", "a [redacted], [redacted]s"),
        (output(contains_any=["a", "b"]), "xaxbx", "x[redacted]x[redacted]x"),
        (output(matches_any=[r"\d+", "[A-Z]+"]), "a1B", "a[redacted][redacted]"),
        ({"any": [output(contains="a"), output(contains="zz")]}, "xax", "x[redacted]x"),
        ({"all": [output(exists=True), output(contains="a")]}, "xax", "x[redacted]x"),
        (output(matches=r"\d+"), {"n": 12}, "{'n': [redacted]}"),
        (output(matches=r"\d+"), 12, "[redacted]"),
        (output(starts_with="top"), "top secret", "[redacted]"),
        (output(ends_with="secret"), "top secret", "[redacted]"),
        (output(equals="top secret"), "top secret", "[redacted]"),
        ({"not": output(contains="public")}, "top secret", "[redacted]"),
        (X, "top secret", "[redacted]"),
        ({"any": [output(contains="top"), output(ends_with="secret")]}, "top secret", "[redacted]"),
        ({"any": [output(contains="top"), X]}, "top secret", "[redacted]"),
        (output(matches="[a-z]+"), "top secret", "[redacted] [redacted]"),
        (output(contains="top"), "top" + "".join(map(chr, range(0xE000, 0xF900))), "[redacted]"),
        (output(matches="t*"), "top", "[redacted]"),
        (output(exists=False), None, None),
        (output(contains_any=["red", "\ue000"]), "red \ue000 is read", "[redacted] [redacted] is read"),
        (output(gt=5), "12", "[redacted]"),
        ({"any": [output(contains="top"), BROKEN]}, "quiet", "[redacted]"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_was_found_is_taken_out_or_all_of_it(call: Call, when: Any, answer: Any, result: Any) -> None:
    """All of it where the rule can't point at its finds, or still fires on what is left."""
    outcome = given(call, answer, redact("r", when), args={"x": 1})
    assert outcome.result == result
    assert len(outcome.warnings) == 1


def test_a_pattern_that_can_t_point_at_its_finds_in_time_takes_all(call: Call) -> None:
    long = "a" * 300_000 + "!"
    assert given(call, long, redact("r", output(matches="(a+)+!"))).result == "[redacted]"


def test_an_answer_that_nothing_was_found_in_stays_as_it_is(call: Call) -> None:
    answer = ["clean"]
    outcome = given(call, answer, redact("r", output(contains="secret")), withhold("w", output(contains="secret")))
    assert (outcome.result is answer, outcome.warnings) == (True, ())


def test_several_rules_each_take_out_their_own(call: Call) -> None:
    rules = redact("a", output(contains="one")), redact("b", output(contains="two")), post("c", ALWAYS)
    outcome = given(call, "one two three", *rules)
    assert outcome.result == "[redacted] [redacted] three"
    assert [found.item.id for found in outcome.warnings] == ["a", "b", "c"]


@pytest.mark.parametrize("answer", ["top secret", {"k": "secret"}, ["secret"], None])
def test_an_answer_that_is_withheld_is_only_a_message(call: Call, answer: Any) -> None:
    rules = redact("r", output(contains="top")), withhold("w", ALWAYS, message="ask {tool.name}'s owner")
    assert given(call, answer, *rules).result == "[withheld: ask t's owner]"


def test_what_is_taken_out_is_not_told_by_a_message_either(call: Call) -> None:
    """Neither by that of its own rule, nor by that of another, nor in the record, nor to who listens."""
    told: list[str] = []
    shows = {"message": "{output.text}"}
    for rule, result, reason in (
        (withhold("hide", output(contains="4111"), **shows), "[withheld: {output.text}]", "{output.text}"),
        (redact("hide", output(matches=r"\d+"), **shows), "card [redacted]", "card [redacted]"),
    ):
        guard, sink = watched(
            post("other", ALWAYS, then=shows), rule, on_warning=lambda _, found: told.append(found.reason)
        )
        outcome = call(guard, "t", {}, lambda: "card 4111")
        assert outcome.result == result
        assert [found.reason for found in outcome.warnings] == [reason, reason]
        assert "4111" not in str(sink.events)
        assert sink.events[1].result_summary == result
    assert told == ["{output.text}"] * 2 + ["card [redacted]"] * 2


class Unshowable:
    def __str__(self) -> str:
        raise ValueError("no words")


def test_an_answer_that_can_t_be_made_text_breaks_the_rules_that_look_at_it(call: Call) -> None:
    answer = Unshowable()
    guard, sink = watched(
        post("a", output(contains="x")),
        post("b", {"any": [X, {"not": output(contains="x")}]}),
        post("c", X),
        post("d", ALWAYS),
    )
    outcome = call(guard, "t", {}, lambda: answer)
    assert outcome.result is answer
    assert [(found.item.id, found.code) for found in outcome.warnings] == [
        ("a", "policy_error"),
        ("b", "policy_error"),
        ("d", "warned"),
    ]
    assert outcome.warnings[0].reason == "the answer can't be made text: ValueError"
    assert last(sink).action == "postcondition_warning"
    executed = sink.events[1]
    assert executed.result_summary == "<Unshowable that can't be shown: ValueError>"
    assert [each.id for each in executed.contracts_evaluated] == ["a", "b", "c", "d"]
    assert given(call, answer, redact("r", output(contains="x"))).result == "[redacted]"
    withheld = given(call, answer, withhold("w", output(contains="x"))).result
    assert withheld == "[withheld: the answer can't be made text: ValueError]"


def test_many_rules_on_an_answer_that_can_t_be_made_text(call: Call) -> None:
    rules = [post(f"w{number}", output(contains=f"x{number}")) for number in range(70)]
    outcome = given(call, Unshowable(), *rules)
    assert [found.item.id for found in outcome.warnings] == [f"w{number}" for number in range(70)]


def test_a_rule_that_breaks_after_the_tool_warns(call: Call) -> None:
    outcome = given(call, "text", post("b", output(gt=1)), post("w", ALWAYS))
    assert [(found.item.id, found.code) for found in outcome.warnings] == [("b", "policy_error"), ("w", "warned")]
    assert "`gt` has no meaning for `output.text`, which is text" in outcome.warnings[0].reason


def test_who_listens_hears_every_warning_in_order(call: Call) -> None:
    heard: list[Any] = []
    late = postcondition("*")(lambda *_: Verdict.fail("late"))
    guard = guard_of(
        post("a", ALWAYS),
        post("o", ALWAYS, mode="observe"),
        post("b", ALWAYS),
        contracts=[late],
        on_warning=lambda tool, found: heard.append((tool, found.reason)),
    )
    call(guard, "t", {}, echo)
    assert heard == [("t", "a warns"), ("t", "b warns"), ("t", "late")]


def test_who_listens_and_raises_changes_nothing(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    def listener(*_: Any) -> None:
        raise RuntimeError("deaf")

    guard = Guard.from_text(bundle(post("a", ALWAYS), post("b", ALWAYS)), on_warning=listener)
    assert len(call(guard, "t", {}, echo).warnings) == 2
    assert caplog.text.count("the listener for warnings failed: RuntimeError: deaf") == 2


def test_a_contract_before_the_tool_says_nothing_of_its_answer(call: Call) -> None:
    assert given(call, "x", pre("p", X)).warnings == ()
