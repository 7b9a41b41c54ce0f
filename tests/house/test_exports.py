"""A room says in one line what it is, and everything it offers is there."""

from __future__ import annotations

import importlib

from .tree import Module, modules


def packages() -> list[Module]:
    return [module for module in modules("src") if module.path.name == "__init__.py"]


def test_every_package_says_what_it_is() -> None:
    found = {package.name: importlib.import_module(package.name).__doc__ for package in packages()}
    assert len(found) >= 15
    silent = [name for name, said in found.items() if not (said or "").strip()]
    assert not silent, "\n".join(silent)


def test_everything_offered_is_there() -> None:
    offered = [
        (package.name, name)
        for package in packages()
        for name in vars(importlib.import_module(package.name)).get("__all__", ())
    ]
    assert len(offered) >= 50
    assert len(offered) == len(set(offered))
    absent = [f"{package}.{name}" for package, name in offered if not hasattr(importlib.import_module(package), name)]
    assert not absent, "\n".join(absent)
