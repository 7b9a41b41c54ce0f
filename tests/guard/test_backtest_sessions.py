"""Limits are counted again, session by session, in the order of the log."""

from __future__ import annotations

from pathlib import Path

from bylaw.guard.sessions import MemorySessions

from .bundles import ALWAYS, bundle, limit, pre
from .recordings import Asked, compared, found, record, undecided_calls

FREE = bundle(pre("never", {"args.never": {"exists": True}}))
TOKEN = {"args.token": {"equals": "open sesame"}}


def tightened(log: Path, new: str) -> list[str]:
    report = compared(log, new)
    assert report.undecided == 0
    return [example.call_id for change in report.changes for example in change.examples]


def test_each_session_has_counters_of_its_own(tmp_path: Path) -> None:
    calls = [Asked("t", session=session) for session in "aabab"]
    log = record(tmp_path / "log", FREE, calls)
    assert tightened(log, bundle(limit("few", max_tool_calls=2))) == ["c3"]
    assert tightened(log, bundle(limit("few", max_attempts=1))) == ["c1", "c3", "c4"]


def test_limits_on_one_tool(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t"), Asked("u"), Asked("t"), Asked("u")])
    assert tightened(log, bundle(limit("few", max_calls_per_tool={"u": 1}))) == ["c3"]


def test_a_call_that_failed_gives_its_place_back(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", fails=True), Asked("t"), Asked("t")])
    assert tightened(log, bundle(limit("few", max_tool_calls=1))) == ["c2"]
    assert tightened(log, bundle(limit("few", max_attempts=1))) == ["c1", "c2"]


def test_a_call_that_is_denied_now_takes_no_place(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t", {"x": 1}), Asked("t"), Asked("t")])
    report = compared(log, bundle(pre("one", {"args.x": {"equals": 1}}), limit("few", max_tool_calls=1)))
    assert found(report) == [("tightened", "one", 1), ("tightened", "few", 1)]


def test_a_raised_limit_loosens(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(limit("few", max_tool_calls=1)), [Asked("t")] * 4)
    new = bundle(limit("few", max_tool_calls=3))
    assert found(compared(log, new)) == [("loosened", "few", 2)]
    assert found(compared(log, new, old=bundle(limit("few", max_tool_calls=2)))) == [("loosened", "few", 1)]


def test_an_observed_limit_denies_nothing(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t")] * 3)
    report = compared(log, bundle(limit("few", max_tool_calls=1, mode="observe")))
    assert found(report) == [("observed", "few", 2)]


def test_a_session_that_could_not_be_counted_is_no_change(tmp_path: Path) -> None:
    text = bundle(limit("few", max_tool_calls=5))
    calls = [Asked("t", session="a"), Asked("t", session="b")]
    log = record(tmp_path / "log", text, calls, backend=MemorySessions(capacity=1))
    assert compared(log, text).changed == 0


def test_counts_that_hang_on_an_undecided_call_are_undecided_themselves(tmp_path: Path) -> None:
    """Of a limit of two, one place is gone for certain and one perhaps: the third call is open, the fourth is not."""
    calls = [Asked("t"), Asked("t", {"token": "x"}), Asked("t"), Asked("t")]
    log = record(tmp_path / "log", FREE, calls)
    report = compared(log, bundle(pre("secret", TOKEN), limit("few", max_tool_calls=2)))
    assert undecided_calls(report) == {"c1", "c2"}
    assert [(entry.contract, entry.why) for entry in report.undecided_because] == [
        ("secret", "`args.token` was redacted"),
        ("few", "earlier calls of its session are undecided"),
    ]
    assert found(report) == [("tightened", "few", 1)]


def test_a_failed_call_gives_its_place_back_in_a_session_in_doubt(tmp_path: Path) -> None:
    calls = [Asked("t", {"token": "x"}), Asked("t", fails=True), Asked("t"), Asked("t")]
    log = record(tmp_path / "log", FREE, calls)
    report = compared(log, bundle(pre("secret", TOKEN), limit("few", max_tool_calls=2)))
    assert undecided_calls(report) == {"c0", "c3"}
    assert report.changed == 0


def test_a_limit_that_denies_either_way_is_decided(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t"), Asked("t", {"token": "x"})])
    report = compared(log, bundle(pre("secret", TOKEN), limit("few", max_tool_calls=1)))
    assert (report.undecided, found(report)) == (0, [("tightened", "few", 1)])


def test_limits_and_always(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t")] * 2)
    report = compared(log, bundle(pre("all", ALWAYS), limit("none", max_attempts=0)))
    assert found(report) == [("tightened", "none", 2)]
