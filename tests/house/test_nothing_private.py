"""No file of the repository names the machine it was written on, a package registry, or a key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .tree import ROOT, files

REGISTRY = re.compile(
    r"\bpypi[.](?:org|python)|pythonhosted[.]org|registry[.]npmjs|(?:index|find)-(?:url|links)|//[^/\s]+/simple\b",
    re.IGNORECASE,
)
MACHINE = re.compile(r"(?<![\w.])/(?:root|work|Users|home)/[\w.-]+")
KEY = re.compile(
    r"\bsk-[\w-]{20,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{35}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+]+")

INVENTED = {
    ("tests/agents/test_command.py", "home/of"): "a home that exists nowhere, to see that it is passed on",
}

SECRETS_ARE_THE_SUBJECT = ("tests/guard/", "tests/redaction/")
"""Where invented keys are planted to see that they are taken out."""


def private(text: str) -> list[tuple[int, str]]:
    return [
        (number, found[0])
        for number, line in enumerate(text.splitlines(), 1)
        for pattern in (REGISTRY, MACHINE, KEY)
        for found in pattern.finditer(line)
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ("https://pypi", ".org/project"),
        ("--index", "-url https://packages.example"),
        ("open('/ho", "me/kim/notes')"),
        ("cd /ro", "ot/x"),
        ("sk", "-" + "a1" * 12),
        ("-----BEGIN RSA PRI", "VATE KEY-----"),
    ],
)
def test_something_private_is_seen(parts: tuple[str, str]) -> None:
    assert private("".join(parts))


@pytest.mark.parametrize(
    "text", ["src/work/plan.py", "https://example.com/home/kim", "a task-of-many-words-in-a-row"]
)
def test_something_else_is_not(text: str) -> None:
    assert not private(text)


def test_no_file_has_anything_private() -> None:
    assert len(files()) >= 100
    found = [
        (path.relative_to(ROOT).as_posix(), number, what) for path in files() for number, what in private(_text(path))
    ]
    wrong = [
        f"{file}:{number}: {what}"
        for file, number, what in found
        if (file, what.lstrip("/")) not in INVENTED
        and not (file.startswith(SECRETS_ARE_THE_SUBJECT) and KEY.fullmatch(what))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_names_the_place_of_this_checkout() -> None:
    assert [path for path in files() if f"{ROOT}/" in _text(path)] == []


def test_constraints_are_pins_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) >= 10
    wrong = [line for line in lines if not PIN.fullmatch(line)]
    assert not wrong, "\n".join(wrong)


def _text(path: Path) -> str:
    """Bytes that are no text are looked at as well."""
    return path.read_bytes().decode(errors="replace")
