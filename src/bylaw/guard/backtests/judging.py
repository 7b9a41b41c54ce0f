"""What a policy says of recorded calls: allowed, denied and by which contract, or not known and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bylaw.guard.backtests.heard import Heard
from bylaw.guard.backtests.hidden import FAILS, Fields, Possible, compile_possible, fields_of, touches, unknown_in
from bylaw.guard.backtests.records import Record
from bylaw.guard.backtests.standing import ALLOWED, Firing, Standing, Warned, standing, warned
from bylaw.guard.backtests.tallies import Tallies
from bylaw.language.spelling import spell
from bylaw.policy import Policy, Rule, after, before
from bylaw.policy.tables import RuleTable
from bylaw.verdict import Finding

MOST_REMEMBERED = 10_000

AFTER_RULES = "precondition"
"""What denies a call after the contracts of a bundle were asked; all else that is in none does so before."""


class Judge:
    """One policy over a whole log. `others` are policies under which calls may have been recorded.

    A contract that has the same condition in the policy under which a call was recorded came out there as it would
    now, so the record is asked before anything is called unknown.
    """

    def __init__(self, policy: Policy, *, others: Iterable[Policy] = ()) -> None:
        self._policy = policy
        self._tallies = Tallies(policy) if policy.limits else None
        conditions = _conditions(policy)
        self._same = {
            other.version: frozenset(
                name for name, said in _conditions(other).items() if conditions.get(name) == said
            )
            for other in (policy, *others)
        }
        self._touched: dict[tuple[bool, str, Fields], Mapping[str, Possible]] = {}

    @property
    def looks_after(self) -> bool:
        return bool(self._policy.after.rules)

    def before(self, heard: Heard) -> Standing:
        """The decision; the session's counters are taken in the order in which a guard takes them."""
        call, session, tallies = heard.call, heard.record.session, self._tallies
        firings: list[Firing] = []
        if tallies is not None:
            firings += tallies.attempt(call, session)
        if not _certainly_denies(firings):
            if heard.outside and heard.outside != AFTER_RULES:
                return _denied_outside(heard, firings)
            firings += self._firings(self._policy.before, before(self._policy, call), heard)
            if not _certainly_denies(firings):
                if heard.outside:
                    return _denied_outside(heard, firings)
                if tallies is not None:
                    certain = not (firings and any(item.binding for item, _ in firings))
                    firings += tallies.place(call, session, certain=certain)
        return standing(firings) if firings else ALLOWED

    def after(self, heard: Heard) -> Warned:
        return warned(self._firings(self._policy.after, after(self._policy, heard.call), heard))

    def ended(self, call_id: str, *, failed: bool) -> None:
        if self._tallies is not None:
            if failed:
                self._tallies.failed(call_id)
            else:
                self._tallies.ran(call_id)

    def _firings(self, table: RuleTable, findings: Sequence[Finding], heard: Heard) -> list[Firing]:
        fired = [Firing(found.item) for found in findings if found.action]
        if not heard.hidden:
            return fired
        touched = self._rules_on(table, heard.call.tool, heard.hidden)
        return self._with_doubts(table, fired, touched, heard) if touched else fired

    def _with_doubts(
        self, table: RuleTable, fired: list[Firing], touched: Mapping[str, Possible], heard: Heard
    ) -> list[Firing]:
        """In file order; of the rules that look at what is hidden, each as it may have come out."""
        results = self._results(heard.record)
        found: list[Firing] = []
        certain = {firing.item.id: firing for firing in fired}
        for rule in table.of(heard.call.tool).rules:
            name = rule.item.id
            known = certain.pop(name, None)
            if name not in touched:
                found += [] if known is None else [known]
            elif name in results:
                found += [Firing(rule.item)] if results[name] else []
            else:
                found += _perhaps(rule, touched[name](heard.call, heard.hidden), heard)
        return [*found, *certain.values()]

    def _results(self, record: Record) -> dict[str, bool]:
        """Whether contracts fired when the call was recorded, for those that have not changed since."""
        same = self._same.get(record.policy_version)
        if same is None:
            return {}
        listed = {each.id: not each.passed for each in record.judged() if each.id in same}
        return (dict.fromkeys(same, False) if record.contracts_omitted else {}) | listed

    def _rules_on(self, table: RuleTable, tool: str, hidden: Fields) -> Mapping[str, Possible]:
        """The rules for a tool that look at hidden fields."""
        key = (table is self._policy.after, tool, hidden)
        known = self._touched.get(key)
        if known is None:
            known = {
                rule.item.id: compile_possible(rule.when)
                for rule in table.of(tool).rules
                if rule.when is not None and any(touches(field, hidden) for field in fields_of(rule.when))
            }
            if len(self._touched) < MOST_REMEMBERED:
                self._touched[key] = known
        return known


def _conditions(policy: Policy) -> dict[str, str]:
    rules = (*policy.before.rules, *policy.after.rules)
    return {rule.item.id: spell(rule.when) for rule in rules if rule.when is not None}


def _perhaps(rule: Rule, ways: int, heard: Heard) -> list[Firing]:
    if ways == FAILS:
        return []
    if not ways & FAILS or rule.when is None:
        return [Firing(rule.item)]
    fields = dict.fromkeys(unknown_in(rule.when, heard.call, heard.hidden))
    verb = "were" if len(fields) > 1 else "was"
    return [Firing(rule.item, f"{' and '.join(f'`{field}`' for field in fields)} {verb} redacted")]


def _certainly_denies(firings: Sequence[Firing]) -> bool:
    return bool(firings) and any(item.binding and not why for item, why in firings)


def _denied_outside(heard: Heard, firings: Sequence[Firing]) -> Standing:
    """Denied by what no bundle can change."""
    name = heard.record.decision_name or heard.outside
    return msgspec.structs.replace(standing(firings), allowed=False, contract=name)
