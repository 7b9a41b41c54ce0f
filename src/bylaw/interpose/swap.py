"""One object in place of another, wherever a running program holds it.

Agents do `from tools import search`, keep tools in dicts and lists, pass them to objects and close over them. The
garbage collector knows every container that holds an object. Those that can be changed are changed; those that can't
(tuples, bound methods, partials) are made anew and put in place of the old ones.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterable, Mapping
from types import CellType, FunctionType, MethodType
from typing import Any

_NESTED = 4
"""How deep unchangeable containers may lie in each other."""


def swap(news: Mapping[int, Any], olds: list[Any], *, spare: Iterable[Any]) -> None:
    """In place of each of `olds` its new one, found by the old one's id; the containers to `spare` keep theirs."""
    spared = {id(olds), *map(id, spare)}
    for _ in range(_NESTED):
        holders = [holder for holder in gc.get_referrers(*olds) if id(holder) not in spared]
        class_dicts = _class_dicts(holders)
        remade = {id(holder): new for holder in holders if (new := _remade(holder, news)) is not None}
        for holder in holders:
            put(holder, news, owner=class_dicts.get(id(holder)))
        olds, news = [holder for holder in holders if id(holder) in remade], remade
        spared.update((id(olds), id(holders)))
        if not olds:
            return


def put(holder: Any, news: Mapping[int, Any], *, owner: type | None = None) -> None:
    """The new in place of the old in one container; `owner` is the class whose dict it is."""
    match holder:
        case dict():
            for key, value in list(dict.items(holder)):
                if id(value) in news:
                    _set(holder, key, news[id(value)], owner)
        case list():
            for index, value in enumerate(holder):
                if id(value) in news:
                    list.__setitem__(holder, index, news[id(value)])
        case CellType():
            holder.cell_contents = news.get(id(holder.cell_contents), holder.cell_contents)
        case FunctionType():
            holder.__defaults__ = news.get(id(holder.__defaults__), holder.__defaults__)
        case _:
            _put_attributes(holder, news)


def _put_attributes(holder: Any, news: Mapping[int, Any]) -> None:
    """Python keeps the attributes of most instances without a dict until somebody asks for it."""
    try:
        attributes = object.__getattribute__(holder, "__dict__")
    except AttributeError:
        return
    if type(attributes) is dict:
        put(attributes, news)


def _set(holder: dict[Any, Any], key: Any, new: Any, owner: type | None) -> None:
    """A class must be told of a change, or it goes on with what it remembers of its dict."""
    if owner is None:
        dict.__setitem__(holder, key, new)
    else:
        type.__setattr__(owner, key, new)


def _class_dicts(holders: list[Any]) -> dict[int, type]:
    """Which of the dicts are a class's own, by id."""
    dicts = [holder for holder in holders if type(holder) is dict]
    if not dicts:
        return {}
    owned = {id(holder) for holder in dicts}
    return {
        id(held): owner
        for owner in gc.get_referrers(*dicts)
        if isinstance(owner, type)
        for held in gc.get_referents(owner)
        if id(held) in owned
    }


def _remade(holder: Any, news: Mapping[int, Any]) -> Any:
    """The same with the new in place of the old, or None for a container that can be changed or is none we know."""

    def new(value: Any) -> Any:
        return news.get(id(value), value)

    match holder:
        case tuple() if type(holder) is tuple:
            return tuple(new(value) for value in holder)
        case MethodType():
            return MethodType(new(holder.__func__), holder.__self__)
        case staticmethod() if type(holder) is staticmethod:
            return staticmethod(new(holder.__func__))
        case classmethod() if type(holder) is classmethod:
            return classmethod(new(holder.__func__))
        case functools.partial():
            return functools.partial(new(holder.func), *map(new, holder.args), **holder.keywords)
        case _:
            return None
