"""Programs that fetch files, and the names under which they leave them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bylaw.language.views.shell.flags import FLAGS, sorted_flags

_NAMING: Final = {
    "curl": "-o",
    "wget": "-O",
    "fetch": "-o",
    "aria2c": "-o",
    "axel": "-o",
    "http": "-o",
    "https": "-o",
}
_COPYING: Final = frozenset(("scp", "rsync", "sftp", "aws", "gsutil", "rclone"))
_URL = re.compile(r"(?:https?|ftp)://[^?#]*")


def fetched(words: Sequence[str]) -> Iterator[str]:
    """The names of files that hold what came from somewhere else after this command."""
    name, rest = words[0], list(words[1:])
    if name in _NAMING:
        rest = sorted_flags(FLAGS[name], rest) if name in FLAGS else rest
        option = _NAMING[name]
        named = [rest[at + 1] for at, word in enumerate(rest[:-1]) if word == option]
        yield from named
        if not named and (name != "curl" or {"-O", "--remote-name-all"} & set(rest)):
            yield from (found[0].rstrip("/") for word in rest if (found := _URL.match(word)))
    elif name in _COPYING:
        operands = [word for word in rest if not word.startswith("-")]
        if any(":" in word for word in operands[:-1]):
            yield from (word.rpartition(":")[2] for word in operands)
