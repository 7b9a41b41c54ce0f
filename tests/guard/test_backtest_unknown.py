"""What redaction took out of a record is named as unknown and never guessed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.guard.backtests.hidden import BREAKS, FAILS, HOLDS, compile_possible, hidden_in
from bylaw.guard.guard import Guard
from bylaw.language.expressions import Expression, ExpressionShape, compile_expression
from bylaw.language.operators import Mismatch
from bylaw.reader import Bad, Problems
from bylaw.reader.source import load_text
from bylaw.redaction import Redaction, Redactor

from .bundles import ALWAYS, bundle, limit, post, pre
from .recordings import Asked, calls_that, compared, found, play, record, undecided_calls

FREE = bundle(pre("never", {"args.never": {"exists": True}}))
SECRET = {"args.token": {"equals": "open sesame"}}


def undecided(log: Path, new: str, **options: Any) -> list[tuple[str, str, int]]:
    report = compared(log, new, **options)
    assert not report.changes
    return [(entry.contract, entry.why, entry.count) for entry in report.undecided_because]


def test_a_redacted_argument_is_named(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"token": "open sesame"}), Asked("t", {"x": 1})])
    assert undecided(log, bundle(pre("secret", SECRET))) == [("secret", "`args.token` was redacted", 1)]
    report = compared(log, bundle(pre("secret", SECRET)))
    assert (report.undecided, report.unchanged, report.complete) == (1, 1, False)


def test_a_text_that_was_cut_is_unknown(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"text": "a" * 2_000 + "rm -rf"})])
    assert undecided(log, bundle(pre("rm", {"args.text": {"contains": "rm -rf"}})))


@pytest.mark.parametrize(
    "when",
    [
        {"args.token": {"exists": True}},
        {"args.token": {"exists": False}},
        {"all": [{"args.x": {"equals": 2}}, SECRET]},
        {"any": [{"args.x": {"equals": 1}}, SECRET]},
        {"all": [SECRET, {"args.x": {"equals": 2}}]},
        {"args.deep": {"equals": 1}},
        {"args.x": {"gt": 0}},
    ],
)
def test_what_does_not_hang_on_it_is_decided(when: dict[str, Any], tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"x": 1, "token": "abc", "deep": {"password": "abc"}})])
    assert compared(log, bundle(pre("rule", when))).undecided == 0


def test_a_comparison_that_may_break_is_not_passed_over(tmp_path: Path) -> None:
    """`contains` breaks on a number, and then the rule fires whatever stands behind it."""
    log = record(tmp_path / "log", FREE, [Asked("t", {"x": 1, "token": 5})])
    new = bundle(pre("rule", {"all": [{"args.token": {"contains": "5"}}, {"args.x": {"equals": 2}}]}))
    assert undecided(log, new) == [("rule", "`args.token` was redacted", 1)]


def test_what_a_view_makes_of_a_redacted_value_is_unknown(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"token": "ls", "command": "rm x"})])
    assert undecided(log, bundle(pre("rule", {"args.token | argv": {"exists": True}})))
    assert found(compared(log, bundle(pre("rule", {"args.command | argv": {"starts_with": "rm"}})))) == [
        ("tightened", "rule", 1)
    ]


def test_another_contract_may_settle_it(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"token": "abc"})])
    report = compared(log, bundle(pre("secret", SECRET), pre("all", ALWAYS)))
    assert (report.undecided, found(report)) == (0, [("tightened", "all", 1)])


def test_who_denies_a_call_that_was_denied_before_may_be_unknown(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("all", ALWAYS)), [Asked("t", {"token": "abc"})])
    assert undecided(log, bundle(pre("secret", SECRET), pre("all", ALWAYS)))
    assert undecided(log, bundle(pre("all", ALWAYS), pre("secret", SECRET))) == []


def test_a_redacted_claim_and_a_long_answer(tmp_path: Path) -> None:
    claims = {"key": "AKIA" + "IOSFODNN7EXAMPLE", "team": "blue"}
    log = record(tmp_path / "log", FREE, [Asked("t", claims=claims, output="a" * 600)])
    assert undecided(log, bundle(pre("who", {"principal.claims.key": {"starts_with": "A"}})))
    assert undecided(log, bundle(pre("who", {"principal.claims.team": {"equals": "red"}}))) == []
    assert undecided(log, bundle(pre("who", {"not": {"principal.role": {"exists": False}}}))) == []
    assert undecided(log, bundle(post("long", {"output.text": {"contains": "b"}}))) == [
        ("long", "`output.text` was redacted", 1)
    ]


def test_a_withheld_answer_is_unknown_to_others(tmp_path: Path) -> None:
    text = bundle(post("hides", {"output.text": {"contains": "done"}}, then={"output": "withhold"}))
    log = record(tmp_path / "log", text, [Asked("t")])
    assert compared(log, text).complete
    report = compared(log, bundle(post("other", {"output.text": {"contains": "d"}})))
    assert [entry.contract for entry in report.undecided_because] == ["other"]


def test_an_observed_rule_may_be_unknown_too(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"token": "abc"})])
    assert undecided(log, bundle(pre("secret", SECRET, mode="observe")))


def test_the_record_knows_what_an_unchanged_contract_came_to(tmp_path: Path) -> None:
    old = bundle(pre("secret", SECRET), pre("cap", {"args.x": {"gt": 10}}))
    new = bundle(pre("secret", SECRET, mode="observe"), pre("cap", {"args.x": {"gt": 100}}))
    calls = [
        Asked("t", {"token": "open sesame"}),
        Asked("t", {"token": "abc", "x": 50}),
        Asked("t", {"token": "abc"}),
    ]
    log = record(tmp_path / "log", old, calls)
    assert compared(log, new).undecided == 3
    report = compared(log, new, old=old)
    assert (report.undecided, found(report)) == (0, [("loosened", "secret", 1), ("loosened", "cap", 1)])
    assert compared(log, old).complete


def test_a_contract_that_says_something_else_now_is_not_known_from_the_record(tmp_path: Path) -> None:
    old = bundle(pre("secret", SECRET))
    log = record(tmp_path / "log", old, [Asked("t", {"token": "abc"})])
    assert undecided(log, bundle(pre("secret", {"args.token": {"equals": "abc"}})), old=old)


VALUES = st.sampled_from(["open sesame", "abc", 5, None, True, {"a": 1}, ["x"], "a" * 1_200])
ARGS = st.dictionaries(
    st.sampled_from(["token", "x", "deep"]), VALUES | st.just({"token": "abc", "y": 1}), max_size=3
)
LEAVES = st.builds(
    lambda selector, test: {selector: test},
    st.sampled_from(["args.token", "args.x", "args.deep.token", "args.deep.y", "args.deep"]),
    st.sampled_from(
        [
            {"equals": "abc"},
            {"exists": True},
            {"exists": False},
            {"contains": "a"},
            {"gt": 1},
            {"not_in": ["abc", 5]},
        ]
    ),
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda how, parts: {how: parts[0] if how == "not" else parts},
        st.sampled_from(["all", "any", "not"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)


def read_condition(when: dict[str, Any]) -> Expression:
    problems = Problems()
    source = load_text(str(when).replace("True", "true").replace("False", "false"), file="when", problems=problems)
    assert source is not None
    expression = ExpressionShape().read(source.root, problems)
    problems.raise_errors()
    assert not isinstance(expression, Bad)
    return expression


def outcome(expression: Expression, args: dict[str, Any]) -> int:
    try:
        return HOLDS if compile_expression(expression)(ToolCall(tool="t", args=args)) else FAILS
    except Mismatch:
        return BREAKS


@given(CONDITIONS, ARGS)
def test_what_really_happened_is_among_what_may_have(when: dict[str, Any], args: dict[str, Any]) -> None:
    expression = read_condition(when)
    recorded, redacted = Redactor(Redaction(most_in_all=2_000, most_items=2)).redact_value(args)
    possible = compile_possible(expression)(ToolCall(tool="t", args=recorded), hidden_in(redacted, b"null"))
    assert possible & outcome(expression, args)


@given(CONDITIONS, ARGS)
def test_nothing_is_open_where_nothing_was_redacted(when: dict[str, Any], args: dict[str, Any]) -> None:
    expression = read_condition(when)
    assert compile_possible(expression)(ToolCall(tool="t", args=args), ()) == outcome(expression, args)


RULES = st.lists(
    st.builds(
        lambda name, when, tool, mode: pre(name, when, tool=tool, mode=mode),
        st.sampled_from("abc"),
        CONDITIONS,
        st.sampled_from(["t", "*"]),
        st.sampled_from(["enforce", "enforce", "observe"]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda rule: str(rule["id"]),
)
LIMIT = st.lists(st.builds(lambda most: limit("few", max_tool_calls=most), st.integers(0, 4)), max_size=1)
TRAFFIC = st.lists(
    st.builds(
        Asked,
        st.sampled_from("tu"),
        ARGS,
        st.sampled_from("ab"),
        fails=st.sampled_from([False, False, True]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60)
@given(RULES, LIMIT, TRAFFIC)
def test_replaying_a_log_under_its_own_policy_changes_nothing(
    rules: list[dict[str, Any]], limits: list[dict[str, Any]], traffic: list[Asked]
) -> None:
    text = bundle(*rules, *limits)
    with tempfile.TemporaryDirectory() as folder:
        log = record(Path(folder) / "log", text, traffic)
        for report in (compared(log, text), compared(log, text, old=text)):
            assert (report.calls, report.changed) == (len(traffic), 0)
            assert report.complete


@settings(max_examples=100)
@given(RULES, LIMIT, RULES, LIMIT, TRAFFIC)
def test_a_backtest_says_what_a_guard_would_have_done(
    old_rules: list[dict[str, Any]],
    old_limits: list[dict[str, Any]],
    rules: list[dict[str, Any]],
    limits: list[dict[str, Any]],
    traffic: list[Asked],
) -> None:
    """The same calls through a guard with the new bundle; of what never ran before nobody knows that it fails."""
    old, new = bundle(*old_rules, *old_limits), bundle(*rules, *limits)
    with tempfile.TemporaryDirectory() as folder:
        log = record(Path(folder) / "log", old, traffic)
        report = compared(log, new)
    before = play(Guard.from_text(old), traffic)
    ran = [
        call if denied is None else Asked(call.tool, call.args, call.session)
        for call, denied in zip(traffic, before, strict=True)
    ]
    after = play(Guard.from_text(new), ran)
    open_ones = undecided_calls(report)
    real: dict[str, set[str]] = {"loosened": set(), "tightened": set(), "moved": set()}
    for number, (was, now) in enumerate(zip(before, after, strict=True)):
        if was is not None and now is None:
            real["loosened"].add(f"c{number}")
        elif was is None and now is not None:
            real["tightened"].add(f"c{number}")
        elif was is not None and now is not None and was.decision_name != now.decision_name:
            real["moved"].add(f"c{number}")
    for kind, calls in real.items():
        said = calls_that(report, kind)
        assert said - open_ones == calls - open_ones
