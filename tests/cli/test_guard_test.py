"""`bylaw guard test`: cases through the engine of the guard, with the reports of every run."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from .command import BUNDLE, Done, bylaw, write

LIMITED = (
    BUNDLE
    + """
  - id: mail
    type: post
    tool: "*"
    when: { output.text: { contains: "@" } }
    then: { effect: warn, message: there is a mail address }
  - id: few
    type: session
    limits: { max_tool_calls: 2 }
    then: { effect: deny, message: that was enough }
"""
)
HELD = """
cases:
  - name: too much is denied
    calls: [{ tool: refund, args: { amount: 501 } }]
    expect: deny
    contract: cap
    message: is too much
  - name: enough is allowed
    calls: [{ tool: refund, args: { amount: 500 } }]
    expect: allow
  - name: the third call is one too many
    calls: [{ tool: a }, { tool: b }, { tool: c }]
    expect: deny
    contract: few
  - name: a call that failed or was denied does not count
    calls: [{ tool: a, fails: true }, { tool: refund, args: { amount: 501 } }, { tool: b }, { tool: c }]
    expect: allow
  - name: an answer is warned of
    calls: [{ tool: a, output: "me@example.org" }]
    expect: warn
    contract: mail
    message: mail address
"""


def run(tmp_path: Path, cases: str, *arguments: str) -> Done:
    write(tmp_path, {"bundle.yaml": LIMITED, "cases.yaml": cases})
    return bylaw("guard", "test", "bundle.yaml", "--cases", "cases.yaml", *arguments, cwd=tmp_path)


def test_cases_that_hold(tmp_path: Path) -> None:
    done = run(tmp_path, HELD)
    assert (done.code, done.err) == (0, "")
    assert "5 passed" in done.out


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            "{name: n, calls: [{tool: refund, args: {amount: 1}}], expect: deny}",
            "expected a denial, but it was allowed",
        ),
        (
            "{name: n, calls: [{tool: refund, args: {amount: 501}}], expect: allow}",
            "expected it to be allowed, but it was denied by `cap`: 501 is too much",
        ),
        ("{name: n, calls: [{tool: refund, args: {amount: 501}}], expect: deny, contract: few}", "expected `few`"),
        (
            "{name: n, calls: [{tool: refund, args: {amount: 501}}], expect: deny, message: far}",
            "expected a message with `far`",
        ),
        ("{name: n, calls: [{tool: a, output: x}], expect: warn}", "expected a warning, but it was allowed"),
        ("{name: n, calls: [{tool: a, output: '@'}], expect: allow}", "`mail` warned: there is a mail address"),
    ],
)
def test_a_case_that_does_not_hold(case: str, said: str, tmp_path: Path) -> None:
    done = run(tmp_path, f"cases: [{case}]")
    assert done.code == 1
    assert said in " ".join(done.out.split())


def test_the_reports_of_every_run(tmp_path: Path) -> None:
    done = run(tmp_path, HELD, "--json", "--junit", "junit.xml", "--journal", "journal.jsonl")
    assert done.code == 0
    assert done.json["verdict"]["state"] == "held"
    cases = list(ElementTree.parse(tmp_path / "junit.xml").iter("testcase"))
    assert len(cases) == 5
    assert (tmp_path / "journal.jsonl").exists()


def test_everything_wrong_with_a_file_of_cases_is_said_at_once(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        cases:
          - { name: a, calls: [], expect: deny }
          - { name: b, calls: [{ tool: t, arg: {} }], expect: denied }
          - { name: c, calls: [{ tool: t }], expect: allow, contract: cap }
          - { name: d, calls: [{ tool: t, fails: true, output: x }], expect: deny }
          - { name: d, calls: [{ tool: t }], expect: deny }
          - { name: e, calls: [{ tool: t, principal: { rol: sre } }], expect: deny }
        """,
    )
    assert (done.code, done.out) == (2, "")
    for said in (
        "needs at least 1 item",
        "did you mean `args`?",
        "`denied` is not",
        "`contract` says who denies or warns",
        "a call that fails has no `output`",
        "`d` is used twice",
        "`rol` is not a field of a principal",
        "did you mean `role`?",
    ):
        assert said in " ".join(done.err.split()), said


@pytest.mark.parametrize(
    ("expect", "contract", "said"),
    [
        ("deny", "caps", "did you mean `cap`?"),
        ("deny", "mail", "`mail` can only warn"),
        ("warn", "cap", "`cap` can only deny"),
    ],
)
def test_a_contract_that_can_t_be_meant(expect: str, contract: str, said: str, tmp_path: Path) -> None:
    done = run(tmp_path, f"cases: [{{name: n, calls: [{{tool: t}}], expect: {expect}, contract: {contract}}}]")
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "cases.yaml:1:63: " in done.err


def test_no_cases_are_no_success(tmp_path: Path) -> None:
    assert run(tmp_path, "cases: []").code == 2
    assert bylaw("guard", "test", "bundle.yaml", "--cases", "none.yaml", cwd=tmp_path).code == 2
