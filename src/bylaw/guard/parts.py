"""What a guard is made of and called with, looked at before it judges anything: a wrong part fails late, or never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bylaw.errors import Misuse
from bylaw.guard.principal import Principal
from bylaw.guard.sessions import Sessions
from bylaw.reader import near

_OF_A_SINK = ("emit", "flush", "close")
_OF_A_BACKEND = tuple(name for name in vars(Sessions) if not name.startswith("_"))

WORDS = frozenset({"session_id", "principal", "environment", "call_id", "parent_call_id", "metadata"})
"""What can be said of a call beside its tool and arguments."""


def check_parts(*, audit_sink: Any, backend: Any, principal: Any) -> None:
    if audit_sink is not None:
        _check_methods(audit_sink, _OF_A_SINK, part_name="audit_sink", example="`FileAuditSink(path)`")
    if backend is not None:
        _check_methods(
            backend, _OF_A_BACKEND, part_name="backend", example="`MemoryBackend()` or `RedisBackend(url)`"
        )
    if isinstance(principal, type):
        raise Misuse(f"`principal` is the class `{principal.__name__}`: it is one that was made, or a function")
    if not (principal is None or isinstance(principal, Principal | Mapping) or callable(principal)):
        raise Misuse(f"`principal` is {type(principal).__name__}: it is a `Principal`, a mapping or a function")


def _check_methods(part: Any, needed: Iterable[str], *, part_name: str, example: str) -> None:
    if isinstance(part, type):
        raise Misuse(f"`{part_name}` is the class `{part.__name__}`: give one that was made, as {example}")
    lacking = [name for name in needed if not hasattr(part, name)]
    if lacking:
        raise Misuse(
            f"`{part_name}` is {type(part).__name__}, which has no `{lacking[0]}`: give one as {example}, or"
            f" an object with {', '.join(f'`{name}`' for name in needed)}"
        )


def check_words(about: Mapping[str, Any], *, of: str) -> None:
    """A `TypeError` as Python raises it, under the name that was called."""
    if about.keys() <= WORDS:
        return
    word = next(word for word in about if word not in WORDS)
    hint = near(word, WORDS)
    raise TypeError(f"{of}() got an unexpected keyword argument '{word}'" + (f" ({hint})" if hint else ""))
