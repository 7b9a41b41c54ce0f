"""File paths, as the places they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.decoding import readings
from bylaw.language.views.unreadable import Unreadable

LONGEST: Final = 65_536
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FILE_URL = re.compile(r"file:(?://(?P<host>[^/\\]*))?(?P<path>.*)", re.IGNORECASE)
_VARIABLE = re.compile(r"(?:\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[/\\]|$)", re.IGNORECASE)
_HOME = re.compile(r"~(?P<user>[^/]*)(?P<rest>/.*|)")
_HOMES: Final = ("/root", "/home/~")
_SOMEONES_HOME = re.compile(r"(?:/root|/var/root|/home/[^/]+|/Users/[^/]+|[A-Za-z]:/Users/[^/]+)(?P<rest>/.*|)")
_PROCESS = re.compile(r"/proc/(?:[^/]+/)?(?:task/[^/]+/)?(?:root|cwd)(?P<rest>/.*|)")


def path(value: str) -> tuple[str, ...]:
    """The path without `.`, `..`, `//` and a slash at the end; case is kept.

    There are several texts where programs disagree about what the value means: percent-encoded or not, a backslash
    for a slash or not, what Unicode holds to be the same character, a `file:` URL. A path in someone's home is also
    there as `~/…`, a path that climbs out of where it starts as an absolute one. Symbolic links are not seen.
    """
    if len(value) > LONGEST:
        raise Unreadable(f"the path is longer than {LONGEST} characters")
    if not value.strip():
        raise Unreadable("the path is empty")
    found: dict[str, None] = {}
    for text in readings(value):
        if _CONTROL.search(text):
            raise Unreadable("the path has a control character")
        for plain in _without_scheme(text):
            for separated in dict.fromkeys((plain, plain.replace("\\", "/"), plain.strip())):
                found |= dict.fromkeys(_places(separated))
    return tuple(found)


def _without_scheme(text: str) -> Iterator[str]:
    url = _FILE_URL.fullmatch(text.strip())
    if url is None:
        yield text
        return
    host = "" if (url["host"] or "").lower() in ("", "localhost", "127.0.0.1") else f"/{url['host']}"
    yield host + url["path"]
    if re.search(r"[?#]", url["path"]):
        yield host + re.split(r"[?#]", url["path"], maxsplit=1)[0]


def _places(text: str) -> Iterator[str]:
    home = _HOME.fullmatch(_VARIABLE.sub("~", text, count=1) if _VARIABLE.match(text) else text)
    if home is None:
        yield from _also(_straight(text))
        return
    if home["user"]:
        yield _straight(text)
    for root in _HOMES:
        place = _straight(root + home["rest"])
        inside = place == root or place.startswith(f"{root}/")
        yield from (f"~{place[len(root) :]}",) if inside else _also(place)


def _also(place: str) -> Iterator[str]:
    """The place, and what else it may be called."""
    yield place
    if someones := _SOMEONES_HOME.fullmatch(place):
        yield f"~{someones['rest']}"
    if process := _PROCESS.fullmatch(place):
        yield from _also(process["rest"] or "/")
    if place == ".." or place.startswith("../"):
        yield from _also(_straight(f"/{place}"))


def _straight(text: str) -> str:
    absolute = text.startswith("/")
    kept: list[str] = []
    for part in text.split("/"):
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part not in ("", ".", "..") or (part == ".." and not absolute):
            kept.append(part)
    return "/" + "/".join(kept) if absolute else "/".join(kept) or "."
