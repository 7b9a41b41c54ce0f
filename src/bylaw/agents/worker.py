"""The program in whose processes Python agents run: `python -m bylaw.agents.worker CONTROL SPEC [each]`.

It imports the agent and forks workers that have it imported already. Where that is not safe, because the import left
threads or open files behind, it begins anew and lets each worker import the agent for itself.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import msgspec

from bylaw.agents.entry import Entry
from bylaw.agents.frames import Spec
from bylaw.agents.nursery import Nursery
from bylaw.agents.serving import serve
from bylaw.interpose import BadReference
from bylaw.process import supervisor

_EACH = "each"


def main(control: str, spec: str, how: str = "") -> None:
    wanted = msgspec.json.decode(spec, type=Spec)
    sys.argv = [wanted.endpoint]
    agent: Entry | BadReference | None = None
    if sys.platform == "linux" and how != _EACH:
        files = _open_files()
        agent = _imported(wanted)
        if _threads() > 1 or _open_files() != files:
            supervisor.kill(lambda: supervisor.descendants(os.getpid()))
            again = [sys.executable, "-m", "bylaw.agents.worker", control, spec, _EACH]
            os.execv(sys.executable, again)  # noqa: S606 (ourselves, and the control socket with us)

    def load() -> Entry:
        loaded = agent or _imported(wanted)
        if isinstance(loaded, BadReference):
            raise loaded
        return loaded

    with socket.socket(fileno=int(control)) as listening:
        listening.set_inheritable(False)
        Nursery(listening, lambda channel: serve(channel, load)).tend()


def _imported(spec: Spec) -> Entry | BadReference:
    try:
        return Entry(spec)
    except BadReference as why:
        return why


def _threads() -> int:
    """Those of extension modules too, which Python knows nothing of."""
    return len(list(Path("/proc/self/task").iterdir()))


def _open_files() -> set[Path]:
    return set(Path("/proc/self/fd").iterdir())


if __name__ == "__main__":
    main(*sys.argv[1:])
