"""Rules by tool: found by one look-up, and sifted before they are judged where there are many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from threading import Lock
from typing import TYPE_CHECKING

from bylaw.policy.sieve import Sieve, make_sieve

if TYPE_CHECKING:
    from bylaw.policy.rules import Rule

EVERY_TOOL = "*"
WORTH_SIFTING = 6
MOST_LISTED = 64
"""With more rules than this on a tool, findings list the ones that fired and count the rest."""

_MOST_NAMES = 10_000
_GLOB = frozenset("*?[")
_ANYTHING = re.compile(r"\[(?!!)(.).*?\]|\[!.*?\]|[*?]")


def is_glob(tool: str) -> bool:
    return not _GLOB.isdisjoint(tool)


def name_for(glob: str) -> str:
    """A name that a glob most likely is for."""
    if glob == EVERY_TOOL:
        return "any_tool"
    return _ANYTHING.sub(lambda found: found[1] or "x", glob)


class RuleSet:
    """The rules for one tool, in file order. `omitted` is how many findings of passes are left out.

    `sieve` tells which of them can matter for a call; there is none where sifting does not pay. `only` is the rule of
    a set that has just one.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self.only = self.rules[0] if len(self.rules) == 1 else None
        self.everyone = range(len(rules))
        self.sieve: Sieve | None = make_sieve([rule.when for rule in rules], worth=WORTH_SIFTING)
        self.passes = tuple(rule.passed for rule in rules) if len(rules) <= MOST_LISTED else ()
        self.omitted = len(self.rules) - len(self.passes)


class RuleTable:
    """Every rule of one phase, by tool."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._globs = any(is_glob(tool) and tool != EVERY_TOOL for rule in rules for tool in rule.tools)
        self._wide = [number for number, rule in enumerate(rules) if any(map(is_glob, rule.tools))]
        self._named: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            for tool in rule.tools:
                if not is_glob(tool):
                    self._named.setdefault(tool, []).append(number)
        self._by_tool = {tool: self._made_for(tool) for tool in self._named}
        self._others = RuleSet([rule for rule in rules if EVERY_TOOL in rule.tools])
        self._lock = Lock()

    def of(self, tool: str) -> RuleSet:
        found = self._by_tool.get(tool)
        if found is None:
            return self._learn(tool) if self._globs else self._others
        return found

    def names(self, tool: str) -> bool:
        """Whether some rule is for this tool and not just for every tool."""
        return any(EVERY_TOOL not in rule.tools for rule in self.of(tool).rules)

    def _made_for(self, tool: str) -> RuleSet:
        numbers = set(self._named.get(tool, ()))
        numbers.update(
            number for number in self._wide if any(_is_for(pattern, tool) for pattern in self.rules[number].tools)
        )
        return RuleSet([self.rules[number] for number in sorted(numbers)])

    def _learn(self, tool: str) -> RuleSet:
        """A name only globs can match; remembered, but not more names than a caller may make up."""
        made = self._made_for(tool)
        with self._lock:
            if len(self._by_tool) < _MOST_NAMES:
                self._by_tool[tool] = made
        return made


def _is_for(pattern: str, tool: str) -> bool:
    return pattern in (EVERY_TOOL, tool) or (is_glob(pattern) and fnmatchcase(tool, pattern))
