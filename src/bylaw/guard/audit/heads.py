"""Heads of chains, published where whoever can rewrite the log can't: what `verify` compares with."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.audit.chain import Head
from bylaw.guard.audit.events import iso_timestamp
from bylaw.guard.audit.log_file import LogFile

PublishHead = Callable[[Head], None]

_log = logging.getLogger(__name__)
_heads_log = logging.getLogger("bylaw.audit.heads")


class HeadPublisher:
    """Publishes the end of a growing chain at intervals, and at once where it has to be known."""

    def __init__(self, publish: str | Path | PublishHead | None, *, every_s: float) -> None:
        self._publish = HeadsFile(Path(publish)) if isinstance(publish, str | Path) else publish
        self._every_s = every_s
        self._newest: Head | None = None
        self._at = float("-inf")
        self._failed = False

    def offer(self, head: Head | None, *, at_once: bool = False) -> None:
        now = time.monotonic()
        if (
            self._publish is None
            or head is None
            or head == self._newest
            or not (at_once or now - self._at >= self._every_s)
        ):
            return
        self._newest, self._at = head, now
        try:
            self._publish(head)
        except Exception as error:  # noqa: BLE001 (where heads go is the user's business, and records don't wait for it)
            if not self._failed:
                _log.warning("can't publish the head of an audit chain: %s", error)
            self._failed = True
        else:
            self._failed = False

    @property
    def seconds_left(self) -> float | None:
        """When to offer a head again; None if nobody wants one."""
        return (
            None
            if self._publish is None
            else max(0.01, min(self._every_s, self._at + self._every_s - time.monotonic()))
        )


class HeadsFile:
    """Appends heads to a file, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, head: Head) -> None:
        file = LogFile(self._path)
        try:
            file.append(_line(head) + b"\n")
        finally:
            file.close()


def heads_to_log(head: Head) -> None:
    """The same lines as messages of a logger, for logs that are shipped elsewhere."""
    _heads_log.info("%s", _line(head).decode())


def heads_to_telemetry(tracer_provider: Any = None) -> PublishHead:
    """A span for each head, to the provider given or to the one that the program has set."""
    from opentelemetry import trace  # who does not ask for it need not have it

    tracer = trace.get_tracer("bylaw.guard", tracer_provider=tracer_provider)

    def publish(head: Head) -> None:
        attributes = {f"audit.{name}": value for name, value in msgspec.structs.asdict(head).items()}
        tracer.start_span("audit head", attributes=attributes).end()

    return publish


def _line(head: Head) -> bytes:
    return msgspec.json.encode({"at": iso_timestamp(time.time_ns()), **msgspec.structs.asdict(head)})


def read_heads(path: Path) -> list[Head]:
    """Every head in a file; a line that is none is an error, because what it anchored would go unseen.

    So is a file without any: it would vouch for nothing and look as if it did.
    """
    decode = msgspec.json.Decoder(Head).decode
    heads = []
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    heads.append(_head(decode, line, f"{path}:{number}"))
    except OSError as error:
        raise Misuse(f"can't read {path}: {error.strerror}") from error
    if not heads:
        raise Misuse(f"{path}: there is no head of a chain in it, so nothing can be compared with it")
    return heads


def _head(decode: Callable[[bytes], Head], line: bytes, where: str) -> Head:
    try:
        return decode(line)
    except msgspec.MsgspecError as error:
        raise Misuse(f"{where}: this is not the head of a chain: {error}") from error
