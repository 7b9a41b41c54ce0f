"""The files behind a pack's cases, looked at without judging anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bylaw.errors import Span
from bylaw.formats.format import Context
from bylaw.formats.packs.boundary import mistakes_in
from bylaw.formats.packs.contracts import read_contract
from bylaw.formats.packs.documents import RECORDED, GoldenCase
from bylaw.formats.packs.golden import golden_mistakes
from bylaw.formats.packs.json_files import Mistake, Unusable, json_object, read_if_there
from bylaw.formats.packs.planning import How, plan_contract
from bylaw.formats.packs.recorded import evidence_of
from bylaw.formats.packs.roots import PackRoot, root_of
from bylaw.plan import Plan
from bylaw.reader import MapNode, Problems, Source, load, near
from bylaw.reader.source import decode
from bylaw.wire import NotAResponse, parsed


class Looking:
    """Looks at each contract's files while it is planned; `left_out` counts cases that have no use for recordings."""

    def __init__(self) -> None:
        self.left_out = 0

    def plan(self, source: Source, context: Context) -> Plan | None:
        """Everything that is wrong with the cases' files is in the context's problems."""
        plan = plan_contract(source, context, How())
        contract = None if plan is None else read_contract(source, Problems())
        for case in () if contract is None else contract.golden_cases:
            self.left_out += not case.judged_by(RECORDED)
            _look(case, root_of(source.path), context)
        return plan


def _look(case: GoldenCase, pack: PackRoot, context: Context) -> None:
    problems = context.problems
    golden, recording = pack.golden(case.input_ref), pack.recording(case.input_ref)
    try:
        raw = read_if_there(golden)
        found = None if raw is None else _golden(raw, golden, problems)
        recorded = read_if_there(recording)
    except _Told:
        return
    except Unusable as error:
        problems.add("unreadable", str(error), case.where("input_ref"))
        return
    response = None if found is None else found.get("response")
    if recorded is not None:
        _recording(recorded, recording, problems)
    elif response is not None:
        _answer(response, golden, problems)
    answered = recorded is not None or response is not None
    _tell_missing(case, pack, problems, there=found is not None, answered=answered)


class _Told(Exception):
    """What is wrong has been said, and there is nothing more to look at."""


def _tell_missing(case: GoldenCase, pack: PackRoot, problems: Problems, *, there: bool, answered: bool) -> None:
    where = case.where("input_ref")
    if not there:
        golden = pack.golden(case.input_ref)
        names = [path.relative_to(pack.root / "golden").as_posix() for path in (pack.root / "golden").rglob("*.json")]
        hint = near(case.input_ref, names)
        said = f"there is no case at `{pack.relative(golden)}`"
        problems.add("no-such-file", said, where, hint=hint, level="warning" if answered else "error")
    elif not answered and case.judged_by(RECORDED):
        said, hint = f"there is no recorded answer to `{case.id}`", "record one with `--capture-recordings`"
        problems.add("no-recorded-answer", said, where, hint=hint, level="warning")


def _golden(raw: bytes, path: Path, problems: Problems) -> Mapping[str, Any]:
    try:
        case = json_object(raw, path)
    except Unusable as error:
        problems.add("unreadable", str(error), _where_it_ends(raw, path))
        raise _Told from error
    _tell(list(golden_mistakes(case)), path, problems)
    return case


def _recording(raw: bytes, path: Path, problems: Problems) -> None:
    try:
        answer = parsed(raw)
    except NotAResponse as error:
        problems.add("unreadable", str(error), _where_it_ends(raw, path))
        return
    if isinstance(answer, Mapping) and "boundary" in answer:
        _tell(list(mistakes_in(answer["boundary"])), path, problems)
    _answer(answer, path, problems)


def _answer(answer: Any, path: Path, problems: Problems) -> None:
    try:
        evidence_of({}, answer)
    except NotAResponse as error:
        problems.add("unreadable", f"this is no answer of a model: {error}", Span(file=str(path)))


def _tell(mistakes: list[Mistake], path: Path, problems: Problems) -> None:
    if not mistakes:
        return
    source = load(path, problems=Problems())
    for mistake in mistakes:
        where = _place(source, mistake.keys) or Span(file=str(path))
        if mistake.level == "warning":
            problems.add("unknown-key", mistake.message, where, hint=mistake.hint, level="warning")
        else:
            problems.add("wrong-value", mistake.message, where, hint=mistake.hint)


def _place(source: Source | None, keys: tuple[str, ...]) -> Span | None:
    """Where a key stands; None where only JSON's own reader can read the file."""
    node, where = None if source is None else source.root, None
    for key in keys:
        if not isinstance(node, MapNode) or key not in node.entries:
            break
        where, node = node.where(key), node.get(key)
    return where


def _where_it_ends(raw: bytes, path: Path) -> Span:
    """Where a text stops being JSON."""
    text, where = decode(raw, file=str(path), problems=Problems()), Span(file=str(path))
    try:
        json.loads("" if text is None else text)
    except json.JSONDecodeError as error:
        where = Span(file=str(path), line=error.lineno, column=error.colno)
    except RecursionError:
        return where
    return where
