from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from bylaw.evidence import Evidence
from bylaw.journal import Event, GroupJudged
from bylaw.report.junit import render_junit
from bylaw.verdict import State, Verdict

from .journals import again, at, cell, concluded, ended, file, inside, judged, started, trial

# What the common readers of JUnit XML agree on: children in order, attributes that must be and that may be there.
ALLOWED_CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "testcase": ["properties", "skipped", "error", "failure", "system-out", "system-err"],
    "properties": ["property"],
}
REQUIRED = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
}
OPTIONAL = {"testsuite": {"file"}, "testcase": {"file", "line"}}


def written(*events: Event) -> ElementTree.Element:
    out = io.BytesIO()
    render_junit(again(*events), out)
    assert not out.closed
    root = ElementTree.fromstring(out.getvalue())
    check_shape(root)
    check_totals(root)
    return root


def check_shape(element: ElementTree.Element) -> None:
    required = REQUIRED.get(element.tag, set())
    assert required <= set(element.attrib) <= required | OPTIONAL.get(element.tag, set())
    allowed = ALLOWED_CHILDREN.get(element.tag, [])
    order = [allowed.index(child.tag) for child in element]
    assert order == sorted(order)
    for child in element:
        check_shape(child)


def check_totals(root: ElementTree.Element) -> None:
    for suite in (root, *root.iter("testsuite")):
        cases = list(suite.iter("testcase"))
        assert int(suite.attrib["tests"]) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == sum(case.find(tag) is not None for case in cases)


def result(root: ElementTree.Element, name: str) -> tuple[str, str]:
    """How a test case came out, and its message."""
    case = next(case for case in root.iter("testcase") if case.attrib["name"] == name)
    found = [child for child in case if child.tag in ("skipped", "failure", "error")]
    return (found[0].tag, found[0].attrib["message"]) if found else ("passed", "")


def test_every_cell_is_a_test_case_with_its_outcome() -> None:
    root = written(
        started(file("r", title="Refunds", where=at(12)), inside("r", "s", title="outage")),
        trial("t", Evidence(output="a\nb", ms=1500), prompt="refund it", scenario="outage"),
        cell("r", "passed", concluded("passed", trial="t")),
        cell("s", "failed", concluded("failed", "twice", trial="t", code="repeated"), line=31),
        cell("s", "error", concluded("error", "no judge", trial="t")),
        cell("s", "not exercised", concluded("not_exercised", "no call")),
        cell("s", "not applicable", concluded("not_applicable", "excluded by `when`")),
        cell("s", "draft", concluded("failed", "no", trial="t"), binding=False),
        cell("s", "passing draft", concluded("passed", trial="t"), binding=False),
        judged("s", "broken", low=0.25, high=0.75),
        judged("r", "broken", "FAIL", low=0.5, high=0.5),
        ended("broken", ms=2500),
    )
    assert {case.attrib["name"]: result(root, case.attrib["name"]) for case in root.iter("testcase")} == {
        "passed": ("passed", ""),
        "failed": ("failure", "twice"),
        "error": ("error", "no judge"),
        "not exercised": ("error", "not exercised: no call"),
        "not applicable": ("skipped", "not applicable: excluded by `when`"),
        "draft": ("skipped", "observed: no"),
        "passing draft": ("passed", ""),
    }
    failed = next(case for case in root.iter("testcase") if case.attrib["name"] == "failed")
    assert failed.attrib == {
        "classname": "Refunds.outage",
        "name": "failed",
        "time": "1.500",
        "file": "contracts/refunds.yaml",
        "line": "31",
    }
    failure = failed.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "repeated"
    assert failure.text == (
        "contracts/refunds.yaml:31:5\n"
        "failed: twice\n"
        "  prompt: refund it\n"
        "  scenario: outage\n"
        "  output: a\n"
        "  output: b\n"
        "  trial: t"
    )
    draft = next(case for case in root.iter("testcase") if case.attrib["name"] == "draft")
    assert "failed: no" in (draft.findtext("system-out") or "")
    suite = root[0]
    assert (suite.attrib["name"], suite.attrib["file"]) == ("Refunds", "contracts/refunds.yaml")
    assert suite.attrib["timestamp"] == "2023-11-14T22:13:20"
    assert root.attrib["time"] == "2.500"


def properties(element: ElementTree.Element) -> dict[str, str]:
    return {one.attrib["name"]: one.attrib["value"] for one in element.findall("properties/property")}


def test_scores_are_properties() -> None:
    root = written(
        started(file("r")),
        cell("r", "a", concluded("passed"), low=0.75),
        cell("r", "b", concluded("error", "no")),
        judged("r", "undecided", low=0.375, high=0.875),
        ended("undecided"),
    )
    assert properties(root[0]) == {"verdict": "undecided", "score": "0.375", "score_at_best": "0.875"}
    assert properties(next(root.iter("testcase"))) == {"verdict": "held", "score": "0.75"}


def test_every_file_is_a_suite() -> None:
    files = [file(name, title=name) for name in ("a", "b")]
    root = written(
        started(*files),
        *(cell(one.id, "x", concluded("passed")) for one in files),
        *(judged(one.id, "held", low=1, high=1) for one in files),
        ended("held"),
    )
    assert [suite.attrib["name"] for suite in root] == ["a", "b"]


def trouble(root: ElementTree.Element) -> bool:
    return int(root.attrib["failures"]) + int(root.attrib["errors"]) > 0


def test_what_a_rule_tolerates_does_not_turn_the_suite_red() -> None:
    root = written(
        started(file("r")),
        cell("r", "a", concluded("failed", "too slow")),
        cell("r", "b", concluded("passed")),
        cell("r", "c", concluded("passed", trial="1"), concluded("failed", "luck", trial="2"), state="held"),
        judged("r", "held", "pass", low=0.8, high=0.8),
        ended("held"),
    )
    assert not trouble(root)
    assert result(root, "a") == ("skipped", "tolerated: too slow")
    assert "luck" in (root.findtext(".//testcase[@name='c']/system-out") or "")


@pytest.mark.parametrize(("state", "tag"), [("broken", "failure"), ("undecided", "error")])
def test_a_group_that_did_not_hold_though_its_cells_passed_is_a_test_case(state: State, tag: str) -> None:
    root = written(
        started(file("r", title="file"), inside("r", "n", title="negative")),
        cell("n", "a", concluded("passed")),
        judged("n", state, "did not fail", low=0, high=0),
        judged("r", state, low=0, high=0),
        ended(state),
    )
    assert result(root, "negative (as a whole)") == (tag, f"{state}: did not fail")
    assert int(root.attrib["tests"]) == 2


def test_a_group_that_does_not_bind_stays_quiet() -> None:
    root = written(
        started(file("r"), inside("r", "s")),
        cell("r", "a", concluded("passed")),
        cell("s", "b", concluded("failed", "no")),
        GroupJudged(group="s", verdict=Verdict(state="broken", word="fail", binding=False)),
        judged("r", "held"),
        ended("held"),
    )
    assert result(root, "b") == ("skipped", "observed: no")
    assert not trouble(root)


@pytest.mark.parametrize(
    "events",
    [
        (started(), ended("undecided", "nothing judged")),
        (started(file("r")),),
        (started(file("r")), cell("r", "a", concluded("passed"))),
        (started(file("r")), judged("r", "held"), ended("undecided", stopped="interrupted")),
    ],
)
def test_a_run_that_is_not_a_success_is_never_green(events: tuple[Event, ...]) -> None:
    assert trouble(written(*events))
