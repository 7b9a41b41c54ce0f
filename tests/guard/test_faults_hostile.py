"""Objects that raise or lie when they are looked at: none of them is an open gate, or hides what happened."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied, Outcome
from bylaw.guard.guard import Guard

from .bundles import Call, X, actions, echo, guard_of, last, post, pre, watched


class Grumpy(Exception):
    """Can't even be shown."""

    def __str__(self) -> str:
        raise ValueError("no")


def refuse(*_: Any) -> Any:
    raise Grumpy


class NoClass:
    __class__ = property(refuse)


class NoRepr:
    __repr__ = __str__ = refuse


class NoEq:
    __eq__ = refuse
    __hash__ = None  # type: ignore[assignment]  # how Python says that there is none


class NoHash:
    __hash__ = refuse


class NoBool:
    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = None  # type: ignore[assignment]  # how Python says that there is none
    __bool__ = refuse


HOSTILE = [NoClass, NoRepr, NoEq, NoHash, NoBool]


@pytest.mark.parametrize("kind", HOSTILE, ids=lambda kind: kind.__name__)
def test_a_hostile_argument_is_given_to_the_tool_where_no_rule_looks_at_it(call: Call, kind: type) -> None:
    guard, sink = watched(pre("p", X))
    got: list[Any] = []
    call(guard, "t", {"y": kind(), "z": [{"deep": kind()}]}, lambda y, z: got.append(y))
    assert [type(each) for each in got] == [kind]
    assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED"]


@pytest.mark.parametrize("kind", [NoEq, NoBool], ids=lambda kind: kind.__name__)
def test_a_hostile_argument_breaks_the_rule_that_looks_at_it(call: Call, kind: type) -> None:
    guard, sink = watched(pre("p", X))
    with pytest.raises(Denied, match="the rule could not be evaluated"):
        call(guard, "t", {"x": kind()}, echo)
    assert (actions(sink), last(sink).policy_error) == (["CALL_DENIED"], True)


@pytest.mark.parametrize("kind", HOSTILE, ids=lambda kind: kind.__name__)
def test_hostile_arguments_as_a_whole_are_denied(call: Call, kind: type) -> None:
    guard, sink = watched(pre("p", X))
    with pytest.raises(Denied, match="the arguments can't be judged"):
        call(guard, "t", kind(), echo)
    assert (actions(sink), last(sink).policy_error) == (["CALL_DENIED"], True)


@pytest.fixture
def looking() -> tuple[Guard, MemorySink]:
    return watched(post("w", {"output.text": {"contains": "object"}}))


@pytest.mark.parametrize("kind", HOSTILE[1:], ids=lambda kind: kind.__name__)
def test_a_hostile_result_reaches_the_caller_with_a_warning(
    call: Call, kind: type, looking: tuple[Guard, MemorySink]
) -> None:
    guard, sink = looking
    outcome: Outcome = call(guard, "t", {}, lambda: kind())
    assert type(outcome.result) is kind
    assert [found.code for found in outcome.warnings] == ["policy_error" if kind is NoRepr else "warned"]
    assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED", "POSTCONDITION_WARNING"]


class TwoFaced(str):
    """Text that denies everything about itself."""

    __slots__ = ()
    __contains__ = __eq__ = lambda self, other: False
    __hash__ = str.__hash__
    __format__ = __str__ = refuse


class Speaker:
    def __str__(self) -> str:
        return TwoFaced("a secret")


@pytest.mark.parametrize("result", [TwoFaced("a secret"), Speaker()], ids=["is", "says"])
def test_a_result_that_lies_about_its_text(call: Call, result: Any) -> None:
    """Rules look at the characters; a result that can't be made text breaks them."""
    outcome = call(guard_of(post("w", {"output.text": {"contains": "secret"}})), "t", {}, lambda: result)
    assert [found.item.id for found in outcome.warnings] == ["w"]


class Liar(Exception):
    def __str__(self) -> str:
        return TwoFaced("went wrong")


class NamelessKind(type):
    __name__ = property(refuse)


class Nameless(Exception, metaclass=NamelessKind):
    """Its class does not say its name."""


@pytest.mark.parametrize(
    ("kind", "error"), [(Liar, "Liar: went wrong"), (Nameless, "Nameless")], ids=["text", "name"]
)
def test_an_exception_that_can_t_be_told_properly_is_still_the_tools_own(
    call: Call, kind: type[Exception], error: str
) -> None:
    def tool() -> None:
        raise kind

    guard, sink = watched(pre("p", X))
    with pytest.raises(kind):
        call(guard, "t", {}, tool)
    assert (actions(sink), last(sink).error) == (["CALL_ALLOWED", "CALL_FAILED"], error)


def test_a_result_that_can_t_be_asked_what_it_is_counts_as_a_failure(call: Call) -> None:
    guard, sink = watched(pre("p", X))
    with pytest.raises(Grumpy):
        call(guard, "t", {}, NoClass)
    assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]
