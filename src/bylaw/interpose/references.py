"""Things that a file names as `module:attr`."""

from __future__ import annotations

import importlib
import traceback
from typing import Any

from bylaw.errors import BylawError
from bylaw.interpose.plain import named


class BadReference(BylawError):
    """A `module:attr` that leads nowhere, or to something of the wrong kind; the message says why."""


def resolve(reference: str) -> Any:
    """What the reference names."""
    return look_up(reference)[1]


def look_up(reference: str) -> tuple[Any, Any]:
    """Who holds what the reference names, and the thing itself."""
    module_name, colon, path = reference.partition(":")
    if not (module_name and colon and all(name.isidentifier() for name in path.split("."))):
        raise BadReference(f"`{reference}` does not name anything: write `module:attr`")
    owner, found, so_far = None, _module(module_name, reference), f"the module `{module_name}`"
    for name in path.split("."):
        owner = found
        try:
            found = getattr(owner, name)
        except AttributeError:
            raise BadReference(f"`{reference}` does not exist: {so_far} has no `{name}`") from None
        so_far = f"`{name}`"
    return owner, found


def _module(name: str, reference: str) -> Any:
    try:
        return importlib.import_module(name)
    # The user's module runs here: it may raise anything, and may try to exit.
    except (Exception, SystemExit) as problem:
        raise BadReference(f"`{reference}` could not be imported: {named(problem)}{_place(problem)}") from problem


def _place(problem: BaseException) -> str:
    """The line that raised it, unless that is the machinery of imports."""
    if isinstance(problem, SyntaxError):
        return ""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if "importlib" not in frame.filename]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 1 else ""
