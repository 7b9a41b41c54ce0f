"""What is wrong with files: exactly the diagnostics a case names, from the loader and from `bylaw validate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.formats import load_paths

from .cases import DiagnosticsCase, case_files, cases_in, of_kind
from .gaps import along, gap
from .roads import command, paths, write


class Said(msgspec.Struct, frozen=True, kw_only=True, order=True):
    file: str
    line: int
    column: int
    code: str
    level: str
    message: str
    hint: str


def differences(said: list[Said], case: DiagnosticsCase) -> list[str]:
    """Which diagnostics are missing, and which nobody asked for; in any order."""
    left = sorted(said)
    found = []
    for wanted in case.wanted.diagnostics:
        fits = [
            one
            for one in left
            if (one.code, one.line, one.column, one.level) == (wanted.code, wanted.line, wanted.column, wanted.level)
            and (wanted.file is None or one.file == wanted.file)
            and (wanted.message or "") in one.message
            and (wanted.hint or "") in one.hint
        ]
        if fits:
            left.remove(fits[0])
        else:
            found.append(f"not said: {wanted}")
    return found + [f"said too: {one}" for one in left]


@pytest.mark.parametrize("case", along("load", of_kind(DiagnosticsCase)))
def test_the_loader_says(case: DiagnosticsCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(case.files, tmp_path)
    monkeypatch.chdir(tmp_path)
    loaded = load_paths(paths(case.validate))
    said = [
        Said(
            file=found.where.file,
            line=found.where.line,
            column=found.where.column,
            code=found.code,
            level=found.level,
            message=found.message,
            hint=found.hint,
        )
        for found in loaded.diagnostics
    ]
    wrong = differences(said, case)
    assert not wrong, "\n".join(wrong)
    assert loaded.valid is case.valid


def batches() -> list[Any]:
    """One run of the command for all cases of a file that end alike: it reads files independently of each other."""
    found = []
    for path in case_files():
        for valid in (True, False):
            cases = [case for case in cases_in(path) if isinstance(case, DiagnosticsCase) and case.valid is valid]
            if cases:
                ends = "valid" if valid else "invalid"
                found.append(pytest.param(cases, 0 if valid else 2, id=f"{path.parent.name}/{path.stem}, {ends}"))
    return found


@pytest.mark.parametrize(("cases", "exit_code"), batches())
def test_the_command_says(cases: list[DiagnosticsCase], exit_code: int, tmp_path: Path) -> None:
    directories = {f"{number:03}": case for number, case in enumerate(cases) if not gap(case, "validate")}
    named = []
    for name, case in directories.items():
        write(case.files, tmp_path / name)
        named += [f"{name}/{path}" for path in case.validate]
    done = command("validate", "--json", *named, directory=tmp_path)
    assert done.returncode == exit_code, done.stderr.decode()
    document = msgspec.json.decode(done.stdout)
    assert document["valid"] is (exit_code == 0)
    said: dict[str, list[Said]] = {name: [] for name in directories}
    for found in document["diagnostics"]:
        name, _, file = found["where"]["file"].partition("/")
        place = {"file": file, "line": found["where"]["line"], "column": found["where"]["column"]}
        words = {key: found[key] for key in ("code", "level", "message", "hint")}
        said[name].append(Said(**place, **words))
    wrong = [
        f"{case.note}: {unlike}" for name, case in directories.items() for unlike in differences(said[name], case)
    ]
    assert not wrong, "\n".join(wrong)
