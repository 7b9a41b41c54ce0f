"""Session limits over recorded traffic: every session counted in log order, as far as its counts are known.

Whether a call ran under another policy may not be known. From then on a session has two counts, the least and the
most it can stand at, and a limit is decided only where both say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bylaw.evidence import ToolCall
from bylaw.guard.backtests.standing import Firing
from bylaw.policy import Policy, Taken
from bylaw.policy.deciding import limit_findings, wanted_attempts, wanted_calls
from bylaw.verdict import Finding

MOST_SESSIONS = 1_000_000
"""How many sessions are counted; each takes some 300 bytes. What is limited in a further one is undecided."""

MOST_RUNNING = 100_000
"""How many calls may be without an outcome at once. One that is forgotten counts as having run."""

MOST_TOOLS = 10_000

COUNT_UNKNOWN = "earlier calls of its session are undecided"
TOO_MANY_SESSIONS = f"its session is not counted: there are more than {MOST_SESSIONS:,}"

Wanted = tuple[tuple[str, int | None], ...]
Counts = dict[str, int]


class _Places(NamedTuple):
    """What is taken together. No limit has anything to say while every counter is within its lowest one."""

    wanted: Wanted = ()
    lowest: tuple[tuple[str, int], ...] = ()
    counters: tuple[str, ...] = ()


class _Held(NamedTuple):
    """The counters that a running call has taken from, in each of the two counts."""

    session: str
    in_least: tuple[str, ...]
    in_most: tuple[str, ...]


class Tallies:
    """The counters of one policy's sessions."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._lowest: dict[str, int] = {}
        for limit in policy.limits:
            self._lowest[limit.counter] = min(limit.most, self._lowest.get(limit.counter, limit.most))
        self._attempts = self._limited(wanted_attempts(policy))
        self._by_tool: dict[str, _Places] = {}
        self._least: dict[str, Counts] = {}
        self._most: dict[str, Counts] = {}
        self._running: dict[str, _Held] = {}

    def attempt(self, call: ToolCall, session: str) -> Sequence[Firing]:
        """Counts an evaluation. That it took place is always known."""
        if not self._attempts.wanted:
            return ()
        counts = self._counts_of(session)
        if counts is None:
            return self._uncounted(self._attempts)
        fired = self._fired(call, self._attempts, counts)
        return [Firing(found.item) for found in fired] if fired else ()

    def place(self, call: ToolCall, session: str, *, certain: bool) -> Sequence[Firing]:
        """Takes what running the tool needs; `certain` says whether all else lets the call run for sure."""
        places = self._by_tool.get(call.tool) or self._learn(call.tool)
        if not places.wanted:
            return ()
        least = self._counts_of(session)
        if least is None:
            return self._uncounted(places)
        if not certain or session in self._most:
            return self._place_in_both(call, session, places, least, certain=certain)
        fired = self._fired(call, places, least)
        if not (fired and _denies(fired)):
            self._run(call.id, _Held(session, places.counters, places.counters))
        return [Firing(found.item) for found in fired] if fired else ()

    def _place_in_both(
        self, call: ToolCall, session: str, places: _Places, least: Counts, *, certain: bool
    ) -> list[Firing]:
        most = self._most.setdefault(session, dict(least))
        full = [counter for counter, limit in places.wanted if limit is not None and most.get(counter, 0) >= limit]
        fired, fired_at_most = self._fired(call, places, least), self._fired(call, places, most)
        if not _denies(fired):
            self._run(call.id, self._settled(session, places, least, most, full=full, certain=certain))
        either = {found.item.id: found.item for found in (*fired, *fired_at_most)}
        both = {found.item.id for found in fired} & {found.item.id for found in fired_at_most}
        return [Firing(item, "" if name in both else COUNT_UNKNOWN) for name, item in either.items()]

    def _settled(
        self, session: str, places: _Places, least: Counts, most: Counts, *, full: Sequence[str], certain: bool
    ) -> _Held:
        """What a call takes that may run. It may take from every counter that is not full whatever the others do.

        If it runs for certain unless a counter is full, and only one can be, then that one is full or gets one more.
        """
        in_most = tuple(counter for counter in places.counters if counter not in full)
        in_least: tuple[str, ...] = ()
        if certain and len(full) <= 1:
            in_least = tuple(full) or places.counters
        _give_back(least, [counter for counter in places.counters if counter not in in_least])
        if full:
            for counter in in_most:
                most[counter] = most.get(counter, 0) + 1
        return _Held(session, in_least, in_most)

    def ran(self, call_id: str) -> None:
        self._running.pop(call_id, None)

    def failed(self, call_id: str) -> None:
        """A call that failed gives its places back."""
        held = self._running.pop(call_id, None)
        if held is None:
            return
        _give_back(self._least[held.session], held.in_least)
        if held.session in self._most:
            _give_back(self._most[held.session], held.in_most)

    def _run(self, call_id: str, held: _Held) -> None:
        if len(self._running) >= MOST_RUNNING:
            del self._running[next(iter(self._running))]
        self._running[call_id] = held

    def _fired(self, call: ToolCall, places: _Places, counts: Counts) -> Sequence[Finding]:
        """Takes from the counters, and gives what the limits say to it, if anything."""
        for counter, lowest in places.lowest:
            if counts.get(counter, 0) >= lowest:
                taken = _take(counts, places.wanted)
                found = limit_findings(self._policy, call, wanted=places.wanted, taken=taken)
                return [each for each in found if each.action]
        for counter, _ in places.lowest:
            counts[counter] = counts.get(counter, 0) + 1
        return ()

    def _uncounted(self, places: _Places) -> list[Firing]:
        items = {limit.item.id: limit.item for limit in self._policy.limits if limit.counter in places.counters}
        return [Firing(item, TOO_MANY_SESSIONS) for item in items.values()]

    def _counts_of(self, session: str) -> Counts | None:
        counts = self._least.get(session)
        if counts is None and len(self._least) < MOST_SESSIONS:
            counts = self._least[session] = {}
        return counts

    def _learn(self, tool: str) -> _Places:
        places = self._limited(wanted_calls(self._policy, tool))
        if len(self._by_tool) < MOST_TOOLS:
            self._by_tool[tool] = places
        return places

    def _limited(self, wanted: Wanted) -> _Places:
        """Counters that no limit looks at are left out."""
        limited = tuple(each for each in wanted if each[0] in self._lowest)
        counters = tuple(counter for counter, _ in limited)
        return _Places(limited, tuple((counter, self._lowest[counter]) for counter in counters), counters)


def _take(counts: Counts, wanted: Wanted) -> Taken:
    """One more of each, or none where one is full."""
    standing = [counts.get(counter, 0) for counter, _ in wanted]
    for (counter, limit), count in zip(wanted, standing, strict=True):
        if limit is not None and count >= limit:
            return Taken(counts=tuple(standing), full=counter)
    for (counter, _), count in zip(wanted, standing, strict=True):
        counts[counter] = count + 1
    return Taken(counts=tuple([count + 1 for count in standing]))


def _give_back(counts: Counts, counters: Iterable[str]) -> None:
    for counter in counters:
        counts[counter] -= 1


def _denies(fired: Sequence[Finding]) -> bool:
    return any(found.item.binding for found in fired)
