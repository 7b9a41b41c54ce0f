"""A server that sends bytes as they are, for what no scripted model would say."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def canned(*answers: bytes, stalls: bool = False) -> Iterator[str]:
    """Its address. Each connection gets the next answer, whatever it asks, and is closed: here, or by who asked."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            connection, _ = listening.accept()
            with connection:
                _take_request(connection)
                connection.sendall(answer)
                if stalls:
                    connection.recv(1)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with listening:
        yield "http://{}:{}".format(*listening.getsockname())
    thread.join(timeout=10)


def _take_request(connection: socket.socket) -> None:
    read = b""
    while b"\r\n\r\n" not in read:
        read += connection.recv(65536)
    head, _, body = read.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    missing = int(lengths[0]) - len(body) if lengths else 0
    while missing > 0:
        missing -= len(connection.recv(65536))


def http(body: str, *headers: str, status: str = "200 OK", media: str = "application/json") -> bytes:
    """An answer that ends with its connection."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {media}", "connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()
