"""What one trial left behind: plain data that can be journaled, sent between processes and judged again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a tool gave back."""

    text: str | None = None
    raised: str | None = None
    ms: float = 0.0


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool"):
    """One call of a tool, as the caller asked for it.

    `malformed` keeps the text of arguments that were not a JSON object; `args` is then empty.
    """

    tool: str
    args: Mapping[str, Any] = {}
    id: str = ""
    environment: str = "production"
    principal: Mapping[str, Any] | None = None
    answer: Answer | None = None
    malformed: str | None = None
    faults: tuple[str, ...] = ()


class ModelFailure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a model gave no answer: the kind of failure, in words of ours, and what was said."""

    kind: str
    message: str = ""


class ModelCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="model"):
    """One request to a model and its answer in normal form; None where there was none: then `failure` says why."""

    request: Mapping[str, Any]
    response: Mapping[str, Any] | None = None
    faults: tuple[str, ...] = ()
    failure: ModelFailure | None = None


class Effect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="effect"):
    """Something the agent did to the world beside calling tools and models."""

    kind: Literal["http", "write", "process", "log"]
    detail: Mapping[str, Any]


Event = ToolCall | ModelCall | Effect


class Need(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something a check must know of the world: what kind of question, and the question."""

    kind: str
    ask: tuple[tuple[str, str], ...] = ()
    at: Literal["before", "after"] = "after"

    @property
    def key(self) -> str:
        """The same string for the same need, on every machine."""
        return msgspec.json.encode(self).decode()

    def __getitem__(self, name: str) -> str:
        for key, value in self.ask:
            if key == name:
                return value
        raise KeyError(name)


class Seen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A need and its answer; `unseen` says why there is none."""

    need: Need
    value: Any = None
    unseen: str = ""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a check may look at.

    `failure` is what the agent did wrong: it crashed, it ran out of time. `error` is what kept the trial from being
    one: nothing in it can be judged, and `error_code` says what kind of thing that was.
    `reached` names the faults a matching call went past, `fired` those that changed an answer, `closed` those
    that had no way to stand between the agent and its tools or model.
    """

    events: tuple[Event, ...] = ()
    output: str | None = None
    failure: str | None = None
    error: str | None = None
    error_code: str = "trial_error"
    ms: float = 0.0
    reached: tuple[str, ...] = ()
    fired: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    seen: Mapping[str, Seen] = {}

    def look(self, need: Need) -> Seen:
        found = self.seen.get(need.key)
        return found if found is not None else Seen(need=need, unseen="nobody answered this question")

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(event for event in self.events if isinstance(event, ToolCall))
