"""JSON paths (RFC 9535). Plain ones, `$.a[0].b`, are followed directly; the rest by a library that is loaded then."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from bylaw.language.operators import MISSING

_PLAIN = re.compile(
    r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*"
    r"|\[(?:0|-?[1-9][0-9]{0,14})\]"
    r"|\['[^'\\\x00-\x1f]*'\]"
    r"|\[\"[^\"\\\x00-\x1f]*\"\])*\Z"
)
_FUNCTIONS = re.compile(r"\b(match|search)\s*\(")
_SHOWN = 40
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(-?[0-9]+)\]|\['([^'\\]*)'\]|\[\"([^\"\\]*)\"\]")


class PathError(ValueError):
    """Not a JSON path; the message says where it stops being one, and `hint` what may be meant."""

    def __init__(self, said: str, *, hint: str = "") -> None:
        self.hint = hint
        super().__init__(said)


class JsonPath(msgspec.Struct, frozen=True, kw_only=True):
    """A compiled path. `values` gives every match in order; none means the path is missing."""

    text: str
    values: Callable[[Any], list[Any]]
    names: tuple[str | int, ...] | None = None


@lru_cache(maxsize=4096)
def compile_path(text: str) -> JsonPath:
    """Contracts of one pack say the same few paths again and again."""
    if _PLAIN.match(text):
        steps = tuple(_step(found) for found in _STEP.finditer(text))
        return JsonPath(text=text, names=steps, values=lambda data: _follow(data, steps))
    if _FUNCTIONS.search(text):
        said = "the functions `match` and `search` are not supported: they have no bounded time"
        raise PathError(said, hint="use the operator `regex`")
    from jsonpath_rfc9535 import JSONPathError, compile as compile_rfc9535  # noqa: I001 (32 ms to import, rarely needed)

    try:
        query = compile_rfc9535(text)
    except JSONPathError as error:
        raise _not_a_path(text, 0 if error.token is None else error.token.index) from error
    except (RecursionError, OverflowError, ValueError) as error:
        raise PathError(f"it is beyond what can be followed, {error}") from error
    return JsonPath(text=text, values=lambda data: [node.value for node in query.find(data)])


def _not_a_path(text: str, index: int) -> PathError:
    """In our words: the library's are for those who know its grammar."""
    if not text.startswith("$"):
        return PathError(f"its first character is `{text[0]}`" if text else "it is empty", hint="it begins with `$`")
    rest = text[index:]
    opened = text.count("[") - text.count("]")
    if opened > 0 and (not rest or text[index - 1 : index] in ("'", '"')):
        return PathError("it ends too early", hint="close the `[`, as in `[0]`, `[*]` or `['name']`")
    if not rest:
        return PathError("it ends too early", hint="a name or `[…]` is missing")
    shown = rest if len(rest) <= _SHOWN else f"{rest[:_SHOWN]}…"
    return PathError(f"it can't be followed at `{shown}`", hint="names with other signs are written `['…']`")


def _step(found: re.Match[str]) -> str | int:
    name, index, single, double = found.groups()
    if index is not None:
        return int(index)
    return next(word for word in (name, single, double) if word is not None)


def _follow(data: Any, steps: tuple[str | int, ...]) -> list[Any]:
    for step in steps:
        data = _one(data, step)
        if data is MISSING:
            return []
    return [data]


def _one(data: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return data.get(step, MISSING) if isinstance(data, Mapping) else MISSING
    if not isinstance(data, (list, tuple)) or not -len(data) <= step < len(data):
        return MISSING
    return data[step]
