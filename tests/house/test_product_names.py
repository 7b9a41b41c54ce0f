"""The formats' names are known to the formats and to the commands; the rest has never heard of one."""

from __future__ import annotations

import re

from .tree import PACKAGE, Module, modules

PRODUCTS = re.compile("callguard|replayci|flakestorm|keystone", re.IGNORECASE)
AT_HOME = ("formats/", "cli/", "callguard", "__init__.py")


def named(module: Module) -> list[str]:
    found = [module.at(number) for number, line in enumerate(module.lines, 1) if PRODUCTS.search(line)]
    return found + ([f"{module.file}: its name"] if PRODUCTS.search(module.file) else [])


def at_home(module: Module) -> bool:
    return module.path.relative_to(PACKAGE).as_posix().startswith(AT_HOME)


def test_a_name_is_seen_in_any_case() -> None:
    assert named(Module("x = 1\n# as Keystone does\n"))
    assert named(Module("", PACKAGE / "checks" / "flakestorm_checks.py"))


def test_the_names_stay_at_home() -> None:
    inside = [module for module in modules("src") if at_home(module)]
    outside = [module for module in modules("src") if not at_home(module)]
    assert len(outside) >= 60
    assert sum(bool(named(module)) for module in inside) >= 4
    wrong = [place for module in outside for place in named(module)]
    assert not wrong, "\n".join(wrong)
