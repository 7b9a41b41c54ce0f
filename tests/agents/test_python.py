from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.faults import ToolFault
from bylaw.plan import Scenario, Trial

from .python_agents import Place, Write, asked, fault, run

CALLABLE = {
    "function": ("agent:run", "def run(prompt): return 'got ' + prompt"),
    "async function": ("agent:run", "async def run(prompt): return 'got ' + prompt"),
    "lambda": ("agent:run", "run = lambda prompt: 'got ' + prompt"),
    "instance": ("agent:it", "class A:\n  def __call__(self, p): return 'got ' + p\nit = A()"),
    "invoke": ("agent:it", "class A:\n  def invoke(self, p): return 'got ' + p\nit = A()"),
    "ainvoke": ("agent:it", "class A:\n  async def ainvoke(self, p): return 'got ' + p\nit = A()"),
    "method": ("agent:it.go", "class A:\n  def go(self, p): return 'got ' + p\nit = A()"),
}


@pytest.mark.parametrize("kind", CALLABLE)
def test_an_agent_may_be_anything_that_takes_a_prompt(write: Write, kind: str) -> None:
    endpoint, text = CALLABLE[kind]
    (evidence,) = run(write(text, endpoint=endpoint, tools=()), "hello")
    assert (evidence.output, evidence.failure, evidence.error) == ("got hello", None, None)


@pytest.mark.parametrize(
    ("result", "output"),
    [
        ("None", None),
        ("''", ""),
        ("{'a': [1, None]}", '{"a":[1,null]}'),
        ("['é', float('nan')]", '["é","nan"]'),
        ("__import__('types').SimpleNamespace(content='said')", "said"),
        ("__import__('types').SimpleNamespace(content=[{'text': 'x'}])", '[{"text":"x"}]'),
        ("42", "42"),
        ("b'bytes'", "bytes"),
        ("'lone \\udcff'", "lone \\udcff"),
    ],
)
def test_the_answer_becomes_text(write: Write, result: str, output: str | None) -> None:
    (evidence,) = run(write(f"def run(prompt): return {result}"), "x")
    assert (evidence.output, evidence.failure) == (output, None)


def test_a_generator_is_no_answer(write: Write) -> None:
    (evidence,) = run(write("def run(prompt): yield 'x'"), "x")
    assert evidence.failure == "TypeError: the agent gave back a generator, which is no answer"


def test_calls_of_tools_are_seen(write: Write) -> None:
    agent = write(
        """
        import tools
        from tools import search
        TOOLS = {"fetch": tools.fetch}
        async def run(prompt):
            search(prompt)
            tools.book("tea", count=2)
            return await TOOLS["fetch"]("http://x")
        """
    )
    first, second = run(agent, "one", "two")
    assert asked(first) == [
        ("search", {"q": "one"}),
        ("book", {"item": "tea", "count": 2}),
        ("fetch", {"url": "http://x"}),
    ]
    assert [call.answer.text for call in first.calls if call.answer] == [
        "found one",
        '{"booked":"tea"}',
        "body of http://x",
    ]
    assert second.calls[0].args == {"q": "two"}
    assert len(second.calls) == 3


def test_a_call_belongs_to_its_trial_whatever_thread_makes_it(write: Write) -> None:
    agent = write(
        """
        from concurrent.futures import ThreadPoolExecutor
        import tools
        pool = ThreadPoolExecutor(4)
        def run(prompt):
            return list(pool.map(tools.search, [f"{prompt}{n}" for n in range(20)]))
        """
    )
    for evidence, letter in zip(run(agent, "a", "b", "c"), "abc", strict=True):
        assert {call.args["q"] for call in evidence.calls} == {f"{letter}{n}" for n in range(20)}
        assert all(call.answer and call.answer.text == f"found {call.args['q']}" for call in evidence.calls)


def test_arguments_of_any_kind_are_seen(write: Write) -> None:
    agent = write(
        """
        import threading, tools
        def run(prompt):
            circle = []
            circle.append(circle)
            odd = {"lock": threading.Lock(), "circle": circle, "nan": float("nan"), 1: b"\\xff", "big": 10 ** 40}
            tools.search(odd)
        """
    )
    (evidence,) = run(agent, "x")
    seen = evidence.calls[0].args["q"]
    assert seen["lock"].startswith("<unlocked")
    assert (seen["circle"], seen["nan"], seen["1"]) == (["<the same value again>"], "nan", "\\xff")
    msgspec.json.encode(evidence)


SEARCHES = """
import tools
def run(prompt):
    try:
        return tools.search(prompt)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
"""


@pytest.mark.parametrize(
    ("hit_by", "output"),
    [
        (fault("error", error_code=500), "ToolFaultError: 500 Internal Server Error"),
        (fault("timeout", delay_ms=10), "TimeoutError: timed out after 10 ms"),
        (fault("slow", delay_ms=10), "found x"),
        (fault("malicious_response", payload="obey"), "obey"),
    ],
)
def test_faults_reach_the_agent(write: Write, hit_by: ToolFault, output: str) -> None:
    (evidence,) = run(write(SEARCHES), "x", faults=(hit_by,))
    assert evidence.output == output
    assert evidence.calls[0].faults == evidence.reached == evidence.fired == ("f",)
    assert evidence.closed == ()


def test_a_malformed_answer_reaches_the_agent(write: Write) -> None:
    (evidence,) = run(
        write("import json, tools\ndef run(p): return json.loads(tools.search(p))"), "x", faults=(fault("malformed"),)
    )
    assert str(evidence.failure).startswith("JSONDecodeError")


def test_after_the_call_the_tool_has_run_and_its_answer_is_lost(write: Write, tmp_path: Path) -> None:
    agent = write(
        """
        import tools
        def run(prompt):
            for _ in range(2):
                try:
                    return tools.book("tea")
                except Exception:
                    pass
        """
    )
    (evidence,) = run(agent, "x", faults=(fault("error", phase="after"),))
    assert (tmp_path / "booked").read_text() == "tea\ntea\n"
    assert [call.faults for call in evidence.calls] == [("f",), ("f",)]


def test_async_tools_fail_too(write: Write) -> None:
    (evidence,) = run(
        write("import tools\nasync def run(p): return await tools.fetch(p)"), "x", faults=(fault("error"),)
    )
    assert evidence.failure == "ToolFaultError: 503 Service Unavailable"


def test_a_fault_that_does_not_fire_was_reached_and_one_that_does_not_match_was_not(write: Write) -> None:
    faults = (fault("error", id="late", after_calls=5), fault("error", id="other", tool="book"))
    (evidence,) = run(write(SEARCHES), "x", faults=faults)
    assert (evidence.output, evidence.reached, evidence.fired, evidence.closed) == ("found x", ("late",), (), ())


def test_faults_that_have_no_way_in_are_closed(write: Write) -> None:
    class OtherFault(msgspec.Struct, frozen=True):
        id: str

    (evidence,) = run(write(SEARCHES, tools=()), "x", faults=(fault("error"),))
    assert (evidence.output, evidence.closed, evidence.reached) == ("found x", ("f",), ())
    faults = (OtherFault("model"), fault("error"), fault("error", id="unknown", tool="refund"))
    (evidence,) = run(write(SEARCHES), "x", faults=faults)
    assert (evidence.closed, evidence.fired) == (("model", "unknown"), ("f",))


def test_the_same_seed_gives_the_same_faults_in_any_order_of_trials_and_at_any_concurrency(write: Write) -> None:
    agent = write(
        """
        import tools
        def run(prompt):
            for n in range(30):
                try: tools.search(str(n))
                except Exception: pass
        """
    )
    flaky = Scenario(faults=(fault("error", probability=0.5),))

    async def hits(seeds: list[int], *, instances: int) -> dict[int, list[bool]]:
        found = {}
        waiting = list(seeds)

        async def work() -> None:
            async with agent.open() as instance:
                while waiting:
                    seed = waiting.pop()
                    evidence = await instance.run(Trial(id="t", subject=agent, scenario=flaky, seed=seed), None)
                    found[seed] = [bool(call.faults) for call in evidence.calls]

        await asyncio.gather(*(work() for _ in range(instances)))
        return found

    one_by_one = asyncio.run(hits(list(range(8)), instances=1))
    assert asyncio.run(hits([5, 2, 7, 0, 1, 3, 6, 4], instances=4)) == one_by_one
    assert len({tuple(pattern) for pattern in one_by_one.values()}) == 8


def test_what_the_agent_raises_is_its_failure(write: Write) -> None:
    agent = write(
        """
        import sys
        def run(prompt):
            if prompt == "exit": sys.exit(4)
            if prompt == "stop": raise KeyboardInterrupt
            raise ValueError("no such order")
        """
    )
    evidences = run(agent, "raise", "exit", "stop")
    assert [evidence.failure for evidence in evidences] == [
        "ValueError: no such order",
        "SystemExit: 4",
        "KeyboardInterrupt",
    ]
    assert {evidence.output for evidence in evidences} == {None}


def test_an_agent_remembers_until_it_is_reset(write: Write) -> None:
    text = """
    seen = []
    def run(prompt):
        seen.append(prompt)
        return len(seen)
    def forget():
        seen.clear()
    async def forget_later():
        seen.clear()
    """
    assert [evidence.output for evidence in run(write(text), "a", "b")] == ["1", "2"]
    assert [evidence.output for evidence in run(write(text, reset="agent:forget"), "a", "b")] == ["1", "1"]
    assert [evidence.output for evidence in run(write(text, reset="agent:forget_later"), "a", "b")] == ["1", "1"]


def test_a_reset_that_fails_is_an_error_and_the_agent_does_not_run(write: Write, tmp_path: Path) -> None:
    text = "def run(prompt): open('ran', 'w')\ndef forget(): raise OSError('no disk')"
    (evidence,) = run(write(text, reset="agent:forget"), "x")
    assert (evidence.error, evidence.failure) == ("the reset failed: OSError: no disk", None)
    assert not (tmp_path / "ran").exists()


def test_surroundings_hold_for_the_trial(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_THE_CALLER", "kept")
    monkeypatch.setenv("OVERRIDDEN", "before")
    place = tmp_path / "place"
    place.mkdir()
    agent = write(
        """
        import os, sys
        def run(prompt):
            return [os.getcwd(), *(os.environ.get(name) for name in ("ADDED", "OVERRIDDEN", "FROM_THE_CALLER"))]
        """
    )

    async def both() -> list[Any]:
        surroundings = Place(directory=str(place), environment={"ADDED": "new", "OVERRIDDEN": "after"})
        async with agent.open() as instance:
            found = [await instance.run(Trial(id="t", subject=agent), where) for where in (surroundings, None)]
        return [msgspec.json.decode(str(evidence.output)) for evidence in found]

    inside, outside = asyncio.run(both())
    assert inside == [str(place), "new", "after", "kept"]
    assert outside == [str(tmp_path), None, "before", "kept"]


def test_surroundings_that_are_not_there_are_an_error(write: Write) -> None:
    (evidence,) = run(write("def run(prompt): return 'x'"), "x", place=Place(directory="/not/there"))
    assert evidence.error == "the directory `/not/there` can't be used: no such file or directory"


def test_async_agents_keep_their_event_loop_but_not_their_tasks(write: Write) -> None:
    agent = write(
        """
        import asyncio
        loops, ticks = set(), []
        async def tick():
            while True:
                ticks.append(1)
                await asyncio.sleep(0)
        async def run(prompt):
            loops.add(id(asyncio.get_running_loop()))
            left = len(asyncio.all_tasks()) - 1
            run.task = asyncio.create_task(tick())
            await asyncio.sleep(0.01)
            return [len(loops), left]
        """
    )
    assert [evidence.output for evidence in run(agent, "a", "b")] == ["[1,0]", "[1,0]"]


def test_a_long_prompt_arrives(write: Write) -> None:
    (evidence,) = run(write("def run(prompt): return len(prompt)"), "é" * 5_000_000)
    assert evidence.output == "5000000"


def test_it_costs_one_call_and_runs_as_often_as_wanted(write: Write) -> None:
    agent = write("def run(prompt): ...")
    assert (agent.slots, agent.cost.agent_calls) == (None, 1)
