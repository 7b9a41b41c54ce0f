"""A request as a call that can be judged, or why it is none."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import msgspec

from bylaw.evidence import ToolCall
from bylaw.guard.names import LONGEST_NAME, NotAName, plain_name
from bylaw.guard.principal import NotAPrincipal, who_asks
from bylaw.guard.request import Request
from bylaw.guard.session_names import Unknown
from bylaw.guard.shown import said_by
from bylaw.guard.snapshot import CannotCopy, snapshot
from bylaw.guard.steps import Ask, Step


class Problem(msgspec.Struct, frozen=True):
    """What can't be told of a call, and why."""

    about: str
    reason: str


class Asked(msgspec.Struct, frozen=True):
    """What is judged, what the tool gets, and a problem where the one is not the other.

    `request` is the one that was made, under names that are plain text.
    """

    call: ToolCall
    args: Mapping[str, Any]
    request: Request
    problem: Problem | None = None


def asked(request: Request, *, looks_back: bool) -> Asked:
    """The tool gets a copy of its own if the arguments are looked at once it had them: it may change what it gets."""
    problem: Problem | None = None
    tool, session_id = request.tool, request.session_id
    if type(tool) is not str or type(session_id) is not str or not tool or len(tool) + len(session_id) > LONGEST_NAME:
        request, problem = _named(request)
    args: Mapping[str, Any] = {}
    theirs: Mapping[str, Any] = request.args
    principal: Mapping[str, Any] | None = None
    try:
        args = snapshot(request.args)
        theirs = snapshot(args) if looks_back else args
        if not callable(request.principal):
            principal = who_asks(request.principal)
    except CannotCopy as error:
        args, problem = {}, problem or Problem("arguments", f"the arguments can't be judged: {error}")
    except NotAPrincipal as error:
        problem = problem or _unknown(str(error))
    call = ToolCall(
        tool=request.tool, args=args, id=request.call_id, environment=request.environment, principal=principal
    )
    return Asked(call, theirs, request, problem)


def resolved(asked: Asked, request: Request) -> Generator[Step, Any, Asked]:
    """With who asks, where somebody has to be asked for that."""
    if not callable(request.principal) or asked.problem is not None:
        return asked
    if isinstance(request.principal, type):
        return msgspec.structs.replace(asked, problem=_unknown(f"this is the class `{request.principal.__name__}`"))
    try:
        said = yield Ask(request.principal, (request.tool, snapshot(asked.call.args)))
        principal = who_asks(said)
    except NotAPrincipal as error:
        return msgspec.structs.replace(asked, problem=_unknown(str(error)))
    except Exception as error:  # noqa: BLE001 who finds out who asks is the user's code: if it raises, nobody is known
        return msgspec.structs.replace(asked, problem=_unknown(said_by(error)))
    return msgspec.structs.replace(asked, call=msgspec.structs.replace(asked.call, principal=principal))


def _named(request: Request) -> tuple[Request, Problem | None]:
    """What has no proper name gets an empty one: a session that is not counted, a tool that no rule names."""
    names = {"session_id": "", "tool": ""}
    problem: Problem | None = None
    for field, of in (("session_id", "session"), ("tool", "tool")):
        try:
            given = getattr(request, field)
            if type(given) is Unknown:  # `isinstance` would ask the object
                raise NotAName(f"its session can't be told: {given.why}")
            names[field] = plain_name(given, of=of)
        except NotAName as error:
            problem = problem or Problem(field, f"this call can't be judged: {error}")
    if not names["tool"]:
        problem = problem or Problem("tool", "this call can't be judged: the tool has no name")
    return msgspec.structs.replace(request, **names), problem


def _unknown(why: str) -> Problem:
    return Problem("principal", f"it can't be told who asks: {why}")
