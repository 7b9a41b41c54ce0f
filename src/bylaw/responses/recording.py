"""Answers kept on their way to the application: in the background, without secrets, and never at its cost."""

from __future__ import annotations

import atexit
import logging
import queue
import tempfile
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from bylaw.errors import Misuse
from bylaw.formats.packs.roots import PackRoot
from bylaw.observe import Observation, observed
from bylaw.observe.files import create_file, file_names
from bylaw.observe.writing import golden_case, pretty
from bylaw.responses.answers import Asked
from bylaw.wire import as_data, decode, whose

Keep = Callable[[Observation], object]

_LOG = logging.getLogger("bylaw.responses")
_WITHOUT_CALLS = "answer"
_PATIENCE_AT_EXIT = 5.0


class PackDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """Writes each answer as a case of a pack, named for the tools it calls."""

    root: Path

    def __call__(self, observation: Observation) -> None:
        file = file_names([observation.name])[observation.name]
        ref = f"{file}.{uuid.uuid4().hex[:12]}.json"
        pack = PackRoot(root=self.root)
        if observation.raw is not None and whose(observation.raw) != "normal":
            create_file(pack.recording(ref), pretty(observation.raw))
        create_file(pack.golden(ref), golden_case(observation))


def _writable(root: Path) -> Path:
    """Raises `Misuse` for a directory in which nothing can be kept, before the first answer is lost to it."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError as error:
        raise Misuse(f"answers can't be kept below `{root}`: {error.strerror or error}") from error


class Recorder:
    """Takes answers at once and keeps them one by one in a thread of its own.

    A directory to keep them in is made at once; `Misuse` is raised where that can't be or nothing can be written.
    No more than `waiting` answers wait and no more than `most` are kept; those beyond are counted in `lost`, as are
    those that could not be kept. The first loss is logged, no later one.
    """

    def __init__(self, to: str | Path | Keep, *, waiting: int = 1_000, most: int = 10_000) -> None:
        self._keep: Keep = PackDirectory(root=_writable(Path(to))) if isinstance(to, str | Path) else to
        self._waiting: queue.Queue[tuple[Asked, Any] | threading.Event | None] = queue.Queue(waiting)
        self._left = most
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.kept = 0
        self.lost = 0

    def add(self, asked: Asked, answer: Any) -> None:
        """Never raises, never waits."""
        try:
            refused = self._put(asked, as_data(answer))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in here, the application's call goes on
            refused = f"an answer can't be recorded: {error!r}"
        if refused:
            self._lose(refused)

    def _put(self, asked: Asked, answer: Any) -> str:
        """Why the answer is not taken, or the empty text."""
        with self._lock:
            if self._closed:
                return "the recorder is closed"
            if not self._left:
                return "there are as many recordings as were asked for"
            self._start()
            try:
                self._waiting.put_nowait((asked, answer))
            except queue.Full:
                return "answers come in faster than they can be recorded"
            self._left -= 1
            return ""

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until everything added so far is kept; False where that took longer than `timeout` seconds."""
        if self._thread is None or not self._thread.is_alive():
            return True
        done = threading.Event()
        try:
            self._waiting.put(done, timeout=timeout)
        except queue.Full:
            return False
        return done.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Keeps what is waiting, and takes nothing more."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self.flush(timeout) and self._thread is not None:
            self._waiting.put(None)
        atexit.unregister(self._at_exit)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        """Also after a fork, which leaves threads behind."""
        if self._thread is None or not self._thread.is_alive():
            if self._thread is None:
                atexit.register(self._at_exit)
            self._thread = threading.Thread(target=self._work, name="bylaw-recorder", daemon=True)
            self._thread.start()

    def _at_exit(self) -> None:
        self.close(_PATIENCE_AT_EXIT)

    def _work(self) -> None:
        while (taken := self._waiting.get()) is not None:
            if isinstance(taken, threading.Event):
                taken.set()
                continue
            try:
                self._keep(_observation(*taken))
                self.kept += 1
            except Exception as error:  # noqa: BLE001 - a sink's border: a disk or a callback may fail in any way
                self._lose(f"an answer could not be kept: {error!r}")

    def _lose(self, why: str) -> None:
        with self._lock:
            self.lost += 1
            first = self.lost == 1
        if first:
            _LOG.warning("%s; the calls themselves are not affected, and this is said once", why)


def _observation(asked: Asked, answer: Any) -> Observation:
    names = sorted({call.name for call in decode(answer).tool_calls if call.name})
    return observed(name="-".join(names) or _WITHOUT_CALLS, request=asked.body, answer=answer)


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The recorder as one that looks on."""

    recorder: Recorder

    @property
    def early(self) -> bool:
        return False

    def asked(self, keywords: Mapping[str, Any], /) -> Asked:
        return Asked.of(keywords)

    def answered(self, asked: Asked, answer: Any, /) -> None:
        self.recorder.add(asked, answer)

    def spoiled(self, asked: Asked, why: str, /) -> None:
        """All of a stream is recorded at its end, whatever it says."""

    def unseen(self, road: str, /) -> None:
        """What can't be looked at is not recorded."""
