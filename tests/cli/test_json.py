"""With `--json`, stdout is one JSON document, whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import BUNDLE, FIVE_MISTAKES, bylaw, spec, write

CASES = "cases: [{ nmae: typo }]\n"


def test_a_dry_run(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE, "spec.yaml": spec(f"touch {tmp_path}/ran", replicas=3)})
    done = bylaw("run", "--dry-run", "--json", ".", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    bundle, planned = done.json.pop("groups")
    assert bundle == {
        "id": "bundle.yaml",
        "kind": "CallGuard bundle",
        "title": "refunds",
        "cells": 2,
        "trials": 2,
        "not_applicable": 0,
    }
    assert (planned["id"], planned["trials"]) == ("spec.yaml", 3)
    rest = {key: value for key, value in done.json.items() if key != "groups"}
    assert rest == {
        "schema": 1,
        "files": ["bundle.yaml", "spec.yaml"],
        "trials": 5,
        "agent_calls": 3,
        "model_calls": 0,
    }


INVALID = [
    ["run", "bad.yaml"],
    ["run", "--dry-run", "bad.yaml"],
    ["guard", "check", "bad.yaml", "--tool", "t"],
    ["guard", "test", "bad.yaml", "--cases", "cases.yaml"],
    ["guard", "diff", "good.yaml", "bad.yaml"],
    ["guard", "impact", "bad.yaml", "--audit-log", "log"],
]


@pytest.mark.parametrize("arguments", INVALID, ids=[" ".join(each[:2]) for each in INVALID])
def test_an_invalid_file(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE, "bad.yaml": FIVE_MISTAKES, "cases.yaml": CASES, "log": ""})
    done = bylaw(*arguments, "--json", cwd=tmp_path)
    assert done.code == 2
    document = done.json
    assert (document["schema"], document["exit_code"], document["error"]["kind"]) == (1, 2, "invalid-file")
    codes = [said["code"] for said in document["diagnostics"] if said["level"] == "error"]
    assert codes == ["bad-form", "not-a-choice", "unknown-operator", "unknown-key", "bad-regex"]
    assert document["diagnostics"][0]["where"] == {"file": "bad.yaml", "line": 3, "column": 19}
    assert "5 errors in 1 file" in done.err


def test_cases_that_are_wrong(tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE, "cases.yaml": CASES})
    done = bylaw("guard", "test", "good.yaml", "--cases", "cases.yaml", "--json", cwd=tmp_path)
    assert done.code == 2
    assert done.json["error"]["kind"] == "invalid-file"
    assert "cases.yaml" in {said["where"]["file"] for said in done.json["diagnostics"]}


MISUSE = [
    ["validate"],
    ["validate", ""],
    ["run", "good.yaml", "--jobs", "0"],
    ["run", "good.yaml", "--junit", "nowhere/j.xml"],
    ["run", "empty"],
    ["guard", "check", "good.yaml", "--tool", "t", "--args", "[]"],
    ["audit", "verify", "nowhere"],
]


@pytest.mark.parametrize("arguments", MISUSE, ids=[str(number) for number in range(len(MISUSE))])
def test_misuse(arguments: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE, "empty/values.yaml": "replicas: 3\n"})
    done = bylaw(*arguments, "--json", cwd=tmp_path)
    assert done.code == 2
    assert done.json == {
        "schema": 1,
        "exit_code": 2,
        "error": {"kind": "misuse", "message": done.json["error"]["message"]},
        "diagnostics": [],
    }
    assert done.json["error"]["message"] in done.err


def test_without_the_flag_there_is_no_document(tmp_path: Path) -> None:
    write(tmp_path, {"bad.yaml": FIVE_MISTAKES})
    assert bylaw("run", "bad.yaml", cwd=tmp_path).out == ""
