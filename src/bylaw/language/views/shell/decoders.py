"""What programs that turn one spelling of a text into another make of it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Final

from bylaw.language.views.shell.unknown import is_known

_RANGE = re.compile(r"([A-Za-z0-9])-([A-Za-z0-9])")


def decoded(words: Sequence[str], stdin: str | None) -> str | None:
    """What the command makes of what it reads; nothing where that can't be told."""
    decoder = _DECODERS.get(words[0])
    if decoder is None or stdin is None or not is_known(stdin):
        return None
    return decoder(words[1:], stdin)


def _base(decode: Callable[[str], bytes]) -> Callable[[Sequence[str], str], str | None]:
    def read(words: Sequence[str], stdin: str) -> str | None:
        if len(words) != 1 or words[0] not in ("-d", "-D", "-di", "--decode"):
            return None
        try:
            return decode("".join(stdin.split())).decode()
        except (binascii.Error, ValueError):
            return None

    return read


def _xxd(words: Sequence[str], stdin: str) -> str | None:
    if not re.fullmatch(r"-r ?-?ps?|-ps? ?-?r", " ".join(words)):
        return None
    try:
        return bytes.fromhex("".join(stdin.split())).decode()
    except ValueError:
        return None


def _rev(words: Sequence[str], stdin: str) -> str | None:
    return None if words else "".join(f"{line[::-1]}\n" for line in stdin.splitlines())


def _tr(words: Sequence[str], stdin: str) -> str | None:
    sets = [_characters(word) for word in words if not word.startswith("-")]
    if words[:1] == ["-d"] and len(sets) == 1:
        return stdin.translate(dict.fromkeys(map(ord, sets[0])))
    if len(words) != 2 or len(sets) != 2 or not sets[1] or re.search(r"[\[\\]", "".join(sets)):
        return None
    return stdin.translate(dict(zip(map(ord, sets[0]), sets[1].ljust(len(sets[0]), sets[1][-1]), strict=False)))


def _characters(word: str) -> str:
    return _RANGE.sub(lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), word)


_DECODERS: Final[dict[str, Callable[[Sequence[str], str], str | None]]] = {
    "base64": _base(base64.b64decode),
    "base32": _base(base64.b32decode),
    "xxd": _xxd,
    "rev": _rev,
    "tr": _tr,
}
