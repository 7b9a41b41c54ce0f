"""Messages are filled in one pass and never raise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import Answer, ToolCall
from bylaw.language.templates import LONGEST_VALUE, compile_template


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")


CALL = ToolCall(
    tool="send",
    environment="production",
    args={
        "to": "a@b",
        "none": None,
        "again": "{args.to}",
        "braces": "{}",
        "n": 1.5,
        "deep": {"x": [1]},
        "bad": Unshowable(),
    },
    principal={"user_id": "u1"},
    answer=Answer(text="done"),
)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("no placeholder", "no placeholder"),
        ("", ""),
        ("{args.to}", "a@b"),
        ("{tool.name} to {args.to} in {environment}!", "send to a@b in production!"),
        ("{args.n} {args.deep} {args.deep.x}", "1.5 {'x': [1]} [1]"),
        ("{principal.user_id} {output.text}", "u1 done"),
        ("{args.missing} {args.none} {principal.role}", "{args.missing} {args.none} {principal.role}"),
        ("{args.again}", "{args.to}"),
        ("{args.braces}{args.again}", "{}{args.to}"),
        ("{nonsense} {} {args} {{args.to}}", "{nonsense} {} {args} {a@b}"),
        ("{args.to!r} {args.to:>20} {args.to.upper}", "{args.to!r} {args.to:>20} {args.to.upper}"),
        ("{args.to.__class__}", "{args.to.__class__}"),
        ("open { and } close {args.to", "open { and } close {args.to"),
        ("%s %(args.to)s $args", "%s %(args.to)s $args"),
        ("{args.bad}", "<Unshowable that can't be shown: RuntimeError>"),
    ],
)
def test_placeholders_are_filled_in_one_pass(template: str, message: str) -> None:
    assert compile_template(template)(CALL) == message


@pytest.mark.parametrize(
    ("length", "shown"), [(199, "x" * 199), (200, "x" * 200), (201, "x" * 199 + "…"), (100_000, "x" * 199 + "…")]
)
def test_a_long_value_is_cut(length: int, shown: str) -> None:
    message = compile_template("<{args.a}|{args.a}>")(ToolCall(tool="t", args={"a": "x" * length}))
    assert message == f"<{shown}|{shown}>"
    assert len(shown) <= LONGEST_VALUE


def test_an_integer_too_long_to_be_written_is_said_to_be_one() -> None:
    assert "can't be shown" in compile_template("{args.a}")(ToolCall(tool="t", args={"a": 10**5000}))


pieces = st.lists(
    st.sampled_from(
        ["{", "}", "{args.a}", "{args.b.c}", "{output.text}", "{principal.role}", "{x}", "args.a", "!r", ":"]
    )
    | st.text(max_size=5),
    max_size=8,
).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None)
@given(template=pieces, a=values, b=values, output=st.none() | st.text())
def test_a_message_never_raises_and_has_a_bound(template: str, a: Any, b: Any, output: str | None) -> None:
    call = ToolCall(tool="t", args={"a": a, "b": b}, answer=Answer(text=output))
    message = compile_template(template)(call)
    assert len(message) <= len(template) + template.count("{") * LONGEST_VALUE
    if "{" not in template:
        assert message == template
