"""Selectors take the named part out of a call, and nothing else."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import Answer, ToolCall
from bylaw.language.operators import MISSING
from bylaw.language.selectors import PRINCIPAL_FIELDS, SelectorError, compile_selector

CALL = ToolCall(
    tool="read_file",
    environment="staging",
    args={
        "path": "/etc",
        "none": None,
        "zero": 0,
        "deep": {"er": {"est": [1, 2]}, "none": None},
        "list": [{"a": 1}],
        "text": "abc",
        "a.b": "dotted",
        "proxy": MappingProxyType({"in": 1}),
    },
    principal={"user_id": "u1", "role": None, "claims": {"team": {"name": "ops"}, "": "odd"}},
    answer=Answer(text="root:x:0"),
)
BARE = ToolCall(tool="t")


@pytest.mark.parametrize(
    ("selector", "value"),
    [
        ("environment", "staging"),
        ("tool.name", "read_file"),
        ("output.text", "root:x:0"),
        ("args.path", "/etc"),
        ("args.zero", 0),
        ("args.none", None),
        ("args.deep", {"er": {"est": [1, 2]}, "none": None}),
        ("args.deep.er.est", [1, 2]),
        ("args.deep.none", None),
        ("args.proxy.in", 1),
        ("args.absent", MISSING),
        ("args.deep.absent", MISSING),
        ("args.deep.none.further", MISSING),
        ("args.absent.further", MISSING),
        ("args.zero.further", MISSING),
        ("args.list.0", MISSING),
        ("args.list.a", MISSING),
        ("args.text.upper", MISSING),
        ("args.deep.__class__", MISSING),
        ("args.a.b", MISSING),
        ("principal.user_id", "u1"),
        ("principal.role", None),
        ("principal.org_id", MISSING),
        ("principal.claims.team", {"name": "ops"}),
        ("principal.claims.team.name", "ops"),
        ("principal.claims.team.name.first", MISSING),
        ("principal.claims.absent", MISSING),
    ],
)
def test_a_selector_finds_its_part(selector: str, value: Any) -> None:
    assert compile_selector(selector)(CALL) == value


@pytest.mark.parametrize(
    "selector",
    [
        "output.text",
        "args.path",
        "args.deep.er",
        "principal.claims.team",
        *(f"principal.{name}" for name in PRINCIPAL_FIELDS),
    ],
)
def test_in_a_bare_call_all_of_it_is_missing(selector: str) -> None:
    assert compile_selector(selector)(BARE) is MISSING


def test_a_bare_call_is_in_production() -> None:
    assert compile_selector("environment")(BARE) == "production"


def test_an_answer_that_raised_has_no_text() -> None:
    assert compile_selector("output.text")(ToolCall(tool="t", answer=Answer(raised="ValueError"))) is MISSING
    assert compile_selector("output.text")(ToolCall(tool="t", answer=Answer(text=""))) == ""


EXAMPLES = "selectors are `environment`, `tool.name`, `args.…`, `principal.…` and `output.text`"


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("args", "name a field of it: `args.…`"),
        ("principal", "name a field of it: `principal.…`"),
        ("principal.claims", "name a field of it: `principal.claims.…`"),
        ("enviroment", "did you mean `environment`?"),
        ("Environment", "did you mean `environment`?"),
        ("tool", "did you mean `tool.name`?"),
        ("toolname", "did you mean `tool.name`?"),
        ("output", "did you mean `output.text`?"),
        ("principal.userid", "did you mean `principal.user_id`?"),
        ("principal.user-id", "did you mean `principal.user_id`?"),
        ("principal.roles", "did you mean `principal.role`?"),
        ("xyz", EXAMPLES),
        ("", EXAMPLES),
    ],
)
def test_a_word_that_selects_nothing_is_refused_with_a_hint(selector: str, hint: str) -> None:
    with pytest.raises(SelectorError) as raised:
        compile_selector(selector)
    assert str(raised.value) == f"`{selector}` is not a selector"
    assert raised.value.hint == hint


@pytest.mark.parametrize(
    "selector",
    [
        *(
            "args.",
            "args..a",
            "args.a.",
            ".args",
            "arg.a",
            "environment.x",
            "tool.name.x",
            "output.text.x",
            "tool.args",
        ),
        *("principal.role.x", "principal.claims.", "principal.name", "$.args.a"),
    ],
)
def test_half_a_selector_is_none(selector: str) -> None:
    with pytest.raises(SelectorError):
        compile_selector(selector)


names = st.text("abc_-0 äß😀\n", min_size=1, max_size=4)


@settings(deadline=None)
@given(path=st.lists(names, min_size=1, max_size=4), value=st.integers())
def test_any_path_of_names_leads_to_its_value(path: list[str], value: int) -> None:
    inner: Any = value
    for name in reversed(path):
        inner = {name: inner}
    selector = "args." + ".".join(path)
    assert compile_selector(selector)(ToolCall(tool="t", args=inner)) == value
    assert compile_selector(selector)(BARE) is MISSING
