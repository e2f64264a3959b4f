"""Ctrl-C: a command ends within two seconds, even while a library computes or a thread cannot be stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

__all__ = ["interruptible", "leave"]

_SECONDS = 1.0
"""Seconds that a command has to end by itself; the next run redoes what the command had not written."""
_STOPPED = 130
_MESSAGE = "stopped; run the same command again to resume\n"

_leaving = threading.Lock()


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """End this process within two seconds after Ctrl-C, as `leave` does.

    Python raises KeyboardInterrupt only between two Python instructions. A thread therefore gets the signal
    through a socket, and ends the process if the main thread does not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    written, read = socket.socketpair()
    written.setblocking(False)
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    ended = threading.Event()

    def watch() -> None:
        while (received := read.recv(1)) and not ended.is_set():
            if received[0] == signal.SIGINT and not ended.wait(_SECONDS):
                leave()

    thread = threading.Thread(target=watch, name="Ctrl-C", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        written.close()  # this ends the thread
        thread.join()
        read.close()


def leave() -> NoReturn:
    """Print that the command was stopped, and end the process at once with exit code 130.

    The interpreter is not shut down: the threads of libraries that still compute would abort the process.
    """
    with _leaving:  # never released, so only one thread prints
        shown = "\x1b[?25h\n" if sys.stderr.isatty() else ""  # a progress bar hides the cursor
        with contextlib.suppress(OSError):  # its reader may have closed it
            os.write(2, (shown + _MESSAGE).encode())  # past Python's buffer, which the main thread may hold
        os._exit(_STOPPED)
