"""No pass is lost to a greedy choice: matchings are as large as they can be."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.checks.matching import match_any, match_ordered

CALLS = 5
fits = st.lists(st.lists(st.integers(0, CALLS - 1), unique=True).map(sorted), max_size=5)


def best(rows: list[list[int]], *, ordered: bool) -> int:
    """The most entries that can be served, by trying everything."""
    sizes = [0]
    for chosen in itertools.product(*([None, *row] for row in rows)):
        calls = [call for call in chosen if call is not None]
        if len(set(calls)) == len(calls) and (not ordered or calls == sorted(calls)):
            sizes.append(len(calls))
    return max(sizes)


@settings(deadline=None, max_examples=150)
@given(rows=fits)
def test_any_order_serves_as_many_as_can_be_served(rows: list[list[int]]) -> None:
    found = match_any(rows)
    served = [call for call in found if call is not None]
    assert len(found) == len(rows)
    assert len(set(served)) == len(served)
    assert all(call is None or call in row for call, row in zip(found, rows, strict=True))
    assert len(served) == best(rows, ordered=False)


@settings(deadline=None, max_examples=150)
@given(rows=fits)
def test_strict_order_serves_as_many_as_can_be_served(rows: list[list[int]]) -> None:
    found = match_ordered(rows, CALLS)
    served = [call for call in found if call is not None]
    assert len(found) == len(rows)
    assert served == sorted(set(served))
    assert all(call is None or call in row for call, row in zip(found, rows, strict=True))
    assert len(served) == best(rows, ordered=True)


@pytest.mark.parametrize(
    ("rows", "any_order", "ordered"),
    [
        ([], [], []),
        ([[]], [None], [None]),
        ([[0, 1], [0]], [1, 0], [0, None]),
        ([[0], [0]], [0, None], [0, None]),
        ([[2], [0], [1]], [2, 0, 1], [None, 0, 1]),
        ([[0, 1, 2], [0, 1], [0]], [2, 1, 0], [0, 1, None]),
    ],
)
def test_small_matchings(rows: list[list[int]], any_order: list[int | None], ordered: list[int | None]) -> None:
    assert match_any(rows) == any_order
    assert match_ordered(rows, 3) == ordered


def test_a_long_chain_of_swaps_is_followed_to_its_end() -> None:
    """Each entry wants the call the next one holds; the last to come moves all of them."""
    size = 2000
    rows = [[n, n + 1] for n in range(size)] + [[0]]
    assert match_any(rows) == [*range(1, size + 1), 0]
