"""How long a text `re` is trusted with: structural facts, without a clock."""

import pytest

from bylaw.language.regex.cost import Cost, search_cost
from bylaw.language.regex.growth import LINEAR, ONE, Growth
from bylaw.language.regex.tree import parse

MILLISECOND = 1e6
INFINITE = float("inf")


def cost(source: str) -> Cost:
    return search_cost(parse(source, 0))


@pytest.mark.parametrize(
    "source",
    [
        r"rm -rf",
        r"\bDROP\s+TABLE\b",
        r"\b\d{3}-\d{2}-\d{4}\b",
        r"password\s*[=:]\s*\S+",
        r"^https?://[^/]+/admin",
        r"^[a-z]+$",
        r"^\s*$",
        r"sk-[A-Za-z0-9]{20,}",
        r"\$[\d,]+\.\d{2}",
        r"(?<!\w)root(?!\w)",
        r"^(?=.*\d)(?=.*[a-z]).{8,}$",
        r"(?i)ignore\s+(?:all\s+)?(?:previous|prior)\s+instructions",
        "|".join(["rm", "dd", "mkfs", "shutdown", "reboot", "halt"]),
    ],
)
def test_every_character_costs_the_same(source: str) -> None:
    assert cost(source).slope < 1000


@pytest.mark.parametrize(
    ("source", "degree"),
    [
        (r"\s+$", 2),
        (r"\w+@\w+\.com", 2),
        (r"ignore.*previous", 2),
        (r"\w+\w+!", 3),
        (r".*foo.*bar", 3),
        (r"(?s)<b.*?>.*?</b>", 3),
        (r"(\w+) \1", 2),
        (r"(?=.*x)y", 2),
        (r"a*b*c*!", 2),
        (r"a*a*a*!", 4),
    ],
)
def test_loops_that_share_characters_multiply(source: str, degree: int) -> None:
    bound = cost(source)
    assert bound.slope == INFINITE
    assert all(each.base == 1 for each in bound.bounds)
    doubled = [each.at(200_000) / each.at(100_000) for each in bound.bounds]
    assert min(doubled) == pytest.approx(2**degree, rel=0.01)


@pytest.mark.parametrize(
    "source",
    [
        r"(a+)+$",
        r"(a*)*$",
        r"(?:a|aa)+$",
        r"(?:a|a\w)*?!",
        r"(?:\w+\s?)+!",
        r"(?:(?:a|b)+c?)+!",
        r"(?i)(?:[ab]+x?)*!",
        r"(?=(a+)+b)",
        r"(?!(?:a*)*b)a",
        r"(a+)+\1!",
        r"(x)?(?(1)(a+)+|(?:b+)+)!",
        r"(?>(?:a+)+b)",
        r"(?:(?:a+)+b)*+!",
    ],
)
def test_ways_that_multiply_with_the_text_get_a_few_characters(source: str) -> None:
    assert cost(source).longest(500 * MILLISECOND) < 30


@pytest.mark.parametrize("source", [r"(?:a*|b*){50}c", r"(?:a?){30}a{30}(?=x)", r"(?:(?:|a){9}){9}b"])
def test_ways_without_a_character_get_none(source: str) -> None:
    assert cost(source).longest(2 * MILLISECOND) <= 2


@pytest.mark.parametrize("source", [r"(?:a++)+$", r"(?>a+)+$", r"(?:a+b)+$", r"(?:\d+,)*\d+$", r"(?:foo|bar)+$"])
def test_a_loop_with_one_way_through_it_is_no_danger(source: str) -> None:
    assert cost(source).longest(2 * MILLISECOND) > 30
    assert all(bound.base == 1 for bound in cost(source).bounds)


def test_a_counted_loop_costs_what_it_counts() -> None:
    few, many = cost(r"a.{0,10}b"), cost(r"a.{0,100}b")
    assert 5 < many.slope / few.slope < 15
    assert cost(r"a.{0,5000}b").longest(MILLISECOND) > 100


def test_what_is_after_the_start_of_the_text_is_tried_once() -> None:
    assert cost(r"^.*foo").slope < 1000
    assert cost(r".*foo").slope == INFINITE
    assert cost(r"(?m)^.*foo").slope < INFINITE


def test_nothing_is_spent_after_the_last_loop_has_begun() -> None:
    assert cost(r"foo.*").slope < 1000
    assert cost(r"foo(?:x|.*)").slope < 1000


def test_growth_is_of_ordered_places() -> None:
    pairs = LINEAR * LINEAR
    assert pairs.at(3) == 10
    assert (pairs + ONE).at(3) == 11
    assert Growth((1.0,), base=2.0).at(10) == 1024
    assert Growth((1.0,), base=2.0).at(10_000) == INFINITE
