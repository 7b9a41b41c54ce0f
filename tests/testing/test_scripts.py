"""A script is read strictly: every mistake has a code, a place and mostly a hint, and all come at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bylaw.errors import ConfigError, InvalidFile
from bylaw.testing import ScriptedModel, script_from_file, script_from_text, script_from_values

MISTAKES: dict[str, tuple[str, str, str]] = {
    "a key of another name": ("{ txet: a }", "unknown-key", "did you mean `text`?"),
    "a condition of another name": ("{ when: { contians: a }, text: a }", "unknown-key", "did you mean `contains`?"),
    "a condition that says nothing": ("{ when: {}, text: a }", "nothing-to-match", "leave it out"),
    "a pattern that is none": ("{ when: { matches: '(' }, text: a }", "bad-regex", ""),
    "no turn 0": ("{ when: { turn: 0 }, text: a }", "out-of-range", "it must be at least 1"),
    "no such api": ("{ when: { api: openai }, text: a }", "not-a-choice", ""),
    "nothing to say": ("{ delay_ms: 5 }", "no-answer", "give it `text`, `tool_calls`"),
    "only an end": ("{ cut: true }", "no-answer", "give it `text`"),
    "no tool calls": ("{ tool_calls: [] }", "too-few", ""),
    "an error that speaks": ("{ status: 500, text: a }", "contradiction", "beside it may be `retry_after`"),
    "junk that is cut": ("{ junk: a, cut: true }", "contradiction", "beside it may be `when`"),
    "a wait without an error": ("{ text: a, retry_after: 1 }", "contradiction", "beside it may be `tool_calls`"),
    "two ends": ("{ text: a, cut: true, drop: mid-stream }", "contradiction", ""),
    "an unsent answer": ("{ text: a, drop: before }", "contradiction", "did you mean `drop: mid-stream`?"),
    "arguments twice": (
        "{ tool_calls: [{ name: a, arguments: {}, raw_arguments: x }] }",
        "contradiction",
        "",
    ),
    "arguments in a list": ("{ tool_calls: [{ name: a, arguments: [1] }] }", "wrong-type", ""),
    "a call of nothing": ("{ tool_calls: [{ arguments: {} }] }", "missing-key", ""),
    "a status of success": ("{ status: 200 }", "out-of-range", "it must be from 400 to 599"),
    "never": ("{ text: a, times: never }", "not-a-choice", "did you mean `forever`?"),
    "zero times": ("{ text: a, times: 0 }", "out-of-range", ""),
    "another drop": ("{ text: a, drop: midstream }", "not-a-choice", "did you mean `mid-stream`?"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str) -> None:
    entry, code, hint = MISTAKES[case]
    with pytest.raises(InvalidFile) as raised:
        script_from_text(f"kind: bylaw/model-script\nanswers:\n  - {entry}\n", file="a.yaml")
    (found,) = raised.value.diagnostics
    assert found.code == code
    assert hint in found.hint
    assert (found.where.file, found.where.line) == ("a.yaml", 3)


def test_all_of_them_at_once(tmp_path: Path) -> None:
    entries = "\n".join(f"  - {entry}" for entry, _, _ in MISTAKES.values())
    (tmp_path / "a.yaml").write_text(f"kind: bylaw/model-script\nanswers:\n{entries}\n")
    with pytest.raises(InvalidFile) as raised:
        script_from_file(tmp_path / "a.yaml")
    assert [found.where.line for found in raised.value.diagnostics] == list(range(3, 3 + len(MISTAKES)))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-file"),
        ("answers: [{ text: a }]", "missing-key"),
        ("kind: bylaw/model-script", "missing-key"),
        ("kind: bylaw/script\nanswers: [{ text: a }]", "not-a-choice"),
        ("kind: bylaw/model-script\nanswers: []", "too-few"),
        ("kind: bylaw/model-script\nanswers: [{ text: a, times: forever }, { text: b }]", "never-given"),
        ("[", "yaml-syntax"),
    ],
    ids=["empty", "no-kind", "no-answers-key", "other-kind", "no-answers", "never-given", "no-yaml"],
)
def test_a_script_that_is_none(text: str, code: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        script_from_text(text)
    assert [found.code for found in raised.value.diagnostics] == [code]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="no-such-file"):
        ScriptedModel.from_yaml(tmp_path / "script.yaml")


def test_python_values_are_read_as_strictly() -> None:
    with pytest.raises(InvalidFile) as raised:
        ScriptedModel.from_answers({"text": "a"}, {"when": {"contians": "x"}, "text": "b"})
    (found,) = raised.value.diagnostics
    assert (found.code, found.where.file) == ("unknown-key", "answers[1].when.contians")


def test_python_values_say_the_same_as_text() -> None:
    answers: list[Any] = [{"when": {"turn": 1}, "tool_calls": [{"name": "a", "arguments": {"b": [1, None]}}]}]
    values = script_from_values({"kind": "bylaw/model-script", "answers": answers})
    text = script_from_text(
        "kind: bylaw/model-script\nanswers:\n"
        "  - { when: { turn: 1 }, tool_calls: [{ name: a, arguments: { b: [1, null] } }] }\n"
    )
    assert values.answers[0].tool_calls[0].arguments == text.answers[0].tool_calls[0].arguments


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [object(), {1, 2}, nested(500)], ids=["object", "set", "deep"])
def test_values_that_are_no_data(value: Any) -> None:
    with pytest.raises(ConfigError):
        ScriptedModel.from_answers({"tool_calls": [{"name": "a", "arguments": {"b": value}}]})
