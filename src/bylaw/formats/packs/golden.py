"""A case's own file: the request, the answer beside it, and the boundary that vouches for the two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bylaw.formats.packs.boundary import mistakes_in
from bylaw.formats.packs.json_files import Mistake, Unusable, json_object, read_if_there
from bylaw.reader import near
from bylaw.reader.problems import listing

KEYS = ("boundary", "request", "response")
FOR_PEOPLE = ("id", "name", "description", "notes", "provider", "model", "recorded_at")
"""Keys that say something about a case and decide nothing."""


class Golden(msgspec.Struct, frozen=True, kw_only=True):
    """What a case's file says; empty where there is none. `remarks` are about what is passed over in it."""

    request: Mapping[str, Any] | None = None
    response: Any = None
    boundary: Mapping[str, Any] = {}
    remarks: tuple[str, ...] = ()


def read_golden(path: Path) -> Golden:
    """Raises `Unusable` for a file that is there and does not say what it must."""
    raw = read_if_there(path)
    if raw is None:
        return Golden()
    case = json_object(raw, path)
    found = list(golden_mistakes(case))
    errors = [mistake.message for mistake in found if mistake.level == "error"]
    if errors:
        raise Unusable(f"`{path}` can't be used: {', '.join(errors)}")
    return Golden(
        request=case.get("request"),
        response=case.get("response"),
        boundary=case.get("boundary", {}),
        remarks=tuple(_remark(mistake) for mistake in found),
    )


def golden_mistakes(case: Mapping[str, Any]) -> Iterator[Mistake]:
    for key in case:
        if key not in KEYS and key not in FOR_PEOPLE:
            hint = near(key, KEYS) or f"a case has {listing(KEYS)}"
            yield Mistake(message=f"`{key}` is not a key of a case", keys=(key,), hint=hint, level="warning")
    if "request" in case and not isinstance(case["request"], Mapping):
        yield Mistake(message="`request` is not an object", keys=("request",))
    if "boundary" in case:
        for mistake in mistakes_in(case["boundary"]):
            yield msgspec.structs.replace(mistake, keys=("boundary", *mistake.keys))


def _remark(mistake: Mistake) -> str:
    return f"{mistake.message}: {mistake.hint}" if mistake.hint else mistake.message
