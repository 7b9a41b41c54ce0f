"""JSON paths: the plain ones are followed directly, and find what the RFC's library finds."""

from __future__ import annotations

from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bylaw.language.paths import PathError, compile_path

DATA: dict[str, Any] = {
    "a": {"b": [10, 20, {"c": None}], "": 1, "it's": 2, 'say "hi"': 3, "x y": 4, "0": 5, "ü": 6},
    "calls": [{"name": "x"}, {"name": "y", "args": {"n": 1}}],
    "text": "abc",
    "none": None,
}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$", [DATA]),
        ("$.none", [None]),
        ("$.a.b", [[10, 20, {"c": None}]]),
        ("$.a.b[0]", [10]),
        ("$.a.b[-1].c", [None]),
        ("$.a.b[-3]", [10]),
        ("$.a.b[3]", []),
        ("$.a.b[-4]", []),
        ("$['a'][\"b\"][1]", [20]),
        ("$.a['it\\'s']", [2]),
        ('$.a["it\'s"]', [2]),
        ("$.a['say \"hi\"']", [3]),
        ("$.a['x y']", [4]),
        ("$.a['0']", [5]),
        ("$.a[0]", []),
        ("$.a.ü", [6]),
        ("$.a['']", [1]),
        ("$.text[0]", []),
        ("$.text.length", []),
        ("$.none.x", []),
        ("$.nowhere.at.all", []),
        ("$.calls[*].name", ["x", "y"]),
        ("$.calls[?@.name=='y'].args.n", [1]),
        ("$..n", [1]),
        ("$.a.b[0:2]", [10, 20]),
        ("$.a.b[0,1]", [10, 20]),
        ("$ .text", ["abc"]),
    ],
)
def test_a_path_finds_its_values(path: str, values: list[Any]) -> None:
    compiled = compile_path(path)
    assert compiled.values(DATA) == values
    assert compiled.text == path


@pytest.mark.parametrize(
    ("path", "steps"),
    [("$", ()), ("$.a[0]['b c'][-1]", ("a", 0, "b c", -1)), ("$[*]", None), ("$.a['it\\'s']", None)],
)
def test_a_plain_path_says_its_steps(path: str, steps: tuple[str | int, ...] | None) -> None:
    assert compile_path(path).names == steps


BAD = [
    *(
        "",
        "a",
        "a.b",
        ".a",
        "$.",
        "$a",
        "$..",
        "$.a.",
        "$[",
        "$[]",
        "$['a]",
        "$.a[b]",
        "$.1a",
        "$.a b",
        "$.a\n",
        " $.a",
    ),
    *("$[01]", "$[-0]", "$[1.5]", "$[9007199254740992]", "$['a\tb']", "$['\0']", "$['\\x']", "$[?", "$[?@.a=]"),
    *("$[?nothing(@.a)]", "$[?length(@.a)]", "$[" + "9" * 5000 + "]", "$[?@.a==1e999]", "$[?" + "!" * 5000 + "@.a]"),
]


@pytest.mark.parametrize("path", BAD, ids=range(len(BAD)))
def test_what_is_no_path_is_refused_with_a_reason(path: str) -> None:
    with pytest.raises(PathError) as raised:
        compile_path(path)
    assert str(raised.value).strip()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("path", ["$[?match(@.a, 'b')]", "$..[?search (@, '(a+)+b')]"])
def test_patterns_in_a_path_are_refused_because_nothing_bounds_their_time(path: str) -> None:
    with pytest.raises(PathError, match="the functions `match` and `search` are not supported"):
        compile_path(path)


names = st.sampled_from(
    ["a", "b", "_c1", "", "it's", 'say "hi"', "x y", "0", "-1", "ü", "😀", "a.b", "[0]", "$", "\x7f", "\u2028"]
)
data = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)


def written(step: str | int, style: str) -> str:
    """A step in one of the ways it can be written."""
    if isinstance(step, int):
        return f"[{step}]"
    if style == "dot" and step.isidentifier() and step.isascii():
        return f".{step}"
    if style == "double":
        return f'["{step}"]' if '"' not in step else "['" + step.replace("'", "\\'") + "']"
    return f"['{step}']" if "'" not in step else f'["{step}"]'


@st.composite
def searches(draw: st.DrawFn) -> tuple[Any, list[str | int]]:
    """Data, and steps that mostly lead somewhere in it."""
    made: Any = draw(data)
    node = made
    steps: list[str | int] = []
    for _ in range(draw(st.integers(0, 4))):
        there: list[str | int] = []
        if isinstance(node, dict):
            there = list(node)
        elif isinstance(node, list):
            there = [*range(len(node)), *range(-len(node), 0)]
        astray = draw(st.integers(0, 5)) == 0
        ways: st.SearchStrategy[str | int] = st.sampled_from(there) if there else names | st.integers(-5, 5)
        steps.append(draw(names if astray else ways))
        try:
            node = node[steps[-1]]
        except (LookupError, TypeError):
            node = None
    return made, steps


@settings(deadline=None, max_examples=300)
@given(search=searches(), style=st.sampled_from(["dot", "single", "double"]))
@example(search=({"a": [1]}, ["a", -1]), style="dot")
def test_plain_paths_find_what_the_library_finds(search: tuple[Any, list[str | int]], style: str) -> None:
    value, steps = search
    path = "$" + "".join(written(step, style) for step in steps)
    compiled = compile_path(path)
    assert compiled.values(value) == [node.value for node in jsonpath_rfc9535.find(path, value)]
    if compiled.names is not None:
        assert list(compiled.names) == steps


pieces = st.lists(
    st.sampled_from(
        [*"$.[]'\"?@()*,:-019ab&|!=< \\\n\t", "..", "[0]", ".a", "['a']", "[?@", "length(", "null", "1e5", "\\u00e9"]
    ),
    max_size=10,
).map(lambda found: "$" + "".join(found))


@settings(deadline=None, max_examples=300)
@given(path=pieces | st.text(max_size=10), value=data)
def test_any_text_is_a_path_or_is_refused_as_the_library_refuses_it(path: str, value: Any) -> None:
    try:
        compiled = compile_path(path)
    except PathError:
        with pytest.raises((jsonpath_rfc9535.JSONPathError, OverflowError)):
            jsonpath_rfc9535.compile(path)
    else:
        assert compiled.values(value) == [node.value for node in jsonpath_rfc9535.find(path, value)]
