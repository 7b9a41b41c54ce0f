"""What is called loosened, tightened, moved, observed and warned, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from bylaw.guard.backtests import KINDS
from bylaw.guard.python_rules import HookDecision, HookRegistration, Verdict, precondition

from .bundles import ALWAYS, bundle, limit, post, pre
from .recordings import Asked, compared, found, record

BIG = {"args.x": {"gt": 10}}
HUGE = {"args.x": {"gt": 100}}
CALLS = [Asked("t", {"x": 5}), Asked("t", {"x": 50}), Asked("t", {"x": 500})]


def test_the_policy_that_was_recorded_changes_nothing(tmp_path: Path) -> None:
    text = bundle(
        pre("cap", BIG), post("long", {"output.text": {"contains": "done"}}), limit("few", max_tool_calls=1)
    )
    report = compared(record(tmp_path / "log", text, CALLS), text)
    assert (report.calls, report.changed, report.undecided, report.unchanged) == (3, 0, 0, 3)
    assert report.complete
    assert report.changes == ()


def test_loosened_comes_first_and_names_the_contract_that_denied(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("cap", BIG)), CALLS)
    report = compared(log, bundle(pre("cap", HUGE), pre("low", {"args.x": {"lt": 10}})))
    assert found(report) == [("loosened", "cap", 1), ("tightened", "low", 1)]
    (example,) = report.changes[0].examples
    assert (example.tool, example.args, example.call_id, example.session_id) == ("t", {"x": 50}, "c1", "s")
    assert example.at.endswith("Z")
    assert example.where == f"{log}:3"
    assert (report.changed, report.unchanged) == (2, 1)


def test_denied_by_another_contract(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("cap", BIG)), CALLS)
    report = compared(log, bundle(pre("top", HUGE), pre("cap", BIG)))
    (change,) = report.changes
    assert (change.kind, change.contract, change.now, change.count) == ("moved", "cap", "top", 1)


@pytest.mark.parametrize(
    ("was", "now", "changes"),
    [
        ("enforce", "observe", [("loosened", "cap", 2)]),
        ("observe", "enforce", [("tightened", "cap", 2)]),
        ("observe", None, [("unobserved", "cap", 2)]),
        (None, "observe", [("observed", "cap", 2)]),
        ("observe", "observe", []),
    ],
)
def test_observing(was: str | None, now: str | None, changes: list[tuple[str, str, int]], tmp_path: Path) -> None:
    other = pre("other", {"args.y": {"exists": True}})
    old = bundle(other, *[pre("cap", BIG, mode=was)] * (was is not None))
    new = bundle(other, *[pre("cap", BIG, mode=now)] * (now is not None))
    log = record(tmp_path / "log", old, CALLS)
    assert found(compared(log, new)) == changes
    assert found(compared(log, new, old=old)) == changes


def test_warnings_are_compared_on_what_the_tool_answered(tmp_path: Path) -> None:
    old = bundle(post("short", {"output.text": {"contains": "done"}}), post("both", ALWAYS))
    new = bundle(post("both", ALWAYS), post("more", {"output.text": {"starts_with": "done"}}, mode="observe"))
    log = record(tmp_path / "log", old, [Asked("t"), Asked("t", output="no"), Asked("t", fails=True)])
    changes = [("observed", "more", 1), ("unwarned", "short", 1)]
    assert found(compared(log, new)) == changes
    assert found(compared(log, new, old=old)) == changes


def test_a_call_that_is_denied_now_is_not_warned_of(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("cap", HUGE)), CALLS[:1])
    report = compared(log, bundle(pre("all", ALWAYS), post("late", ALWAYS)))
    assert found(report) == [("tightened", "all", 1)]
    assert report.changed == 1


def test_the_old_bundle_is_asked_instead_of_the_record(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("nothing", {"args.y": {"exists": True}})), CALLS)
    report = compared(log, bundle(pre("cap", HUGE)), old=bundle(pre("cap", BIG)))
    assert found(report) == [("loosened", "cap", 1)]
    assert report.old is not None


def test_what_rules_in_python_denied_stays_denied(tmp_path: Path) -> None:
    @precondition("t")
    def small(envelope: object) -> Verdict:
        return Verdict.fail("no")

    def stop(envelope: object) -> HookDecision:
        return HookDecision.deny("stop")

    other = bundle(pre("other", {"args.y": {"exists": True}}))
    by_rule = record(tmp_path / "rule", other, CALLS, contracts=[small])
    by_hook = record(tmp_path / "hook", other, CALLS, hooks=[HookRegistration("before", "t", stop)])
    for log in (by_rule, by_hook):
        assert found(compared(log, bundle(pre("cap", HUGE, mode="observe")))) != [("loosened", "small", 3)]
        assert compared(log, bundle(pre("never", {"args.y": {"exists": True}}))).changed == 0
    assert found(compared(by_rule, bundle(pre("cap", HUGE)))) == [("moved", "small", 1)]
    assert compared(by_hook, bundle(pre("cap", HUGE))).changed == 0


def test_tools_that_no_contract_names(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("cap", HUGE)), [Asked("t"), Asked("stray")])
    report = compared(log, bundle(pre("cap", HUGE), unmatched="deny"))
    assert found(report) == [("tightened", "unmatched", 1)]


def test_no_call_is_no_comparison(tmp_path: Path) -> None:
    empty = tmp_path / "log"
    empty.touch()
    report = compared(empty, bundle(pre("cap", HUGE)))
    assert report.calls == 0
    assert not report.complete


def test_more_calls_than_examples(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("cap", HUGE)), [Asked("t")] * 5)
    for wanted in (0, 2):
        (change,) = compared(log, bundle(pre("all", ALWAYS)), examples=wanted).changes
        assert (change.count, len(change.examples)) == (5, wanted)


def test_every_kind_has_a_total(tmp_path: Path) -> None:
    report = compared(record(tmp_path / "log", bundle(pre("cap", BIG)), CALLS), bundle(pre("all", ALWAYS)))
    assert list(report.totals) == list(KINDS)
    assert report.totals["tightened"] == 1
    assert report.totals["moved"] == 2
