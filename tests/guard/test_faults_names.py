"""Who calls what in which session: names that are none, and names that are not what they seem."""

from __future__ import annotations

import uuid
from enum import Enum, StrEnum
from typing import Any

import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.names import LONGEST_NAME
from bylaw.guard.principal import Principal
from bylaw.guard.sessions import MemorySessions

from .bundles import ALWAYS, Call, X, actions, bundle, echo, guard_of, last, limit, pre, watched


def refuse(_: Any) -> Any:
    raise RuntimeError("don't ask")


class NoClass:
    __class__ = property(refuse)


class Disguised(str):
    """Text that equals nothing, and is never where one looks for it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)


class Tools(str, Enum):  # noqa: UP042 (what older programs have)
    t = "t"


class Sessions(StrEnum):
    s = "s"


WRONG_TOOLS = [
    (5, "the name of the tool is not text but int"),
    (None, "the name of the tool is not text but NoneType"),
    (b"t", "the name of the tool is not text but bytes"),
    (["t"], "the name of the tool is not text but list"),
    (NoClass(), "the name of the tool is not text but NoClass"),
    ("", "the tool has no name"),
    ("t" * (LONGEST_NAME + 1), f"the name of the tool has {LONGEST_NAME + 1} characters; {LONGEST_NAME} is the most"),
]


@pytest.mark.parametrize(
    ("tool", "why"), WRONG_TOOLS, ids=["int", "None", "bytes", "list", "hostile", "empty", "too-long"]
)
def test_a_tool_without_a_proper_name_is_denied(call: Call, tool: Any, why: str) -> None:
    guard, sink = watched(pre("p", X))
    with pytest.raises(Denied) as raised:
        call(guard, tool, {}, echo)
    assert raised.value.reason == f"this call can't be judged: {why}"
    assert raised.value.decision_source == "tool"
    assert (actions(sink), last(sink).policy_error, last(sink).tool_name) == (["CALL_DENIED"], True, "")
    assert guard.evaluate(tool, {}).reason == raised.value.reason


def test_a_tool_without_a_proper_name_made_an_attempt(call: Call) -> None:
    guard = guard_of(limit("l", max_attempts=1))
    with pytest.raises(Denied, match="the tool has no name"):
        call(guard, "", {}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


@pytest.mark.parametrize("tool", [Disguised("t"), Tools.t], ids=["disguised", "enumeration"])
def test_a_tools_name_is_its_characters(call: Call, tool: str) -> None:
    guard, sink = watched(pre("p", ALWAYS))
    with pytest.raises(Denied, match="p says no"):
        call(guard, tool, {}, echo)
    assert (type(last(sink).tool_name), last(sink).tool_name) == (str, "t")


def test_a_tools_name_may_have_any_characters(call: Call) -> None:
    guard, sink = watched(limit("l", max_calls_per_tool={"t": 0}))
    for tool in ("\ud800", "calls:t", "t ", "T", "../t", "t" * LONGEST_NAME):
        assert call(guard, tool, {}, echo).result == "echo"
        assert last(sink).tool_name == tool
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


@pytest.mark.parametrize(
    ("session_id", "why"),
    [
        (5, "the name of the session is not text but int"),
        (uuid.UUID(int=1), "the name of the session is not text but UUID"),
        (b"s", "the name of the session is not text but bytes"),
        (["s"], "the name of the session is not text but list"),
        (NoClass(), "the name of the session is not text but NoClass"),
        ("s" * 10_000_000, f"the name of the session has 10000000 characters; {LONGEST_NAME} is the most"),
    ],
    ids=["int", "UUID", "bytes", "list", "hostile", "too-long"],
)
@pytest.mark.parametrize("limited", [True, False], ids=["limited", "unlimited"])
def test_a_session_without_a_proper_name_is_denied_and_not_counted(
    call: Call, session_id: Any, why: str, limited: bool
) -> None:
    sessions = MemorySessions()
    rules = [limit("l", max_attempts=9, max_tool_calls=9)] if limited else [pre("p", X)]
    guard, sink = watched(*rules, backend=sessions)
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo, session_id=session_id)
    assert raised.value.reason == f"this call can't be judged: {why}"
    assert (raised.value.decision_source, last(sink).policy_error) == ("session_id", True)
    assert len(sessions) == 0


def test_a_session_is_the_one_that_its_characters_name(call: Call) -> None:
    """Text that is never equal to itself would be a new session with every call."""
    guard = guard_of(limit("l", max_tool_calls=1))
    call(guard, "t", {}, echo, session_id=Disguised("s"))
    for session_id in (Disguised("s"), "s", Sessions.s):
        with pytest.raises(Denied, match="l is reached"):
            call(guard, "t", {}, echo, session_id=session_id)


@pytest.mark.parametrize("session_id", ["\ud800", "a b{c}\0", "s" * (LONGEST_NAME - 1)], ids=["half", "odd", "long"])
def test_a_sessions_name_may_have_any_characters(call: Call, session_id: str) -> None:
    guard = guard_of(limit("l", max_tool_calls=1))
    call(guard, "t", {}, echo, session_id=session_id)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo, session_id=session_id)


def test_a_guard_that_observes_lets_run_what_it_can_t_name(call: Call) -> None:
    sink = MemorySink()
    guard = Guard.from_text(bundle(limit("l", max_tool_calls=0)), mode="observe", audit_sink=sink)
    assert call(guard, "", {}, echo, session_id=5).result == "echo"
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"]
    assert sink.events[0].decision_source == "session_id"


def made_of(**fields: Any) -> Principal:
    """Whatever the fields are: nobody checks them before a call does."""
    return Principal(**fields)


@pytest.mark.parametrize(
    ("who", "why"),
    [
        (made_of(role=5), "`role` is int, not text"),
        (made_of(claims=5), "`claims` is int, not a mapping"),
        (made_of(claims={5: "x"}), "the argument name 5 is not text"),
        (Principal, "this is the class `Principal`"),
        (NoClass(), "RuntimeError: don't ask"),
        ({"role": NoClass()}, "RuntimeError: don't ask"),
    ],
    ids=["role", "claims", "claim", "class", "hostile", "hostile-role"],
)
def test_a_principal_of_the_wrong_kind_is_denied(call: Call, who: Any, why: str) -> None:
    guard, sink = watched(pre("p", {"principal.role": {"equals": "intern"}}))
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo, principal=who)
    assert raised.value.reason == f"it can't be told who asks: {why}"
    assert (raised.value.decision_source, last(sink).policy_error) == ("principal", True)


@pytest.mark.parametrize("make", [Principal, dict], ids=["principal", "mapping"])
def test_who_asks_is_what_the_characters_say(call: Call, make: Any) -> None:
    guard = guard_of(pre("p", {"principal.role": {"equals": "intern"}}))
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {}, echo, principal=make(role=Disguised("intern")))
