"""Observations to a draft: structure, never values.

What a draft asks for holds for every observation it comes from, so what differs between them is not asked for: a tool
that was not always called, an argument that was not always there, a type that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from bylaw.formats.packs.documents import SEVERAL_TOOLS
from bylaw.observe.observation import Observation
from bylaw.observe.schemas import Place
from bylaw.observe.structure import Structure, told
from bylaw.wire import Response

MOST_INVARIANTS = 2_000
MOST_CHARACTERS = 256 * 1024
MOST_REMARKS = 20


class ExpectedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was always made, and what always held for its arguments."""

    name: str
    invariants: tuple[Mapping[str, Any], ...] = ()


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A contract as far as observations carry it. `review` says what a person has to look at."""

    name: str
    calls: tuple[ExpectedCall, ...] = ()
    output: tuple[Mapping[str, Any], ...] = ()
    review: tuple[str, ...] = ()
    seen: int = 1
    cases: tuple[Observation, ...] = ()

    @property
    def tool(self) -> str:
        return self.calls[0].name if len(self.calls) == 1 else SEVERAL_TOOLS


def drafts(observations: Iterable[Observation]) -> tuple[Draft, ...]:
    """A draft for each name, in the order the names came in."""
    named: dict[str, list[Observation]] = {}
    for observation in observations:
        named.setdefault(observation.name, []).append(observation)
    return tuple(infer(together) for together in named.values())


def infer(observations: Sequence[Observation]) -> Draft:
    """One draft from one or several observations of the same name.

    Its cases are those observations that taught something: the first, and each that changed what the ones before it
    came to. Together they come to the same draft as all.
    """
    learning = _Learning(observations)
    known: Any = None
    cases: list[Observation] = []
    for observation in observations:
        learning.add(observation)
        learned = learning.learned()
        if learned != known:
            cases.append(observation)
        known = learned
    return msgspec.structs.replace(learning.draft(), cases=tuple(cases))


class _Learning:
    """What the observations so far come to. The schemas of all of them are known from the beginning."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        self.name = observations[0].name
        self.described: dict[str, dict[bytes, Place]] = {}
        for tool in (tool for observation in observations for tool in observation.request.tools):
            key = msgspec.json.encode(tool.parameters, order="sorted")
            known = self.described.setdefault(tool.name, {})
            if key not in known:
                known[key] = Place(tool.parameters, tool.parameters)
        self.seen = 0
        self.calls: dict[str, list[Structure]] = {}
        self.made: dict[str, int] = {}
        self.order: list[tuple[str, int]] = []
        self.malformed: set[str] = set()
        self.nameless = False
        self.silent = False
        self.texts: set[str] = set()

    def add(self, observation: Observation) -> None:
        """The first call of a tool is held against the first ones of the other observations, and so on."""
        response = observation.response
        made: dict[str, int] = {}
        for number, call in enumerate(response.tool_calls):
            if not call.name:
                self.nameless = True
            elif not isinstance(call.arguments, Mapping):
                self.malformed.add(call.name)
            else:
                position = made.get(call.name, 0)
                made[call.name] = position + 1
                if structure := self._structure(call.name, position):
                    structure.add(call.arguments, observation.hidden_in(number))
        for name in self.made.keys() | made.keys():
            least = made.get(name, 0)
            self.made[name] = least if self.seen == 0 else min(self.made.get(name, 0), least)
        self.seen += 1
        self.silent = self.silent or not response.tool_calls
        self.texts.add(_kind_of_text(response))

    def _structure(self, name: str, position: int) -> Structure | None:
        """None where an earlier observation has no such call: nothing will be asked of it."""
        known = self.calls.setdefault(name, [])
        if position == len(known) and self.seen == 0:
            known.append(Structure(tuple(self.described.get(name, {}).values())))
            self.order.append((name, position))
        return known[position] if position < len(known) else None

    def learned(self) -> tuple[Any, ...]:
        draft = self.draft()
        return draft.calls, draft.output, self.silent, frozenset(self.texts)

    def draft(self) -> Draft:
        always = [
            (name, self.calls[name][position])
            for name, position in self.order
            if position < self.made[name] and name not in self.malformed
        ]
        asked = _Asked()
        calls = tuple(ExpectedCall(name=name, invariants=tuple(asked.of(name, place))) for name, place in always)
        return Draft(
            name=self.name,
            calls=calls,
            output=tuple(self._output(len(calls))),
            review=tuple(self._review(calls, asked)),
            seen=self.seen,
        )

    def _output(self, calls: int) -> Iterator[Mapping[str, Any]]:
        if calls > 1:
            yield {"path": "$.tool_calls", "length_gte": calls}
        elif calls == 0:
            yield {"path": "$.tool_calls", "type": "array"}
            if self.silent and self.texts <= {"text", "empty"}:
                filled = {"length_gte": 1} if self.texts == {"text"} else {}
                yield {"path": "$.content", "exists": True, "type": "string", **filled}

    def _review(self, calls: Sequence[ExpectedCall], asked: _Asked) -> Iterator[str]:
        if not calls:
            yield (
                "the answer was text alone: should a tool have been called?"
                if self.silent
                else "no call could be used, so next to nothing is asked for"
            )
        if self.nameless:
            yield "a call had no name and was passed over"
        for name in sorted(self.malformed):
            yield f"{shown(name)} had arguments that are no JSON object, so no call of it is asked for"
        kept = {call.name for call in calls}
        for name in sorted(self.made):
            if name not in kept and name not in self.malformed:
                yield f"{shown(name)} was not always called"
        yield from asked.remarks()


def _kind_of_text(response: Response) -> str:
    if response.content is None:
        return "none"
    return "text" if response.content else "empty"


class _Asked:
    """What is asked of arguments, within what one file can hold and a person can read."""

    def __init__(self) -> None:
        self.left = MOST_INVARIANTS
        self.characters = MOST_CHARACTERS
        self.said: list[str] = []

    def of(self, name: str, structure: Structure) -> Iterator[Mapping[str, Any]]:
        for found in told(structure):
            if found.remark:
                self.said.append(f"{shown(name)}: {shown(found.path)} {found.remark}")
            if not found.checks:
                continue
            self.left -= 1
            self.characters -= 40 + 2 * len(found.path) + 2 * len(msgspec.json.encode(found.checks))
            if self.left < 0 or self.characters < 0:
                return
            yield {"path": found.path, **found.checks}

    def remarks(self) -> Iterator[str]:
        if self.left < 0 or self.characters < 0:
            yield "there are more arguments than one contract can ask for, so the rest is left out"
        said = list(dict.fromkeys(self.said))
        yield from said[:MOST_REMARKS]
        if len(said) > MOST_REMARKS:
            yield f"and {len(said) - MOST_REMARKS} more places where the answers differ"


def shown(name: str) -> str:
    """A name in one line of a comment, however it is spelled."""
    clean = name if name.isprintable() and "`" not in name else ascii(name)[1:-1]
    return f"`{clean if len(clean) <= 80 else clean[:79] + '…'}`"
