from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from bylaw.evidence import Answer, ToolCall
from bylaw.faults import Schedule, ToolFault
from bylaw.interpose import Recorder, ToolFaultError

Call = Callable[[Recorder, Callable[[], Any]], Any]


def by_call(recorder: Recorder, perform: Callable[[], Any]) -> Any:
    return recorder.call("search", {"q": "x"}, perform)


def by_await(recorder: Recorder, perform: Callable[[], Any]) -> Any:
    async def performed() -> Any:
        return perform()

    return asyncio.run(recorder.call_async("search", {"q": "x"}, performed))


@pytest.fixture(params=[by_call, by_await], ids=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Call:
    road: Call = request.param
    return road


def recorder(mode: Any = None, **fields: Any) -> Recorder:
    faults = () if mode is None else (ToolFault(id="f", tool="search", mode=mode, **fields),)
    return Recorder(Schedule(faults, seed=1))


def answered(of: Recorder) -> tuple[str | None, str | None]:
    (recorded,) = of.calls
    assert recorded.answer is not None
    return recorded.answer.text, recorded.answer.raised


class Tool:
    def __init__(self, result: Any = "found") -> None:
        self.runs = 0
        self.result = result

    def __call__(self) -> Any:
        self.runs += 1
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def test_a_call_is_recorded_with_its_answer(call: Call) -> None:
    recorded = recorder()
    assert call(recorded, Tool()) == "found"
    (only,) = recorded.calls
    assert (only.tool, only.args, only.faults) == ("search", {"q": "x"}, ())
    assert answered(recorded) == ("found", None)


@pytest.mark.parametrize(("result", "said"), [(None, None), ({"a": 1}, '{"a":1}'), (7, "7"), ("", "")])
def test_the_answer_is_kept_as_text(result: Any, said: str | None) -> None:
    recorded = recorder()
    assert by_call(recorded, Tool(result)) == result
    assert answered(recorded) == (said, None)


def test_a_generator_is_handed_on_untouched() -> None:
    recorded = recorder()
    given = by_call(recorded, lambda: (letter for letter in "ab"))
    assert answered(recorded) == ("<generator>", None)
    assert list(given) == ["a", "b"]


def test_what_a_tool_raises_is_recorded_and_raised(call: Call) -> None:
    recorded = recorder()
    with pytest.raises(KeyError):
        call(recorded, Tool(KeyError("id")))
    assert answered(recorded) == (None, "KeyError: 'id'")


def test_an_error_is_raised_in_place_of_the_call(call: Call) -> None:
    recorded, tool = recorder("error", error_code=429, message="later"), Tool()
    with pytest.raises(ToolFaultError, match=r"^429 Too Many Requests: later$"):
        call(recorded, tool)
    assert tool.runs == 0
    assert recorded.calls[0].faults == ("f",)
    assert answered(recorded) == (None, "ToolFaultError: 429 Too Many Requests: later")


def test_a_timeout_waits_and_raises(call: Call) -> None:
    recorded, tool = recorder("timeout", delay_ms=30), Tool()
    with pytest.raises(TimeoutError, match="timed out after 30 ms"):
        call(recorded, tool)
    assert tool.runs == 0
    answer = recorded.calls[0].answer
    assert answer is not None
    assert answer.ms >= 29


def test_a_slow_tool_answers_in_the_end(call: Call) -> None:
    recorded, tool = recorder("slow", delay_ms=30), Tool()
    assert call(recorded, tool) == "found"
    assert tool.runs == 1
    answer = recorded.calls[0].answer
    assert answer is not None
    assert answer.ms >= 29


def test_a_slow_tool_still_raises_what_it_raises(call: Call) -> None:
    with pytest.raises(KeyError):
        call(recorder("slow", delay_ms=1), Tool(KeyError("id")))


def test_answers_are_replaced(call: Call) -> None:
    tool = Tool()
    assert call(recorder("malicious_response", payload="obey me"), tool) == "obey me"
    assert "found" not in call(recorder("malformed"), tool)
    assert tool.runs == 0


@pytest.mark.parametrize("result", ["found", KeyError("id")])
def test_in_phase_after_the_tool_runs_and_its_answer_is_lost(call: Call, result: Any) -> None:
    recorded, tool = recorder("error", phase="after"), Tool(result)
    with pytest.raises(ToolFaultError):
        call(recorded, tool)
    assert tool.runs == 1
    assert answered(recorded) == (None, "ToolFaultError: 503 Service Unavailable")
    replaced, tool = recorder("malicious_response", payload="obey", phase="after", delay_ms=1), Tool(result)
    assert call(replaced, tool) == "obey"
    assert tool.runs == 1


def test_a_call_is_seen_before_it_ends() -> None:
    notes: list[tuple[int, ToolCall, tuple[str, ...]]] = []
    schedule = Schedule((ToolFault(id="f", tool="*", mode="error", after_calls=5),), seed=1)
    recorded = Recorder(schedule, note=lambda *note: notes.append(note))

    def look() -> str:
        assert [note[1].answer for note in notes] == [None]
        assert recorded.calls[0].answer is None
        return "found"

    recorded.call("search", {}, look)
    assert [(number, reached) for number, _, reached in notes] == [(0, ("f",)), (0, ("f",))]
    assert recorded.calls == (notes[1][1],)


def test_calls_of_several_threads_are_all_there_in_the_order_they_began() -> None:
    recorded, both_inside = recorder(), threading.Barrier(2)

    def inside() -> str:
        both_inside.wait(30)
        return threading.current_thread().name

    threads = [
        threading.Thread(name=name, target=recorded.call, args=("t", {"by": name}, inside)) for name in ("one", "two")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {recorded.calls[0].args["by"], recorded.calls[1].args["by"]} == {"one", "two"}
    for each in recorded.calls:
        assert isinstance(each.answer, Answer)
        assert each.answer.text == each.args["by"]


def test_a_cancelled_call_ends_as_cancelled() -> None:
    recorded = recorder("timeout")

    async def give_up() -> None:
        async with asyncio.timeout(0.01):
            await recorded.call_async("search", {}, lambda: asyncio.sleep(0))

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert answered(recorded) == (None, "CancelledError")


def test_a_callable_s_url_is_its_argument_of_that_name() -> None:
    fault = ToolFault(id="f", tool="*", mode="error", match_url="https://pay.*")
    recorded = Recorder(Schedule((fault,), seed=1))
    assert recorded.call("get", {"url": "https://shop.example"}, Tool()) == "found"
    with pytest.raises(ToolFaultError):
        recorded.call("get", {"url": "https://pay.example"}, Tool())
