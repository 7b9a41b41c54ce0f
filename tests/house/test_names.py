"""A file is named for the thing in it, never for its role in a pattern."""

from __future__ import annotations

import re

import pytest

from .tree import modules

ROLES = re.compile(
    r"(?:.*_)?(?:utils?|helpers?|common|misc|base|managers?|handlers?|factory|factories)", re.IGNORECASE
)


def named_for_a_role(name: str) -> bool:
    return ROLES.fullmatch(name) is not None


@pytest.mark.parametrize("name", ["utils", "Helpers", "text_utils", "http_handler", "base"])
def test_a_role_is_seen(name: str) -> None:
    assert named_for_a_role(name)


@pytest.mark.parametrize("name", ["snapshot", "database", "utilities_of_war", "manager_pay"])
def test_a_thing_is_no_role(name: str) -> None:
    assert not named_for_a_role(name)


def test_no_module_or_folder_is_named_for_a_role() -> None:
    found = modules("src", "tests", "benchmarks", "examples")
    assert len(found) >= 100
    wrong = [module.file for module in found if any(map(named_for_a_role, _parts(module.file)))]
    assert not wrong, "\n".join(wrong)


def _parts(file: str) -> list[str]:
    return file.removesuffix(".py").split("/")
