"""How a number of steps grows with the length of a text."""

from __future__ import annotations

from typing import Final

import msgspec

MOST_TERMS: Final = 12
MOST_WAYS: Final = 1e12


class Growth(msgspec.Struct, frozen=True):
    """`base**n` times the sum of `terms[d] * C(n + d, d)`, for a text of n characters.

    `C(n + d, d)` is in how many ways d places can be chosen in the text, each at or after the one before. That is
    why the product of two growths adds their degrees: it is for things that happen one after the other. For the same
    reason it keeps the greater base, as the second has only what the first has left of the text; where both have a
    base, a place between them is to be chosen as well.
    """

    terms: tuple[float, ...]
    base: float = 1.0

    def __add__(self, other: Growth) -> Growth:
        if other is ZERO or self is ZERO:
            return self if other is ZERO else other
        longer, shorter = self.terms, other.terms
        if len(longer) < len(shorter):
            longer, shorter = shorter, longer
        terms = [left + right for left, right in zip(longer, shorter, strict=False)]
        return Growth((*terms, *longer[len(shorter) :]), max(self.base, other.base))

    def __mul__(self, other: Growth) -> Growth:
        if other is ONE or self is ONE:
            return self if other is ONE else other
        terms = [0.0] * (len(self.terms) + len(other.terms) - 1)
        for i, left in enumerate(self.terms):
            for j, right in enumerate(other.terms):
                if left and right:
                    terms[i + j] += left * right
        if self.base > 1 and other.base > 1:
            terms = [0.0, *(term * degree for degree, term in enumerate(terms, start=1))]
        product = Growth(tuple(terms), max(self.base, other.base))
        return product if len(terms) <= MOST_TERMS * 2 else product.simplified

    def times(self, factor: float) -> Growth:
        if self is ZERO:
            return ZERO
        return Growth(tuple(term * factor if term and factor else 0.0 for term in self.terms), self.base)

    def widened(self, places: int) -> Growth:
        """The same for a part that begins up to so many places earlier."""
        return Growth(
            tuple(term * power(1 + places, degree) for degree, term in enumerate(self.terms)), self.base
        ).times(power(self.base, places))

    @property
    def simplified(self) -> Growth:
        """A larger bound of one term, as `C(n + d, d)` is at most `2**(n + d)`."""
        total = sum(term * power(2, degree) for degree, term in enumerate(self.terms) if term)
        return Growth((total,), self.base * 2)

    def at(self, length: int) -> float:
        """The number of steps for a text of this length."""
        total, ways = 0.0, 1.0
        for degree, term in enumerate(self.terms):
            if degree:
                ways *= (length + degree) / degree
            if term:
                total += term * ways
        if self.base == 1.0 or not total:
            return total
        try:
            return total * self.base**length
        except OverflowError:
            return float("inf")

    @property
    def slope(self) -> float:
        """How much each character adds, if they all add the same."""
        if self.base > 1.0 or any(self.terms[2:]):
            return float("inf")
        return self.terms[1] if len(self.terms) > 1 else 0.0

    @property
    def single(self) -> bool:
        """At most one, whatever the length."""
        return self.base == 1.0 and not any(self.terms[1:]) and self.terms[0] <= 1.0


ZERO: Final = Growth((0.0,))
ONE: Final = Growth((1.0,))
LINEAR: Final = Growth((0.0, 1.0))


def constant(value: float) -> Growth:
    return Growth((float(value),))


def least(*bounds: Growth) -> Growth:
    """One of several bounds of the same thing: the one that is smallest on a longish text."""
    return min(bounds, key=lambda bound: (bound.at(2000), bound.at(100)))


def most(*bounds: Growth) -> Growth:
    """A bound of each of several things."""
    width = max((len(bound.terms) for bound in bounds), default=1)
    columns = zip(*(bound.terms + (0.0,) * (width - len(bound.terms)) for bound in bounds), strict=True)
    return Growth(tuple(map(max, columns)) or (0.0,), max((bound.base for bound in bounds), default=1.0))


def power(value: float, exponent: float) -> float:
    try:
        return float(value**exponent)
    except OverflowError:
        return float("inf")


def chained(each: Growth, passes: Growth, high: int | None, *, low: int, width: int) -> Growth:
    """How often a loop's body is entered, if every entry leads to `each` further ones and consumes `width`."""
    if each.single:
        return passes
    ways, degree = sum(each.terms), len(each.terms) - 1
    if high is not None and high * degree < MOST_TERMS and each.base == 1 and power(ways, high) < MOST_WAYS:
        total = entries = ONE
        for _ in range(high - 1):
            entries = entries * each
            total = total + entries
        return total
    split = _exponential(ways, degree, low, max(width, 1))
    return Growth(split.terms, split.base * each.base)


def _exponential(ways: float, degree: int, low: int, width: int) -> Growth:
    """How often a body is entered that splits the text in as many ways as it likes.

    A pass that consumes nothing ends the loop, once it has been through the body `low` times.
    """
    if degree == 0:  # each pass multiplies
        return Growth((power(ways, low + 2),), power(ways, 1 / width))
    if degree == 1:  # each place of the text may be the end of a pass
        return Growth((power(2 * ways, low + 2),), 1 + ways)
    each = power(2, degree) * max(ways, 1.0)
    return (LINEAR + constant(low + 1)) * Growth((power(each, low + 2),), 2 * power(each, 1 / width))
