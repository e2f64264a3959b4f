"""A TCP port on loopback before a Unix socket: what comes in goes on, byte for byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Forwarder", "forwarding"]


@dataclass
class Forwarder:
    """Where it listens, and where it leads to."""

    url: str
    """Its address, the same as long as it runs."""
    to: Path
    """The Unix socket; another one after a restart."""


@contextmanager
def forwarding(to: Path) -> Iterator[Forwarder]:
    """A forwarder to the socket ``to``; connections are closed at once while nothing listens there."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        forwarder = Forwarder(f"http://127.0.0.1:{listener.getsockname()[1]}", to)
        accepting = threading.Thread(target=_accept, args=(listener, forwarder))
        accepting.start()
        try:
            yield forwarder
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()


def _accept(listener: socket.socket, forwarder: Forwarder) -> None:
    with suppress(OSError):  # it listens no more
        while True:
            asking, _ = listener.accept()
            threading.Thread(target=_forward, args=(asking, forwarder.to), daemon=True).start()


def _forward(asking: socket.socket, to: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(asking)
        answering = stack.enter_context(socket.socket(socket.AF_UNIX))
        try:
            answering.connect(str(to))
        except OSError:
            return
        back = threading.Thread(target=_copy, args=(answering, asking), daemon=True)
        back.start()
        _copy(asking, answering)
        back.join()


def _copy(reader: socket.socket, writer: socket.socket) -> None:
    with suppress(OSError):
        while part := reader.recv(65_536):
            writer.sendall(part)
    for end, how in ((writer, socket.SHUT_WR), (reader, socket.SHUT_RD)):
        with suppress(OSError):
            end.shutdown(how)
