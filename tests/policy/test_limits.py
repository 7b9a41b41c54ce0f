"""Session limits: N are allowed and the next is not, however many ask at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.policy import Limit, MemoryLedger, Policy, Taken, decide
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.scoring import FirstDenial

from .rules import brief, call, limit, policy, rule


def allowed(of: Policy, tools: str, *, ledger: MemoryLedger | None = None) -> str:
    """The tools that were allowed, one letter each; a dot for a denial."""
    ledger = ledger or MemoryLedger()
    verdicts = [(tool, FirstDenial()(decide(of, call(tool), ledger=ledger))) for tool in tools]
    return "".join(tool if verdict.state == "held" else "." for tool, verdict in verdicts)


@pytest.mark.parametrize(
    ("limits", "asked", "ran"),
    [
        ([limit("l", "calls", 2)], "abab", "ab.."),
        ([limit("l", "calls", 0)], "ab", ".."),
        ([limit("l", "attempts", 2)], "abab", "ab.."),
        ([limit("l", "a", 1)], "abab", "ab.b"),
        ([limit("l", "a", 1), limit("m", "b", 2)], "ababbb", "ab.b.."),
        ([limit("l", "a", 1), limit("m", "calls", 3)], "aabbbb", "a.bb.."),
        ([limit("l", "calls", 3), limit("m", "calls", 1)], "aaa", "a.."),
        ([limit("l", "attempts", 3), limit("m", "calls", 1)], "aaaa", "a..."),
        ([limit("l", "calls", 1, binding=False)], "aaa", "aaa"),
        ([limit("l", "attempts", 1, binding=False)], "aaa", "aaa"),
        ([limit("l", "calls", 1, binding=False), limit("m", "calls", 2)], "aaa", "aa."),
        ([], "aaa", "aaa"),
    ],
)
def test_so_many_and_no_more(limits: list[Limit], asked: str, ran: str) -> None:
    assert allowed(policy(limits=tuple(limits)), asked) == ran


def test_a_limit_says_its_own_message() -> None:
    of, ledger = policy(limits=(limit("l", "calls", 1),)), MemoryLedger()
    assert brief(decide(of, call(), ledger=ledger)) == ["l"]
    (found,) = decide(of, call("send"), ledger=ledger)
    assert (found.code, found.action, found.reason, found.outcome) == ("limit", "deny", "enough of send", "failed")


def test_an_observed_limit_tells_of_every_call_above_it() -> None:
    of, ledger = policy(limits=(limit("l", "calls", 1, binding=False),)), MemoryLedger()
    told = [brief(decide(of, call(), ledger=ledger)) for _ in range(3)]
    assert told == [["(l)"], ["(l) limit"], ["(l) limit"]]


def test_a_refused_call_takes_no_place_anywhere() -> None:
    of = policy(limits=(limit("l", "calls", 3), limit("m", "a", 1)))
    ledger = MemoryLedger()
    assert allowed(of, "aaaa", ledger=ledger) == "a..."
    assert allowed(of, "bbb", ledger=ledger) == "bb."


def test_a_denied_call_counts_as_an_attempt_only() -> None:
    of = policy(rule("no", "{tool.name: {equals: x}}"), limits=(limit("l", "calls", 1), limit("m", "attempts", 4)))
    assert allowed(of, "xxaaa") == "..a.."


def test_limits_of_other_tools_are_not_told() -> None:
    of, ledger = policy(limits=(limit("l", "a", 1), limit("m", "b", 1))), MemoryLedger()
    assert brief(decide(of, call("a"), ledger=ledger)) == ["l"]
    assert brief(decide(of, call("c"), ledger=ledger)) == []


def test_a_place_that_is_given_back_can_be_taken_again() -> None:
    of, ledger = policy(limits=(limit("l", "calls", 1), limit("m", "a", 1))), MemoryLedger()
    assert allowed(of, "aa", ledger=ledger) == "a."
    ledger.give_back([CALLS, calls_of("a")])
    assert allowed(of, "aa", ledger=ledger) == "a."
    ledger.give_back([CALLS, calls_of("a")])
    ledger.give_back([CALLS, calls_of("a")])
    assert allowed(of, "aa", ledger=ledger) == "a."


def test_places_are_taken_all_at_once_or_not_at_all() -> None:
    ledger = MemoryLedger()
    assert ledger.take([("a", 2), ("b", None)]) == Taken(counts=(1, 1))
    assert ledger.take([("b", 1), ("a", 2)]) == Taken(counts=(1, 1), full="b")
    assert ledger.take([("a", 2), ("c", 0)]) == Taken(counts=(1, 0), full="c")
    assert ledger.take([("a", 2), ("b", None)]) == Taken(counts=(2, 2))
    assert ledger.take([(ATTEMPTS, None)]) == Taken(counts=(1,))


@settings(deadline=None)
@given(
    asked=st.lists(st.sampled_from("abc"), max_size=12).map("".join),
    everywhere=st.integers(0, 6),
    each=st.integers(0, 3),
    attempts=st.integers(0, 10),
)
def test_no_limit_is_ever_exceeded_and_none_holds_back_early(
    asked: str, everywhere: int, each: int, attempts: int
) -> None:
    limits = (limit("c", "calls", everywhere), limit("a", "a", each), limit("t", "attempts", attempts))
    ran = ""
    for position, tool in enumerate(asked):
        fits = position < attempts and len(ran) < everywhere and (tool != "a" or ran.count("a") < each)
        ran += tool if fits else ""
    assert allowed(policy(limits=limits), asked).replace(".", "") == ran


@contextmanager
def switching_often() -> Iterator[None]:
    """Threads take turns as often as they can, so that what is not atomic comes apart."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def together(work: Callable[[], None], *, threads: int = 8) -> None:
    """The same work in many threads that begin at once."""
    begin = threading.Barrier(threads)

    def run() -> None:
        begin.wait()
        work()

    started = [threading.Thread(target=run) for _ in range(threads)]
    with switching_often():
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()


def test_many_threads_never_take_more_than_there_is() -> None:
    ledger = MemoryLedger()
    granted: list[Taken] = []

    def agent() -> None:
        taken = [ledger.take([("a", 5000), ("b", None)]) for _ in range(1000)]
        granted.extend(one for one in taken if one.full is None)

    together(agent)
    assert len(granted) == 5000
    assert {one.counts for one in granted} == {(count, count) for count in range(1, 5001)}


def test_many_sessions_of_one_policy_never_run_more_than_it_allows() -> None:
    of, ledger = policy(limits=(limit("l", "calls", 50), limit("m", "a", 20))), MemoryLedger()
    ran: list[str] = []
    together(lambda: ran.extend(allowed(of, "ab" * 20, ledger=ledger).replace(".", "")))
    assert len(ran) == 50
    assert ran.count("a") <= 20


def test_many_threads_that_give_back_leave_nothing_taken() -> None:
    ledger = MemoryLedger()
    most: list[int] = []

    def agent() -> None:
        for _ in range(1000):
            taken = ledger.take([("a", 3), ("b", None)])
            if taken.full is None:
                most.append(taken.counts[0])
                ledger.give_back(["a", "b"])

    together(agent)
    assert max(most) <= 3
    assert ledger.take([("a", None), ("b", None)]) == Taken(counts=(1, 1))
