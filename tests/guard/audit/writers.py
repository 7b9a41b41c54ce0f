"""Programs that write an audit log, to be run as processes of their own: `python -m …writers ROLE LOG …`."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from bylaw.guard.audit import FileSink, SinkFailed, StdoutSink

from .samples import event


def many(log: Path, flush: str, start: str, count: str, rotate_bytes: str, keep: str) -> None:
    """Several threads."""
    sink = FileSink(
        log,
        flush="always" if flush == "always" else "interval",
        interval_s=0.002,
        rotate_bytes=int(rotate_bytes) or None,
        keep=None if keep == "all" else int(keep),
    )

    def emit_some(first: int) -> None:
        for index in range(int(count)):
            sink.emit(event(first + index))

    threads = [threading.Thread(target=emit_some, args=(int(start) + 10_000 * number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sink.close()


def endless(log: Path, flush: str) -> None:
    """Until it is killed; tells how many events it has emitted, a line each thousand."""
    sink = FileSink(log, flush="always" if flush == "always" else "interval", interval_s=0.005)
    index = 0
    while True:
        sink.emit(event(index, reason="x" * (index % 5000)))
        index += 1
        if index % 100 == 0:
            print(index, flush=True)


def leaves(log: Path) -> None:
    """Never closes its sink, and emits once more when Python is on its way out."""
    late: list[FileSink] = []
    atexit.register(lambda: late[0].emit(event(99)))
    sink = FileSink(log, interval_s=3600)
    late.append(sink)
    for index in range(5):
        sink.emit(event(index))


def first_word_at_exit(log: Path) -> None:
    """Emits for the first time when no thread can be started any more."""
    sinks: list[FileSink] = []
    atexit.register(lambda: sinks[0].emit(event(7)))
    sinks.append(FileSink(log, interval_s=3600))


def forks(log: Path) -> None:
    """Forks with events still waiting, while another thread emits; parent and child both go on."""
    sink = FileSink(log, interval_s=3600)
    for index in range(10):
        sink.emit(event(index))
    done = threading.Event()

    def keep_emitting() -> None:
        index = 1000
        while not done.is_set():
            sink.emit(event(index))
            index += 1
            if index % 50 == 0:
                sink.flush()

    busy = threading.Thread(target=keep_emitting)
    busy.start()
    children = []
    for number in range(1, 6):
        child = os.fork()
        if child == 0:
            for index in range(10):
                sink.emit(event(10_000 * number + index))
            sink.flush()
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    done.set()
    busy.join()
    sink.close()


def multiprocessing_child(log: Path, method: str) -> None:
    """Children of multiprocessing that never flush."""
    sink = FileSink(log, interval_s=3600)
    sink.emit(event(0))
    multiprocessing.set_start_method(method)
    inherited = sink if method == "fork" else None
    processes = [multiprocessing.Process(target=_emit_in_child, args=(inherited, str(log), n)) for n in (1, 2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sink.close()


def _emit_in_child(sink: FileSink | None, log: str, number: int) -> None:
    sink = sink or FileSink(log, interval_s=3600)
    for index in range(5):
        sink.emit(event(100 * number + index))


def interrupted(log: Path, flush: str) -> None:
    """An exception out of nowhere, hundreds of times, wherever it hits."""
    sink = FileSink(log, flush="always" if flush == "always" else "interval", interval_s=0.001, rotate_bytes=20_000)
    hits = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal hits
        hits += 1
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    tried = 0
    emitted = []
    while hits < 400:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0002 + (hits % 97) * 0.00001)
            while True:
                tried += 1
                sink.emit(event(tried))
                emitted.append(tried)
        except KeyboardInterrupt:
            continue
    signal.setitimer(signal.ITIMER_REAL, 0)
    sink.close()
    print(*emitted)


def in_a_handler(log: Path) -> None:
    """A signal's handler emits, too, in the middle of whatever the sink is doing."""
    sink = FileSink(log, flush="always")
    handled = 0

    def emit_too(number: int, frame: FrameType | None) -> None:
        nonlocal handled
        handled += 1
        sink.emit(event(100_000 + handled))

    signal.signal(signal.SIGALRM, emit_too)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0003)
    index = 0
    while handled < 300:
        sink.emit(event(index))
        index += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    sink.close()
    print(index + handled)


def limited(log: Path, flush: str) -> None:
    """A file that may not grow, then may again."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    sink = FileSink(log, flush="always" if flush == "always" else "interval", interval_s=0.01)
    failed = 0
    for index in range(200):
        try:
            sink.emit(event(index))
        except SinkFailed:
            failed += 1
        if flush == "interval" and index % 10 == 0:
            time.sleep(0.02)
    assert failed > 0
    assert log.stat().st_size <= 10_000
    assert log.read_bytes().endswith(b"\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    sink.flush()
    sink.emit(event(200))
    sink.close()


def to_stdout(_: Path) -> None:
    """Waits until it is told to, and says on stderr how it went."""
    sys.stdin.read()
    try:
        StdoutSink().emit(event())
    except SinkFailed as failed:
        sys.stderr.write(str(failed))
        sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    roles: list[Callable[..., None]] = [
        many, endless, leaves, first_word_at_exit, forks, multiprocessing_child, interrupted, in_a_handler, limited,
        to_stdout,
    ]  # fmt: skip
    {role.__name__: role for role in roles}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
