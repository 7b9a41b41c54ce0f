"""URLs, as the hosts a client would connect to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.addresses import ipv4_forms, ipv6_forms
from bylaw.language.views.decoding import folded, percent_decoded, readings
from bylaw.language.views.unreadable import Unreadable

LONGEST: Final = 65_536
LONGEST_NAME: Final = 255
_AROUND: Final = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_SLASHED: Final = frozenset(("http", "https", "ws", "wss", "ftp"))
"""Schemes after which browsers take any number of slashes, in either direction."""

_ENDS: Final = (re.compile(r"[/\\?#]"), re.compile(r"[/?#]"), re.compile("/"))
"""Where the part with the host ends: for browsers, by the standard, and for clients that look for a slash."""

_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMERIC_END = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)", re.DOTALL)
_DOTS: Final = dict.fromkeys(map(ord, "\u3002\uff0e\uff61"), ".")


def host(value: str) -> tuple[str, ...]:
    """The host in lower case, as ASCII, without user, port and final dot; an address in its usual form.

    There are several texts where clients disagree about what the value means: a backslash, an `@` after `#`, a zero
    before a number, letters that Unicode folds in two ways. A rule that lists the hosts that are fine should say
    `not_in`, which then holds if any of them is not listed.
    """
    if len(value) > LONGEST:
        raise Unreadable(f"the address is longer than {LONGEST} characters")
    text = re.sub(r"[\t\r\n]", "", value.strip(_AROUND))
    found = dict.fromkeys(_hosts(text))
    try:
        for other in readings(text):
            found |= dict.fromkeys(_hosts(other))
    except Unreadable:
        return tuple(found)  # a client that decodes so much has no host to connect to
    return tuple(found)


def _hosts(text: str) -> list[str]:
    after, scheme = _after_slashes(text)
    browser, *others = dict.fromkeys(end.split(after, maxsplit=1)[0] for end in _ENDS)
    found = list(_named(browser, scheme))
    for authority in others:
        try:
            found += _named(authority, scheme)
        except Unreadable:
            continue  # a client that reads it so has no host to connect to
    return found


def _after_slashes(text: str) -> tuple[str, str]:
    """What follows the scheme and its slashes, and the scheme."""
    written = _SCHEME.fullmatch(text)
    if written is not None:
        scheme, rest = written[1].lower(), written[2]
        if scheme in _SLASHED:
            return rest.lstrip("/\\"), scheme
        if rest.startswith(("//", "\\\\")):
            return rest[2:], scheme
        is_a_host = "." in scheme or scheme == "localhost" or re.match(r"\d+(?:[/?#\\]|$)", rest)
        if not is_a_host:
            raise Unreadable(f"`{scheme}:` leads to no host")
    if text.startswith(("//", "\\\\")):
        return text.lstrip("/\\"), ""
    if text.startswith(("/", "\\", "?", "#", ".")):
        raise Unreadable("there is no host in it")
    return text, ""


def _named(authority: str, scheme: str) -> Iterator[str]:
    """The hosts that the part between the slashes may name; some clients take the first `@`, most the last."""
    parts = authority.split("@")
    for part in dict.fromkeys((parts[-1], *parts[1:2])):
        yield from _host(part, scheme)


def _host(part: str, scheme: str) -> Iterator[str]:
    if part.startswith("["):
        address, closed, rest = part[1:].partition("]")
        if not closed or not re.fullmatch(r"(?::\d*)?", rest):
            raise Unreadable("a bracket in it is not closed")
        yield from ipv6_forms(address)
    elif part.count(":") > 1:
        yield from ipv6_forms(part)
    else:
        name, _, port = part.partition(":")
        if scheme and port and not port.isdecimal():
            raise Unreadable(f"`{port}` is not a port")
        yield from _names(name)


def _names(written: str) -> Iterator[str]:
    name = folded(percent_decoded(written)).translate(_DOTS).lower().removesuffix(".")
    if not name or len(name) > LONGEST_NAME:
        raise Unreadable("the host is too long" if name else "there is no host in it")
    if _NUMERIC_END.fullmatch(name):
        yield from ipv4_forms(name)
        return
    for ascii_name in dict.fromkeys((_as_before(name), _as_now(name))):
        if not _NAME.fullmatch(ascii_name):
            raise Unreadable("the host has a character that no host can have")
        yield ascii_name


def _as_before(name: str) -> str:
    """As older clients write a name in ASCII: `ß` is `ss`."""
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode().lower()
    except UnicodeError:
        raise Unreadable("the host can't be written in ASCII") from None


def _as_now(name: str) -> str:
    """As newer clients write it: `ß` stays a letter of its own."""
    labels = name.split(".")
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels)
