"""Redis servers that a test can start, freeze and kill, and waiting for what must come to pass."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE_S = 60.0


def eventually(holds: Callable[[], object]) -> None:
    """Fails only if it does not hold for a very long time."""
    give_up = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < give_up, "this did not come to pass"
        time.sleep(0.02)


class RedisServer:
    """A server of the test's own. It keeps what it knows across a restart only if it is `durable`."""

    def __init__(self, folder: Path, *, durable: bool = False, cluster: bool = False) -> None:
        self.port = _free_port()
        self._folder = folder
        self._options = ["--appendonly", "yes", "--appendfsync", "always"] if durable else ["--appendonly", "no"]
        if cluster:
            self._options += ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]
            self._options += ["--cluster-port", str(_free_port())]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("`redis-server` is not installed")
        self._process = subprocess.Popen(
            [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *self._options],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        eventually(self._answers)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0), decode_responses=True)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the server did not start"
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.exceptions.ConnectionError:
                return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
