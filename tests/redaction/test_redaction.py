"""Whatever comes in, plain data of a bounded size comes out, and what is no longer as it was is named."""

from __future__ import annotations

import collections
import dataclasses
import math
import types
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.errors import Misuse
from bylaw.redaction import Redaction, Redactor

REDACTOR = Redactor()


class Hostile:
    """Raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __hash__(self) -> int:
        return 1


class HostileMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 3


class HostileDict(dict[Any, Any]):
    def items(self) -> Any:
        raise RuntimeError("no")

    def copy(self) -> Any:
        raise RuntimeError("no")


class HostileText(str):
    def __len__(self) -> int:
        raise RuntimeError("no")

    def __getitem__(self, key: Any) -> str:
        raise RuntimeError("no")


class Liar:
    @property  # type: ignore[misc]  # that it can't be assigned to is no matter here
    def __class__(self) -> Any:
        raise RuntimeError("no")


@dataclasses.dataclass
class Account:
    user: str
    password: str


class Order(msgspec.Struct):
    id: int
    token: str


def test_small_arguments_come_back_as_they_were_in_a_dict_of_their_own() -> None:
    args = {"path": "/tmp/x", "mode": "r", "limit": 10, "ratio": 0.5, "deep": None, "force": True}
    clean, changed = REDACTOR.redact_value(args)
    assert clean == args
    assert clean is not args
    assert changed == ()


def test_nested_arguments_share_nothing_with_what_went_in() -> None:
    args: dict[str, Any] = {"items": [{"id": 1}], "pair": (1, 2)}
    clean, changed = REDACTOR.redact_value(args)
    args["items"][0]["id"] = 2
    assert clean == {"items": [{"id": 1}], "pair": [1, 2]}
    assert changed == ()


def test_changed_places_are_named_by_their_path() -> None:
    args = {
        "user": {"name": "jo", "password": "x"},
        "headers": [{"name": "A"}, {"Authorization": "Basic abc"}],
        "body": "password=hunter2",
    }
    clean, changed = REDACTOR.redact_value(args)
    assert changed == ("user.password", "headers.1.Authorization", "body")
    assert clean["user"] == {"name": "jo", "password": "[redacted]"}


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (b"bytes \xff", "bytes \\xff"),
        (bytearray(b"x"), "x"),
        (10**100, "[an integer of 333 bits]"),
        (frozenset({1}), [1]),
        (collections.deque([1, 2]), [1, 2]),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (Account("jo", "hunter2"), {"user": "jo", "password": "[redacted]"}),
        (Order(id=1, token="x"), {"id": 1, "token": "[redacted]"}),
        (types.SimpleNamespace(password="hunter2"), "namespace(password='[redacted]')"),
        (1j, "1j"),
        ({1: "a", None: "b", (1, 2): "c"}, {"1": "a", "None": "b", "(1, 2)": "c"}),
        (Hostile(), "[could not be recorded]"),
        (HostileMapping(), "[could not be recorded]"),
        ({Hostile(): 1}, {"[could not be recorded]": 1}),
        ("half \ud800", "half \\ud800"),
    ],
)  # fmt: skip
def test_what_json_can_not_hold_is_recorded_as_well_as_it_can_be(value: Any, clean: Any) -> None:
    recorded, changed = REDACTOR.redact_value({"value": value, "other": 1})
    assert recorded == {"value": clean, "other": 1}
    assert changed
    assert all(path.startswith("value") for path in changed)


def test_an_object_that_lies_about_its_class_is_recorded_as_unrecordable() -> None:
    assert REDACTOR.redact_value({"value": Liar()}) == ({"value": "[could not be recorded]"}, ("value",))


def test_subclasses_of_plain_types_are_plain_without_asking_them() -> None:
    recorded, changed = REDACTOR.redact_value({"a": HostileDict(x=1), "b": HostileText("text")})
    assert recorded == {"a": {"x": 1}, "b": "text"}
    assert changed == ()


def test_a_value_that_contains_itself_ends() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert REDACTOR.redact_value({"loop": loop}) == ({"loop": [1, "[contains itself]"]}, ("loop.1",))


def test_the_same_value_twice_does_not_contain_itself() -> None:
    part = {"a": 1}
    assert REDACTOR.redact_value([part, part]) == ([part, part], ())


def test_nesting_is_cut_at_a_depth() -> None:
    deep: Any = "bottom"
    for _ in range(10_000):
        deep = [deep]
    recorded, changed = REDACTOR.redact_value({"deep": deep})
    assert "[nested too deep]" in str(recorded)
    assert changed == ("deep.0.0.0.0.0.0.0",)


def test_long_text_is_cut_and_the_note_says_how_long_it_was() -> None:
    recorded, changed = REDACTOR.redact_value({"body": "a" * 1001, "fits": "b" * 1000})
    assert recorded == {"body": "a" * 1000 + "… [cut: 1001 characters]", "fits": "b" * 1000}
    assert changed == ("body",)


def test_long_lists_and_mappings_keep_their_beginning() -> None:
    recorded, changed = REDACTOR.redact_value({"list": list(range(150)), "map": {str(n): n for n in range(150)}})
    assert recorded["list"] == [*range(100), "[50 more items cut]"]
    assert len(recorded["map"]) == 101
    assert recorded["map"]["…"] == "[50 more items cut]"
    assert changed == ("list", "map")


def test_one_value_has_a_size_as_a_whole() -> None:
    recorded, changed = REDACTOR.redact_value([["x" * 900] * 100] * 100)
    assert len(msgspec.json.encode(recorded)) < 70_000
    assert changed


def test_no_field_is_lost_because_its_name_was_cut() -> None:
    args = {"n" * 300 + "1": "a", "n" * 300 + "2": "b"}
    recorded, _ = REDACTOR.redact_value(args)
    assert sorted(recorded.values()) == ["a", "b"]


def test_bounds_are_the_users() -> None:
    redactor = Redactor(Redaction(most_characters=5, most_items=2, deepest=1))
    recorded, _ = redactor.redact_value({"a": "123456", "b": [1], "c": 3})
    assert recorded == {"a": "12345… [cut: 6 characters]", "b": "[nested too deep]", "…": "[1 more items cut]"}


def test_text_can_be_cut_shorter_than_usual() -> None:
    assert REDACTOR.redact_text("password=hunter2 and more", most=12) == "password=[redacted]… [cut: 25 characters]"


@pytest.mark.parametrize(("pattern", "says"), [("(", "not a regular expression"), ("x*", "matches every text")])
def test_a_pattern_that_can_not_mean_anything_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(Misuse, match=says):
        Redactor(Redaction(patterns=(pattern,)))


ANYTHING = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.complex_numbers(),
        st.characters(codec=None), st.builds(Hostile), st.builds(HostileMapping), st.just(int), st.just(object()),
        st.text().map(HostileText), st.dates(), st.decimals(), st.builds(Account, st.text(), st.text()),
    ),
    lambda inner: st.one_of(
        st.lists(inner), st.tuples(inner, inner), st.frozensets(st.one_of(st.integers(), st.text())),
        st.lists(inner).map(collections.deque), st.dictionaries(st.text(), inner).map(HostileDict),
        st.dictionaries(st.text(), inner), st.dictionaries(st.integers(), inner),
        st.dictionaries(st.binary(), inner).map(types.MappingProxyType),
    ),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_anything_comes_out_as_json_and_nothing_raises(value: Any) -> None:
    recorded, changed = REDACTOR.redact_value(value)
    assert msgspec.json.decode(msgspec.json.encode(recorded)) == recorded
    assert all(isinstance(path, str) for path in changed)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.text(max_size=30), st.just("AKIAIOSFODNN7EXAMPLE"),
        st.just("x" * 2000), st.floats(allow_nan=False, allow_infinity=False),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.just("token"), st.text("abc", min_size=1, max_size=3)), inner, max_size=4),
    ),
    max_leaves=15,
)  # fmt: skip


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in before:
            yield from differences(before[key], after[key], f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{path}.{index}" if path else str(index))
    elif before != after:
        yield path


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, max_size=5))
def test_the_changed_places_are_exactly_those_that_differ(args: dict[str, Any]) -> None:
    recorded, changed = REDACTOR.redact_value(args)
    assert set(differences(args, recorded)) == set(changed)
