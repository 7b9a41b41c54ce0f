"""A journal gives back what was written, stops where it was cut off, and is refused where it is something else."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bylaw.errors import Span
from bylaw.evidence import Answer, Effect, Evidence, ModelCall, Need, Seen, ToolCall
from bylaw.evidence import Event as Happened
from bylaw.journal import (
    CellJudged,
    Conclusion,
    Ended,
    Event,
    GroupJudged,
    JournalError,
    JournalWriter,
    Outline,
    Started,
    TrialEnded,
    read_journal,
)
from bylaw.scoring import AllHold
from bylaw.verdict import Item, Outcome, Verdict

from .parts import finding

STARTED = Started(version="0.1.0", at=1.5, seed=7, trials=1, cells=1, files=("a.yaml",), groups=(Outline(id="run"),))


def write(path: Path, events: Sequence[Event]) -> bytes:
    writer = JournalWriter(path)
    for event in events:
        writer(event)
    writer.close()
    return path.read_bytes()


def round_trip(*events: Event) -> list[Event]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "run.jsonl"
        write(path, [STARTED, *events])
        first, *rest = read_journal(path)
    assert first == STARTED
    return rest


def evidence_with(value: Any) -> Evidence:
    return Evidence(events=(ToolCall(tool="t", args={"value": value}),))


def came_back(value: Any) -> Any:
    (event,) = round_trip(TrialEnded(trial="t", evidence=evidence_with(value)))
    assert isinstance(event, TrialEnded)
    (call,) = event.evidence.calls
    return call.args["value"]


texts = st.text(st.characters(exclude_categories=["Cs"]))
finite = st.floats(allow_nan=False, allow_infinity=False)
data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**600), 10**600) | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
mappings = st.dictionaries(texts, data, max_size=3)
names = st.lists(texts, max_size=2).map(tuple)
answers = st.builds(Answer, text=st.none() | texts, raised=st.none() | texts, ms=finite)
events: st.SearchStrategy[Happened] = st.one_of(
    st.builds(
        ToolCall,
        tool=texts,
        args=mappings,
        id=texts,
        environment=texts,
        principal=st.none() | mappings,
        answer=st.none() | answers,
        malformed=st.none() | texts,
        faults=names,
    ),
    st.builds(ModelCall, request=mappings, response=st.none() | mappings, faults=names),
    st.builds(Effect, kind=st.sampled_from(["http", "write", "process", "log"]), detail=mappings),
)
needs = st.builds(Need, kind=texts, ask=st.lists(st.tuples(texts, texts), max_size=2).map(tuple))
seen = st.lists(st.builds(Seen, need=needs, value=data, unseen=texts), max_size=2).map(
    lambda all_seen: {one.need.key: one for one in all_seen}
)
evidence = st.builds(
    Evidence,
    events=st.lists(events, max_size=3).map(tuple),
    output=st.none() | texts,
    failure=st.none() | texts,
    error=st.none() | texts,
    error_code=texts,
    ms=finite,
    reached=names,
    fired=names,
    closed=names,
    seen=seen,
)


@settings(deadline=None, max_examples=60)
@given(evidence=evidence, prompt=texts, params=st.dictionaries(texts, texts, max_size=2), seed=st.integers(0, 2**48))
def test_evidence_comes_back_as_it_was(evidence: Evidence, prompt: str, params: dict[str, str], seed: int) -> None:
    event = TrialEnded(trial="t", evidence=evidence, prompt=prompt, params=params, seed=seed, faults=("f",))
    assert round_trip(event) == [event]


def test_every_event_comes_back_as_it_was() -> None:
    item = Item(id="i", kind="k", where=Span(file="a.yaml", line=3, column=5, start=7, end=9), data={"tags": ["x"]})
    verdict = AllHold()([finding("failed", code="c", reason="r"), finding("error")])
    conclusion = Conclusion(outcome=Outcome.failed, trial="t", score=0.25, code="c", about=(0, 2), details={"a": [1]})
    told: list[Event] = [
        TrialEnded(trial="t", evidence=Evidence(output="done")),
        CellJudged(cell="c", group="run", item=item, conclusions=(conclusion,), verdict=verdict, labels={"row": "i"}),
        GroupJudged(group="run", verdict=verdict),
        Ended(verdict=verdict, ms=1.25, stopped="interrupted"),
    ]
    assert round_trip(*told) == told


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (math.nan, None),
        (math.inf, None),
        ([-math.inf, 1.5], [None, 1.5]),
        ("half \ud83d of it", "half \\ud83d of it"),
        ({"\udc00": ["\udc01"]}, {"\\udc00": ["\\udc01"]}),
        ("whole 😀", "whole 😀"),
        (2**64, 2**64),
        (-(10**4000), -(10**4000)),
        (10**5000, hex(10**5000)),
        ((1, 2), [1, 2]),
    ],
    ids=range(10),
)
def test_what_json_has_no_word_for_is_written_as_the_nearest_it_has(value: Any, read: Any) -> None:
    assert came_back(value) == read


@settings(deadline=None, max_examples=60)
@given(text=st.text())
@example(text="\ud800\udc00")
@example(text="\n\r\u2028\x85\x00")
def test_any_text_is_one_line(text: str) -> None:
    assert came_back(text) == text.encode("utf-8", "backslashreplace").decode()


TRIAL = TrialEnded(trial="t", evidence=evidence_with("ü"))
ENDED = Ended(verdict=Verdict(state="held", word="held"), ms=1.0)


def test_a_last_line_that_was_cut_off_ends_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    whole = write(path, [STARTED, TRIAL, ENDED])
    starts = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    for cut in range(starts, len(whole)):
        path.write_bytes(whole[:cut])
        assert list(read_journal(path)) == [STARTED, TRIAL]


def test_a_finished_trial_can_be_read_before_the_journal_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    writer = JournalWriter(path)
    writer(STARTED)
    writer(TRIAL)
    assert list(read_journal(path)) == [STARTED, TRIAL]
    writer.close()


JUNK = [
    b"\n",
    b"{}\n",
    b"junk\n",
    b'{"type":"unheard-of"}\n',
    b'{"type":"trial"}\n',
    b"\xff\xfe\n",
    b"\x00\n",
    b"[" * 100_000 + b"\n",
    b'{"type":"ended","verdict":{"state":"perhaps","word":""},"ms":1.0}\n',
]


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_junk_in_the_middle_is_an_error_with_its_line(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "run.jsonl"
    first, last = write(path, [STARTED, ENDED]).splitlines(keepends=True)
    path.write_bytes(first + junk + last)
    reading = read_journal(path)
    assert next(reading) == STARTED
    with pytest.raises(JournalError, match=f"{path}:2: not a journal event"):
        next(reading)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is not a journal: it is empty"),
        (b"\n", "its first line is not JSON"),
        (b'{"type":"start', "its first line is not JSON"),
        (b"\x7fELF\x00\x01", "its first line is not JSON"),
        (b'{"a": "\xff"}\n', "its first line is not JSON"),
        (b"[" * 100_000, "its first line is not JSON"),
        (b"[1]\n", "does not begin with a started event"),
        (b'{"type":"ended"}\n', "does not begin with a started event"),
        (b'{"type":"started","schema":2}\n', "has journal schema 2; this version of bylaw reads up to 1"),
        (b'{"type":"started"}\n', "has journal schema None"),
    ],
    ids=range(10),
)
def test_what_is_no_journal_is_refused(tmp_path: Path, text: bytes, said: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    with pytest.raises(JournalError, match=said):
        list(read_journal(path))


def test_a_need_has_one_key_everywhere() -> None:
    need = Need(kind="file", ask=(("path", "a.txt"),))
    assert need.key == '{"kind":"file","ask":[["path","a.txt"]]}'
    assert need["path"] == "a.txt"
    with pytest.raises(KeyError):
        need["command"]


def test_a_question_nobody_answered_is_unseen() -> None:
    need = Need(kind="file", ask=(("path", "a.txt"),))
    assert Evidence().look(need) == Seen(need=need, unseen="nobody answered this question")
    seen = Seen(need=need, value=None)
    assert Evidence(seen={need.key: seen}).look(need) is seen
