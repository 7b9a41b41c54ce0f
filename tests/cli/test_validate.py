"""`bylaw validate`: everything that is wrong, at once, and nothing run."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import BUNDLE, FIVE_MISTAKES, bylaw, spec, write

FOREIGN = "replicas: 3\n"


def test_a_good_file(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE})
    done = bylaw("validate", "bundle.yaml", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "1 contract file valid\n", "")


def test_five_mistakes_are_five_diagnostics(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": FIVE_MISTAKES})
    done = bylaw("validate", "bundle.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    told = [line for line in done.err.splitlines() if line.startswith("bundle.yaml:")]
    assert [line.partition(": error[")[2].partition("]")[0] for line in told] == [
        "bad-form",
        "not-a-choice",
        "unknown-operator",
        "unknown-key",
        "bad-regex",
    ]
    assert "hint: did you mean `message`?" in done.err
    assert "5 errors in 1 file" in done.err


def test_each_diagnostic_shows_its_line(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE.replace("mode: enforce", "mode: audit")})
    done = bylaw("validate", "bundle.yaml", cwd=tmp_path)
    assert done.err.splitlines()[:3] == [
        "bundle.yaml:4:19: error[not-a-choice]: `audit` is not `enforce` or `observe`",
        "  4 | defaults: { mode: audit }",
        "    |                   ^^^^^",
    ]


def test_a_directory_is_looked_through(tmp_path: Path) -> None:
    write(tmp_path, {"a/bundle.yaml": BUNDLE, "b/c/spec.yml": spec("true"), "values.yaml": FOREIGN})
    done = bylaw("validate", ".", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "2 contract files valid; 1 other YAML file passed over\n", "")


def test_a_directory_without_contracts_is_nothing_to_validate(tmp_path: Path) -> None:
    write(tmp_path, {"values.yaml": FOREIGN})
    done = bylaw("validate", ".", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no contract file found" in done.err


def test_one_bad_file_among_good_ones(tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE, "bad.yaml": spec("true").replace("prompt", "promt")})
    done = bylaw("validate", "good.yaml", "bad.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "bad.yaml:2:9: error[unknown-key]" in done.err
    assert "good.yaml:" not in done.err
    assert "2 contract files read, not all valid" in done.err


def test_a_warning_is_told_and_no_failure(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE.replace("{ gt: 500 }", r"{ matches: '\\d' }")})
    done = bylaw("validate", "bundle.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (0, "1 contract file valid\n")
    assert "warning[double-escaped]" in done.err


def test_the_agent_of_a_valid_file_is_not_run(tmp_path: Path) -> None:
    write(tmp_path, {"spec.yaml": spec(f"touch {tmp_path}/ran")})
    assert bylaw("validate", "spec.yaml", cwd=tmp_path).code == 0
    assert not (tmp_path / "ran").exists()


def test_as_json(tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE, "bad.yaml": "- 1\n"})
    done = bylaw("validate", "--json", "good.yaml", "bad.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (2, "")
    assert done.json == {
        "schema": 1,
        "valid": False,
        "files": ["good.yaml"],
        "diagnostics": [
            {
                "code": "unknown-format",
                "level": "error",
                "message": "this is no contract file bylaw knows",
                "hint": "it reads: CallGuard bundle, Flakestorm contract, Keystone spec, ReplayCI contract",
                "where": {"file": "bad.yaml", "line": 1, "column": 1},
            }
        ],
    }


def test_as_json_with_nothing_wrong(tmp_path: Path) -> None:
    write(tmp_path, {"good.yaml": BUNDLE})
    done = bylaw("validate", "--json", "good.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.json == {"schema": 1, "valid": True, "files": ["good.yaml"], "diagnostics": []}


def test_json_is_written_where_the_locale_has_few_letters(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE.replace("name: refunds", "name: rückzahlung")})
    done = bylaw("validate", "--json", "bundle.yaml", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 2
    assert done.json["diagnostics"][0]["message"] == "`rückzahlung` is not a name"


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize(
    "name", ["nowhere.yaml", "binary.yaml", "loop.yaml", "deep.yaml", "x" * 300, "empty.yaml", "large.yaml"]
)
def test_no_mistake_of_a_user_shows_a_traceback(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "deep.yaml").write_text("[" * 100_000)
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "large.yaml").write_text("#" * 2_000_000)
    done = bylaw(command, name, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert "1 error in 1 file" in done.err
