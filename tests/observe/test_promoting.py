"""Promoting takes the draft's mark away and touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bylaw.errors import InvalidFile
from bylaw.observe import infer, promote, promote_file
from bylaw.observe.writing import CaseFile, contract_text

from .seeing import call, data_of, seen

REST = "golden_cases: [{id: a, input_ref: a.json}]\n"


def codes(error: InvalidFile) -> list[str]:
    return [found.code for found in error.diagnostics]


TEXTS = [
    (f"tool: t\nstatus: observed\n{REST}", f"tool: t\n{REST}"),
    (f"# bylaw: generated\n# mine\n# bylaw: a draft\ntool: t\nstatus: observed\n{REST}", f"# mine\ntool: t\n{REST}"),
    (f"status: observed  # draft\ntool: t\n# bylaw: below\n{REST}", f"tool: t\n# bylaw: below\n{REST}"),
    (f"---\n# bylaw: generated\n\n# above\nstatus: 'observed'\ntool: t\n{REST}", f"---\n\n# above\ntool: t\n{REST}"),
    ("tool: t\r\nstatus: observed\r\n# bylaw: x\r\nx: []\r\n", "tool: t\r\n# bylaw: x\r\nx: []\r\n"),
    ("# bylaw: x\r\ntool: t\r\nstatus: observed\r\n", "tool: t\r\n"),
    ('"status": "observed"\n"tool": t\nassertions:   {}', '"tool": t\nassertions:   {}'),
    ("tool: t\nassertions: {}\nstatus: observed", "tool: t\nassertions: {}\n"),
    ("tool: t\nx: &a {y: 1}\nz: *a\nstatus: observed\n", "tool: t\nx: &a {y: 1}\nz: *a\n"),
]


@pytest.mark.parametrize(("text", "promoted"), TEXTS, ids=range(len(TEXTS)))
def test_the_mark_goes_and_every_other_byte_stays(text: str, promoted: str) -> None:
    assert promote(text) == promoted


def test_a_generated_draft_loses_its_comments_and_says_the_same() -> None:
    draft = infer([seen(call("t", {"a": 1, "b": None})), seen(call("t", {"b": 2}))])
    text = contract_text(draft, [CaseFile(id="success", ref="t.success.json")])
    promoted = promote(text)
    assert text.startswith("# bylaw: generated from 2 answers")
    assert "# bylaw: review: " in text
    assert "#" not in promoted
    assert data_of(text) == {"status": "observed", **data_of(promoted)}
    assert promoted in text.replace("status: observed\n", "")


def test_a_contract_that_is_promoted_already_says_so() -> None:
    with pytest.raises(InvalidFile, match="promoted already") as raised:
        promote(f"tool: t\n{REST}", file="c.yaml")
    assert codes(raised.value) == ["not-a-draft"]
    assert raised.value.diagnostics[0].where.file == "c.yaml"


def test_a_file_is_promoted_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_bytes(b"\xef\xbb\xbf# bylaw: x\r\ntool: \xc3\xbc\r\nstatus: observed\r\n")
    promote_file(path)
    assert path.read_bytes() == b"\xef\xbb\xbftool: \xc3\xbc\r\n"
    with pytest.raises(InvalidFile, match="promoted already"):
        promote_file(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("content", "code"), [(b"tool: \xff", "not-text"), (None, "no-such-file")])
def test_a_file_that_can_not_be_read_is_told(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "t.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidFile) as raised:
        promote_file(path)
    assert codes(raised.value) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tool: t\nstatus: reviewed\n", "not-a-draft"),
        ("tool: t\nstatus:\n", "not-a-draft"),
        ("tool: t\nstatus: [observed]\n", "not-a-draft"),
        ("rules: []\nstatus: observed\n", "not-a-contract"),
        ("- tool\n", "not-a-contract"),
        ("text", "not-a-contract"),
        ("", "empty-file"),
        ("tool: [", "yaml-syntax"),
        ("{tool: t, status: observed}", "not-in-place"),
        ("x: &a\n  status: observed\n<<: *a\ntool: t\n", "not-in-place"),
    ],
)
def test_what_is_no_draft_is_refused(text: str, code: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        promote(text)
    assert codes(raised.value) == [code]


lines = st.sampled_from(
    [
        "# bylaw: review: x",
        "# mine",
        "",
        "side_effect: read  # why",
        "description: |\n  # bylaw: text\n  more",
        "pass_threshold: 0.5",
    ]
)


@given(above=st.lists(lines, max_size=4, unique=True), below=st.lists(lines, max_size=4, unique=True))
def test_promoting_is_taking_lines_out(above: list[str], below: list[str]) -> None:
    below = [line for line in below if line not in above or line.startswith("#")]
    written = "\n".join([*above, "status: observed", "tool: t", *below]) + "\n"
    promoted = promote(written)
    assert data_of(promoted) == {key: value for key, value in data_of(written).items() if key != "status"}
    kept = iter(written.splitlines())
    assert all(line in kept for line in promoted.splitlines()), "a line was added or moved"
    gone = len(written.splitlines()) - len(promoted.splitlines())
    assert gone <= 1 + written.count("# bylaw: review")
