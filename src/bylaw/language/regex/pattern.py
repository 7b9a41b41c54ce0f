"""A compiled pattern: what `re.search` says, on the whole of any text, in bounded time."""

import re
import sys
import warnings
from typing import Final, Literal

from bylaw.language.regex.cost import search_cost
from bylaw.language.regex.empty import always_matches
from bylaw.language.regex.errors import PatternError, RegexLimit
from bylaw.language.regex.linear import LinearSearch, is_linear, linear_search
from bylaw.language.regex.nodes import Node, Repeat, every
from bylaw.language.regex.sample import sample
from bylaw.language.regex.superset import superset
from bylaw.language.regex.tree import parse

Engine = Literal["re", "re2", "limited"]

QUICK: Final = 2e6
"""The nanoseconds that `re` may need at worst where RE2 could do it as well."""

PATIENT: Final = 5e8
"""The nanoseconds that `re` may need at worst where nothing else can do it."""

STEADY: Final = 1000.0
"""The nanoseconds for each character, at worst, up to which `re` may have a text of any length."""

LOOPED: Final = 1_000_000
"""The longest text for a loop over a group: `re` remembers every pass, at some 70 bytes each."""

MANY: Final = 1000
"""More passes than this count as many."""

UNKNOWN: Final = -2
"""Stands for a length that has not been worked out; no text is that short."""

NEVER_SHORT: Final = -1
"""Stands for a length that no text has: not even the empty one may go to `re` directly."""

RE2_WORK: Final = 1_000_000_000
"""How many characters times instructions RE2 may have: at worst it needs some 4 ns for each, mostly next to none."""


class Pattern:
    """A pattern and how it is judged.

    `engine` is "re" if that is cheap at any length, "re2" if RE2 judges what is too long for `re`, and "limited" if
    only `re` can judge it. A text of more than `limit` characters raises `RegexLimit`. Which it is depends on the
    pattern alone; it is worked out when somebody first asks or searches, because a policy has far more patterns than
    a call gets to.
    """

    __slots__ = (
        "_engine",
        "_find",
        "_flags",
        "_limit",
        "_linear",
        "_patient",
        "_short",
        "_substitute",
        "_tree",
        "source",
    )

    def __init__(self, source: str, compiled: re.Pattern[str], tree: Node) -> None:
        self.source = source
        self._tree = tree
        self._flags = compiled.flags
        self._find = compiled.search
        self._substitute = compiled.sub
        self._short = UNKNOWN
        self._patient = UNKNOWN
        self._linear: LinearSearch | None = None
        self._engine: Engine = "limited"
        self._limit: int | None = None

    def search(self, text: str) -> bool:
        """Whether the pattern is found anywhere in the text; raises `RegexLimit` if that can't be told in time."""
        try:
            if len(text) <= self._short:
                return self._find(text) is not None
            return self._search_long(text)
        except SystemError:  # `re` can lose count of the groups in a possessive loop
            raise self._too_much(text) from None

    @property
    def engine(self) -> Engine:
        self._work_out()
        return self._engine

    @property
    def limit(self) -> int | None:
        self._work_out()
        return self._limit

    @property
    def surely_bounded(self) -> bool:
        """Whether it is plain at a glance that the pattern is not limited."""
        return is_linear(self._tree) and not any(
            isinstance(node, Repeat) and max(node.low, node.high or 0) > MANY for node in every(self._tree)
        )

    def _work_out(self) -> None:
        """Sets `_short` last: another thread that sees it sees the rest."""
        if self._short != UNKNOWN:
            return
        cost, loops = search_cost(self._tree), _loops_over_a_group(self._tree)
        longest = LOOPED if loops else sys.maxsize
        self._patient = min(cost.longest(PATIENT), longest)
        if cost.slope <= STEADY and not loops:
            self._engine, short = "re", sys.maxsize
        elif linear := linear_search(self._tree, flags=self._flags):
            self._engine, self._limit, short = "re2", RE2_WORK // linear.size, min(cost.longest(QUICK), longest)
            self._linear = linear
        else:
            self._limit, short = max(self._patient, 0), self._patient
        self._short = max(short, NEVER_SHORT)

    @property
    def matches_empty(self) -> bool:
        """Whether the pattern is found in every text, because there is always a place where it matches nothing."""
        return always_matches(self._tree)

    def replace(self, text: str, mark: str) -> str:
        """The text with everything the pattern finds replaced; all of it where that can't be told cheaply."""
        self._work_out()
        return self._substitute(lambda _: mark, text) if len(text) <= self._short else mark

    @property
    def superset(self) -> str:
        """A form for `FormSet` that is found at least wherever the pattern is."""
        return superset(self._tree)

    def sample(self) -> str:
        """A text in which the pattern is likely found; whoever needs to be sure searches it."""
        return sample(self._tree)

    def _search_long(self, text: str) -> bool:
        if self._short == UNKNOWN:
            self._work_out()
            return self.search(text)
        if self._linear is not None and self._limit is not None and len(text) <= self._limit:
            found = self._linear.search(text)
            if found is not None:
                return found
            if len(text) <= self._patient:
                return self._find(text) is not None
        raise self._too_much(text)

    def _too_much(self, text: str) -> RegexLimit:
        return RegexLimit(f"`{self.source}` can't be judged on a text of {len(text)} characters")

    def __repr__(self) -> str:
        return f"<Pattern {self.source!r}>"


def compile_pattern(source: str, *, dotall: bool = False) -> Pattern:
    """The pattern, with what it means decided by Python's `re`; raises `PatternError` if that rejects it."""
    flags = re.DOTALL if dotall else re.NOFLAG
    try:
        return Pattern(source, *_read(source, flags))
    except RecursionError:
        raise PatternError("its groups are nested too deeply") from None


def _read(source: str, flags: re.RegexFlag) -> tuple[re.Pattern[str], Node]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `re` warns of what it may read otherwise one day
            return re.compile(source, flags), parse(source, flags)
    except re.error as error:
        raise PatternError(error.msg, error.pos) from error
    except (OverflowError, ValueError) as error:
        raise PatternError(str(error)) from error


def _loops_over_a_group(tree: Node) -> bool:
    return any(
        isinstance(node, Repeat) and node.of_group and (node.high is None or node.high > MANY) for node in every(tree)
    )
