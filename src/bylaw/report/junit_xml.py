"""The writing of JUnit XML: what an element looks like, not what goes into it."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import BinaryIO, Literal
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

import msgspec

from bylaw.errors import NOWHERE, Span
from bylaw.report.safe_text import safe_line, visible
from bylaw.report.wording import verdict_in_words
from bylaw.verdict import Verdict

Result = Literal["passed", "failure", "error", "skipped"]

LONGEST_MESSAGE = 500


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One test case. `text` is the body of a failure or an error, and the output of what is neither."""

    name: str
    classname: str
    result: Result
    kind: str = ""
    message: str = ""
    text: str = ""
    ms: float = 0.0
    where: Span = NOWHERE
    verdict: Verdict | None = None


class Suite:
    """Test cases are written as they come; their totals, which stand before them, when all are there."""

    def __init__(self, name: str, *, where: Span = NOWHERE, verdict: Verdict | None = None) -> None:
        self.totals: Counter[Result] = Counter()
        self._name = name
        self._where = where
        self._verdict = verdict
        self._ms = 0.0
        self._text = io.StringIO()
        self._xml = _generator(self._text)

    @property
    def trouble(self) -> bool:
        return bool(self.totals["failure"] or self.totals["error"])

    def add(self, case: Case) -> None:
        xml = self._xml
        self.totals[case.result] += 1
        self._ms += case.ms
        place = {"file": case.where.file, "line": str(case.where.line)} if case.where.file else {}
        _open(xml, "testcase", classname=case.classname, name=case.name, time=_seconds(case.ms), **place)
        xml.characters("\n")
        _properties(xml, case.verdict)
        beside = case.result in ("passed", "skipped")
        if case.result != "passed":
            message = safe_line(case.message, cells=LONGEST_MESSAGE)
            _element(xml, case.result, "" if beside else case.text, message=message, type=case.kind)
        if beside and case.text:
            _element(xml, "system-out", case.text)
        _close(xml, "testcase")

    def write(self, out: io.TextIOWrapper, xml: XMLGenerator, *, at: float) -> None:
        timestamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        place = {"file": self._where.file} if self._where.file else {}
        totals = _totals(self.totals)
        _open(xml, "testsuite", name=self._name, **totals, time=_seconds(self._ms), timestamp=timestamp, **place)
        xml.characters("\n")
        _properties(xml, self._verdict)
        out.write(self._text.getvalue())
        _close(xml, "testsuite")


def write_suites(suites: Sequence[Suite], out: BinaryIO, *, at: float, ms: float) -> None:
    """`out` stays open."""
    totals: Counter[Result] = Counter()
    for suite in suites:
        totals.update(suite.totals)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True)
    xml = _generator(text)
    xml.startDocument()
    _open(xml, "testsuites", name="bylaw", **_totals(totals), time=_seconds(ms))
    xml.characters("\n")
    for suite in suites:
        suite.write(text, xml, at=at)
    _close(xml, "testsuites")
    xml.endDocument()
    text.detach()


def _generator(out: io.TextIOBase) -> XMLGenerator:
    return XMLGenerator(out, encoding="utf-8", short_empty_elements=True)


def _possible(text: str) -> str:
    """What XML can't hold, or nobody could see, is written as an escape; line ends and tabs stay."""
    return visible(text, keep="\n\t")


def _open(xml: XMLGenerator, element: str, **attributes: str) -> None:
    xml.startElement(element, AttributesImpl({name: _possible(value) for name, value in attributes.items()}))


def _close(xml: XMLGenerator, element: str) -> None:
    xml.endElement(element)
    xml.characters("\n")


def _element(xml: XMLGenerator, element: str, text: str, **attributes: str) -> None:
    _open(xml, element, **attributes)
    if text:
        xml.characters(_possible(text))
    _close(xml, element)


def _properties(xml: XMLGenerator, verdict: Verdict | None) -> None:
    if verdict is None:
        return
    named = {"verdict": verdict_in_words(verdict)}
    if verdict.low is not None and verdict.high is not None:
        named["score"] = f"{verdict.low:g}"
        if verdict.low != verdict.high:
            named["score_at_best"] = f"{verdict.high:g}"
    _open(xml, "properties")
    for name, value in named.items():
        _open(xml, "property", name=name, value=value)
        xml.endElement("property")
    _close(xml, "properties")


def _totals(totals: Counter[Result]) -> dict[str, str]:
    return {
        "tests": str(totals.total()),
        "failures": str(totals["failure"]),
        "errors": str(totals["error"]),
        "skipped": str(totals["skipped"]),
    }


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.3f}"
