from __future__ import annotations

import enum
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.interpose.plain import MOST_VALUES, named, plain, text


class Colour(enum.Enum):
    red = "r"


class Level(enum.IntEnum):
    high = 3


class Words(str):
    def __str__(self) -> str:
        return "something else"


@dataclass
class Order:
    number: int


class Unprintable:
    def __repr__(self) -> str:
        raise ValueError("no")


class Hostile(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Hostile()"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (1.5, 1.5),
        ("text", "text"),
        ((1, [2, {"a": {3}}]), [1, [2, {"a": [3]}]]),
        ({1: "a", None: "b", (1, 2): "c"}, {"1": "a", "None": "b", "(1, 2)": "c"}),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (b"caf\xc3\xa9 \xff", "café \\xff"),
        ("\ud800 lone", "\\ud800 lone"),
        (Words("kept"), "kept"),
        (Colour.red, "r"),
        ([Level.high], [3]),
        (Path("/etc/passwd"), "/etc/passwd"),
        (Decimal("1.50"), "1.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        (Order(number=7), "Order(number=7)"),
        (Unprintable(), "<Unprintable that can't be printed: ValueError>"),
        (Hostile(), "Hostile()"),
        ({"b", "a", "c"}, ["a", "b", "c"]),
    ],
)
def test_any_value_becomes_data(value: object, expected: object) -> None:
    assert plain(value) == expected
    assert msgspec.json.decode(msgspec.json.encode(plain(value))) == expected


def test_a_number_with_more_digits_than_python_writes_is_kept() -> None:
    assert str(plain(10**5000)).startswith("0x")


def test_a_value_that_holds_itself_ends() -> None:
    circle: dict[str, Any] = {"name": "circle"}
    circle["self"] = circle
    assert plain(circle) == {"name": "circle", "self": "<the same value again>"}


def test_a_value_met_twice_side_by_side_is_written_twice() -> None:
    shared = [1]
    assert plain([shared, shared]) == [[1], [1]]


def test_depth_has_a_bound() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    assert "deeper than can be kept" in str(plain(deep))


def test_size_has_a_bound_but_long_strings_are_kept() -> None:
    many = plain(list(range(MOST_VALUES * 3)))
    assert isinstance(many, list)
    assert len(many) <= MOST_VALUES + 1
    assert many[-1] == "<more values than can be kept>"
    wide = plain({number: [number] for number in range(MOST_VALUES)})
    assert isinstance(wide, dict)
    assert wide["…"] == "<more values than can be kept>"
    assert plain("x" * 5_000_000) == "x" * 5_000_000


def test_a_long_repr_is_cut() -> None:
    class Table:
        def __repr__(self) -> str:
            return "row " * 100_000

    assert str(plain(Table())).endswith("…")


def test_text_is_what_a_model_would_read() -> None:
    assert text("as is") == "as is"
    assert text({"a": [1, None]}) == '{"a":[1,null]}'
    assert text([1, "é"]) == '[1,"é"]'
    assert text(3.5) == "3.5"
    assert text("\udcff") == "\\udcff"


def test_an_exception_in_one_line() -> None:
    assert named(ValueError("bad amount")) == "ValueError: bad amount"
    assert named(TimeoutError()) == "TimeoutError"
