"""IP addresses in the forms that clients accept, brought to the usual one."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.unreadable import Unreadable

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")


def ipv4_forms(name: str) -> Iterator[str]:
    """The address that one to four numbers stand for. A leading zero means octal to some clients only."""
    parts = name.split(".")
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)) or len(name) > 64:
        raise Unreadable(f"`{name[:64]}` is not an address")
    read = [_reading(parts, octal=True), _reading(parts, octal=False)]
    found = dict.fromkeys(address for address in read if address is not None)
    if not found:
        raise Unreadable(f"`{name}` is not an address")
    yield from found


def _reading(parts: list[str], *, octal: bool) -> str | None:
    try:
        numbers = [_number(part, octal=octal) for part in parts]
    except ValueError:
        return None  # an 8 or a 9 where the leading zero says octal
    *firsts, last = numbers
    if any(number > 255 for number in firsts) or last >= 256 ** (5 - len(numbers)):
        return None
    total = last + sum(number << (24 - 8 * at) for at, number in enumerate(firsts))
    return str(ipaddress.IPv4Address(total))


def _number(part: str, *, octal: bool) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if octal and part.startswith("0") else 10)


def ipv6_forms(text: str) -> Iterator[str]:
    """An IPv6 address, and the IPv4 address that it carries if it is one of those that do."""
    try:
        address = ipaddress.IPv6Address(text.partition("%")[0])
    except ValueError:
        raise Unreadable(f"`{text[:64]}` is not an address") from None
    mapped = address.ipv4_mapped
    yield f"::ffff:{mapped}" if mapped else str(ipaddress.IPv6Address(int(address)))
    carried = mapped or address.sixtofour
    if carried is None and (address in _NAT64 or 1 < int(address) < 2**32):
        carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if carried is not None:
        yield str(carried)
