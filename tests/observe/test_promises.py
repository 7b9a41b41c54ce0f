"""What holds for every draft: it passes on what it was made from, and has none of its values."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bylaw.observe import Draft, Observation, drafts, infer, observed, write_pack
from bylaw.observe.writing import contract_text
from bylaw.wire import CODECS, CallAsked, Response, decode

from .seeing import asked, judged, promote_all

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
names = (
    st.sampled_from(["a", "b", "kind", "tool_calls", "a.b", "", "it's", '"', "\\", "ü", "password", "\0", "…"])
    | texts
)
tools_called = st.sampled_from(["deploy", "check", "multi_tool_call", "", "yes", "a b", "ö"])
values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["x", "y", "", None, True, False, 0, 1, 1.0, 2.5, "[redacted]"]) | texts | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
malformed = st.sampled_from(["{", "no json", [1], 5, None, ""])
leaves: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"enum": ["x", "y"]},
        {"enum": ["x", 1, None, 2.5]},
        {"const": "x"},
        {"type": "number"},
        {"anyOf": [{"const": "x"}, {"enum": [1]}]},
        {"anyOf": [{"enum": ["x"]}, {"type": "null"}]},
        {"$ref": "#"},
        {},
        True,
    ]
)
schemas: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(
            lambda properties: {"type": "object", "properties": properties}, st.dictionaries(names, inner, max_size=3)
        )
    ),
    max_leaves=6,
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """A request with some tools, and an answer of some provider's with calls of these or of others."""
    calls = draw(
        st.lists(
            st.builds(
                CallAsked,
                name=tools_called,
                arguments=st.dictionaries(names, values, max_size=4) | malformed,
                id=texts,
            ),
            max_size=3,
        )
    )
    answer = Response(content=draw(st.none() | texts), tool_calls=tuple(calls))
    described = st.builds(
        lambda name, properties: {"name": name, "parameters": {"type": "object", "properties": properties}},
        tools_called.filter(bool),
        st.dictionaries(names, schemas, max_size=4),
    )
    request = {
        "model": "m",
        "messages": [{"role": "user", "content": draw(texts)}],
        "tools": draw(st.lists(described, max_size=2)),
    }
    raw = CODECS[draw(st.sampled_from(["normal", "openai_chat", "anthropic_messages", "gemini"]))].encode(answer)
    return observed(name=draw(st.sampled_from(["one", "two/three"])), request=request, answer=raw)


def with_every_case(draft: Draft, several: list[Observation]) -> Draft:
    return msgspec.structs.replace(draft, cases=tuple(one for one in several if one.name == draft.name))


whole_runs = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@whole_runs
@given(observation=observations())
def test_a_contract_observed_from_an_answer_passes_on_that_answer(observation: Observation) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "pack"
        write_pack(root, drafts([observation]))
        promote_all(root)
        assert judged(root).state == "held"


@whole_runs
@given(several=st.lists(observations(), min_size=2, max_size=4))
def test_a_merged_contract_passes_on_all_it_was_made_from(several: list[Observation]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "pack"
        write_pack(root, [with_every_case(draft, several) for draft in drafts(several)])
        promote_all(root)
        assert judged(root).state == "held"


@whole_runs
@given(several=st.lists(observations(), min_size=1, max_size=4))
def test_the_cases_alone_come_to_the_same_draft(several: list[Observation]) -> None:
    for draft in drafts(several):
        assert asked(infer(draft.cases)) == asked(draft)


@whole_runs
@given(several=st.lists(observations(), min_size=1, max_size=3), more=st.lists(observations(), max_size=2))
def test_a_refreshed_contract_passes_on_its_old_and_new_cases(
    several: list[Observation], more: list[Observation]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "pack"
        write_pack(root, drafts(several))
        write_pack(root, drafts(more), refresh=True)
        promote_all(root)
        assert judged(root).state == "held"


def test_a_draft_alone_binds_nothing_and_still_is_judged(tmp_path: Path) -> None:
    write_pack(tmp_path / "pack", drafts([observed(name="n", request={}, answer={"content": "x"})]))
    assert judged(tmp_path / "pack").state == "held"


MARKS = st.integers(0, 10**6).map(lambda number: f"MARK{number}QX")
NUMBERS = st.integers(7_770_000_000, 7_770_999_999) | st.floats(7_770_000_000, 7_770_999_999)
marked: st.SearchStrategy[Any] = st.recursive(
    MARKS | NUMBERS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c.d", "kind"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(deadline=None, max_examples=150)
@given(
    calls=st.lists(
        st.builds(
            CallAsked,
            name=st.sampled_from(["t", "u"]),
            arguments=st.dictionaries(st.sampled_from(["a", "b", "kind"]), marked, max_size=3) | MARKS,
            id=MARKS,
        ),
        max_size=3,
    ),
    said=MARKS,
)
def test_no_value_gets_into_a_draft(calls: list[CallAsked], said: str) -> None:
    kind = {"enum": ["allowed", 5]}
    request = {
        "model": said,
        "system": said,
        "messages": [{"role": "user", "content": said}],
        "tools": [{"name": "t", "description": said, "parameters": {"properties": {"kind": kind}, "title": said}}],
    }
    answer = Response(id=said, model=said, content=said, tool_calls=tuple(calls))
    text = contract_text(infer([observed(name="n", request=request, answer=answer)]), [])
    assert "MARK" not in text
    assert "777" not in text


def test_the_answer_that_is_kept_is_the_answer(tmp_path: Path) -> None:
    raw = CODECS["openai_chat"].encode(Response(tool_calls=(CallAsked(name="t", arguments={"a": 1}, id="c"),)))
    files = write_pack(tmp_path / "p", drafts([observed(name="n", request={}, answer=raw)]))
    assert decode((tmp_path / "p/recordings/n.success.recording.json").read_bytes()) == decode(raw)
    assert set(files.created) == {
        "contracts/n.yaml", "golden/n.success.json", "recordings/n.success.recording.json", "pack.yaml",
    }  # fmt: skip
