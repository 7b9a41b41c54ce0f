from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from bylaw.faults import Schedule, ToolFault


def fired(schedule: Schedule, tool: str, calls: int, url: str | None = None) -> list[bool]:
    return [schedule.decide(tool, url).fault is not None for _ in range(calls)]


def test_a_fault_hits_its_tool_and_no_other() -> None:
    fault = ToolFault(id="down", tool="search", mode="error")
    schedule = Schedule((fault,), seed=1)
    assert schedule.decide("book").reached == ()
    decision = schedule.decide("search")
    assert decision.fault == fault
    assert decision.reached == ("down",)
    assert schedule.reached == schedule.fired == ("down",)


def test_a_star_hits_every_tool() -> None:
    schedule = Schedule((ToolFault(id="all", tool="*", mode="error"),), seed=1)
    assert fired(schedule, "search", 1) == fired(schedule, "book", 1) == [True]


def test_calls_before_the_wanted_number_go_past() -> None:
    schedule = Schedule((ToolFault(id="late", tool="search", mode="error", after_calls=2),), seed=1)
    assert fired(schedule, "search", 1) == [False]
    assert (schedule.reached, schedule.fired) == (("late",), ())
    assert fired(schedule, "other", 5) == [False] * 5
    assert fired(schedule, "search", 3) == [False, True, True]


def test_the_first_fault_of_the_file_that_fires_wins_and_all_that_match_count_the_call() -> None:
    faults = (
        ToolFault(id="later", tool="search", mode="error", after_calls=2),
        ToolFault(id="slow", tool="*", mode="slow"),
        ToolFault(id="never", tool="search", mode="error", probability=0),
    )
    schedule = Schedule(faults, seed=1)
    decisions = [schedule.decide("search") for _ in range(3)]
    assert [decision.fault.id if decision.fault else None for decision in decisions] == ["slow", "slow", "later"]
    assert {decision.reached for decision in decisions} == {("later", "slow", "never")}
    assert schedule.fired == ("slow", "later")


def test_a_url_pattern_matches_only_calls_whose_url_is_known() -> None:
    schedule = Schedule((ToolFault(id="eu", tool="*", mode="error", match_url="https://eu.*/orders/*"),), seed=1)
    assert fired(schedule, "get", 1) == [False]
    assert fired(schedule, "get", 1, "https://us.example.com/orders/1") == [False]
    assert schedule.reached == ()
    assert fired(schedule, "get", 1, "https://eu.example.com/orders/1") == [True]


def test_the_same_seed_gives_the_same_faults_on_the_same_calls() -> None:
    fault = ToolFault(id="flaky", tool="search", mode="error", probability=0.5)
    patterns = {seed: fired(Schedule((fault,), seed=seed), "search", 40) for seed in range(20)}
    again = {seed: fired(Schedule((fault,), seed=seed), "search", 40) for seed in reversed(range(20))}
    assert patterns == again
    assert len({tuple(pattern) for pattern in patterns.values()}) == 20
    assert patterns[0] != fired(
        Schedule((ToolFault(id="other", tool="search", mode="error", probability=0.5),), seed=0), "search", 40
    )


def test_one_fault_does_not_disturb_another() -> None:
    flaky = ToolFault(id="flaky", tool="search", mode="error", probability=0.5)
    beside = ToolFault(id="beside", tool="search", mode="slow", probability=0.5)

    def hits(*faults: ToolFault) -> list[bool]:
        schedule = Schedule(faults, seed=3)
        return [decision.fault == flaky for decision in (schedule.decide("search") for _ in range(40))]

    assert hits(flaky) == hits(flaky, beside)


def test_a_probability_is_met_over_many_calls() -> None:
    rare = Schedule((ToolFault(id="rare", tool="search", mode="error", probability=0.2),), seed=7)
    assert 0.18 < sum(fired(rare, "search", 10_000)) / 10_000 < 0.22


def test_threads_of_one_agent_share_the_count() -> None:
    schedule = Schedule((ToolFault(id="late", tool="search", mode="error", after_calls=600),), seed=1)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: schedule.decide("search").fault is not None, range(1000)))
    assert sum(results) == 400
