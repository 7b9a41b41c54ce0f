"""A guard that is made of, or called with, the wrong things says so at once and by the names its users know."""

from __future__ import annotations

import asyncio
import contextvars
import pickle
import traceback
from pathlib import Path
from typing import Any

import pytest

from bylaw.callguard import CallGuard, CallGuardConfigError, CallGuardDenied, Principal
from bylaw.errors import ConfigError, Misuse
from bylaw.guard.audit import FileSink, MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.sessions import MemorySessions

from .bundles import Call, bundle, echo, guard_of, limit

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"audit_sink": "audit.jsonl"}, r"`audit_sink` is str, which has no `emit`: give one as `FileAuditSink\(path\)`"),
    ({"audit_sink": FileSink}, "`audit_sink` is the class `FileSink`"),
    ({"backend": "redis://here"}, r"`backend` is str, which has no `take`: give one as .*`RedisBackend\(url\)`"),
    ({"backend": MemorySessions}, "`backend` is the class `MemorySessions`"),
    ({"backend": {}}, "`backend` is dict, which has no `take`"),
    ({"principal": Principal}, "`principal` is the class `Principal`"),
    ({"principal": "kim"}, "`principal` is str"),
    ({"session": 5}, "`session` is its name or a function without arguments: .* is not text but int"),
    ({"session": ""}, "`session` is empty"),
    ({"session": asyncio.sleep}, "`session` is asynchronous"),
]


@pytest.mark.parametrize(("options", "says"), WRONG, ids=[f"{next(iter(o))}-{at}" for at, (o, _) in enumerate(WRONG)])
def test_a_wrong_part_is_misuse_when_the_guard_is_made(options: dict[str, Any], says: str) -> None:
    with pytest.raises(Misuse, match=says):
        Guard(**options)


def test_nothing_is_written_where_a_part_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path: Any = "audit.jsonl"
    with pytest.raises(Misuse):
        Guard(audit_sink=path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["run_sync", "call_sync", "run", "call"])
def test_an_unknown_word_is_told_under_the_name_that_was_called(way: str) -> None:
    with pytest.raises(TypeError) as raised:
        asyncio.run(_called(getattr(Guard(), way)))
    assert str(raised.value) == f"{way}() got an unexpected keyword argument 'sesion_id' (did you mean `session_id`?)"


async def _called(way: Any) -> Any:
    found = way("t", {}, echo, sesion_id="x")
    return await found if asyncio.iscoroutine(found) else found


def test_an_unknown_word_beside_a_decorator_is_told_when_the_function_is_decorated() -> None:
    with pytest.raises(TypeError, match=r"tool\(\) got an unexpected keyword argument 'sessionid'"):
        Guard().tool(sessionid="x")


def test_a_denial_is_shown_by_the_name_its_users_know() -> None:
    guard = CallGuard.from_text(bundle(limit("l", max_attempts=1)))
    guard.run_sync("t", {}, echo)
    with pytest.raises(CallGuardDenied) as raised:
        guard.run_sync("t", {}, echo)
    shown = traceback.format_exception_only(raised.value)
    assert shown == ["bylaw.callguard.CallGuardDenied: l is reached\n"]
    assert isinstance(raised.value, Denied)
    assert isinstance(Denied("no"), CallGuardDenied)
    assert issubclass(Misuse, CallGuardConfigError)
    assert repr(ConfigError) == "<class 'bylaw.callguard.CallGuardConfigError'>"
    assert type(pickle.loads(pickle.dumps(Denied("no")))) is CallGuardDenied


class Desk:
    def refund(self, amount: int) -> int:
        return amount


def test_a_method_that_is_not_bound_is_named() -> None:
    with pytest.raises(
        TypeError, match=r"`Desk\.refund` is a method that is not bound: .*`guard\.tool\(thing\.refund\)`"
    ):
        Guard().tool(Desk.refund, name="issue_refund")


current: contextvars.ContextVar[str] = contextvars.ContextVar("current")


def in_session(name: str, work: Any) -> Any:
    def entered() -> Any:
        current.set(name)
        return work()

    return contextvars.copy_context().run(entered)


def test_one_decorated_function_serves_many_sessions() -> None:
    guard = guard_of(limit("l", max_tool_calls=1), session=current.get)
    tool = guard.tool(lambda: "done", name="t")
    assert in_session("a", tool) == "done"
    assert in_session("b", tool) == "done"
    with pytest.raises(Denied, match="l is reached"):
        in_session("a", tool)


def test_a_session_that_is_named_once_is_that_of_every_call(call: Call) -> None:
    guard = guard_of(limit("l", max_tool_calls=1), session="desk-7")
    call(guard, "t", {}, echo)
    assert guard.sessions.counts("desk-7")["calls"] == 1
    call(guard, "t", {}, echo, session_id="other")
    assert guard.sessions.counts("other")["calls"] == 1


def boom() -> str:
    raise LookupError("no request here")


@pytest.mark.parametrize(
    ("find", "why"),
    [
        (current.get, "its session can't be told: LookupError"),
        (boom, "its session can't be told: LookupError: no request here"),
        (lambda: "", "its session can't be told: nothing says which it is"),
        (lambda: None, "its session can't be told: nothing says which it is"),
        (lambda: 5, "the name of the session is not text but int"),
    ],
    ids=["not-set", "raises", "empty", "none", "number"],
)
def test_a_session_that_can_t_be_told_denies(call: Call, find: Any, why: str) -> None:
    sink = MemorySink()
    guard = guard_of(limit("l", max_tool_calls=1), session=find, audit_sink=sink)
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo)
    assert raised.value.reason.startswith("this call can't be judged: ")
    assert why in raised.value.reason
    assert sink.events[-1].policy_error


@pytest.mark.parametrize("session_id", [0, b"", [], 5], ids=repr)
def test_a_session_that_is_no_text_is_not_taken_for_none_at_all(call: Call, session_id: Any) -> None:
    guard = guard_of(limit("l", max_tool_calls=1))
    with pytest.raises(Denied, match="the name of the session is not text"):
        call(guard, "t", {}, echo, session_id=session_id)
