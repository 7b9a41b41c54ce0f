"""The chain that makes an audit file tamper-evident.

Each writer numbers its records from 0, and each record carries the hash of the one before. A line is

    {"writer":…,"seq":…,"prev":…, …the record…, "hash":…}

and `hash` is the SHA-256 of the line's bytes without it, `prev` included: no record can be changed, taken out or
moved without the next one telling. There is no key in it. Whoever can write the file can also write the end of it
anew, from any record on; only a head that was published elsewhere tells that.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

import msgspec

FIRST_PREV = ""
_HASH_KEY = b',"hash":"'
_TAIL = len(_HASH_KEY) + 64 + len(b'"}')


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The newest record of a chain: published elsewhere, it vouches for that record and all before it."""

    writer: str
    seq: int
    hash: str


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Events that were never written, and why."""

    lost: int
    why: str


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """Old files that rotation deleted, and where each chain stood at their end."""

    files: tuple[str, ...]
    heads: tuple[Head, ...]


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What a line says of its place in a chain, and what it records if that is no event."""

    writer: str
    seq: int
    prev: str
    hash: str
    gap: Gap | None = None
    dropped: Dropped | None = None


class Position(NamedTuple):
    """Where a chain goes on: the number of its next record, and the hash that this must carry."""

    seq: int = 0
    prev: str = FIRST_PREV


def chained(writer: str, position: Position, records: list[bytes]) -> tuple[bytes, Position]:
    """Records, each an encoded JSON object that is not empty, as lines of the writer's chain; and where that ends."""
    seq, prev = position
    lines: list[bytes] = []
    for record in records:
        body = f'{{"writer":"{writer}","seq":{seq},"prev":"{prev}",'.encode() + record[1:]
        prev = sha256(body).hexdigest()
        seq += 1
        lines += (body[:-1], f',"hash":"{prev}"}}\n'.encode())
    return b"".join(lines), Position(seq, prev)


def hash_of_line(line: bytes) -> str | None:
    """The hash that the line, without its newline, should carry; None if it has not the form of a chained line."""
    if line[-_TAIL : -_TAIL + len(_HASH_KEY)] != _HASH_KEY:
        return None
    return sha256(line[:-_TAIL] + b"}").hexdigest()


read_link = msgspec.json.Decoder(Link).decode
"""The chain's fields of a line; raises `msgspec.MsgspecError` if it has none, or is no JSON."""
