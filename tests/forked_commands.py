"""Python commands that are forks of a process that has imported torch and other large packages.

Such a command has its own arguments, folder, environment and files, and imports nextset itself, as any other
does. Only the imports that take most of its time are already done.
"""

from __future__ import annotations

import array
import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["forked_python"]

ROOT = Path(__file__).parents[1]
PRELOADED = (
    "altair", "datasets", "httpx2", "jinja2", "pandas", "pyarrow.parquet", "pydantic", "safetensors.torch",
    "scipy.stats", "sklearn.linear_model", "spacy", "transformers.modeling_utils",
    "transformers.models.auto.modeling_auto", "yaml",
)  # fmt: skip
"""What most commands import."""
_CLIENT = """\
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    call = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
    files = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    server.sendmsg([len(call).to_bytes(8, "big")], [files])
    server.sendall(call)
    status = server.recv(1)
os._exit(status[0] if status else 70)
"""


@contextmanager
def forked_python(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield a folder with the programs `python` and `nextset`; modules are imported with ``environment``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "client.py").write_text(_CLIENT, encoding="utf-8")
        for program, arguments in {"nextset": "-m nextset ", "python": ""}.items():
            client = f'exec "{sys.executable}" -IS {folder}/client.py {folder}/socket {arguments}"$@"'
            (folder / program).write_text(f"#!/bin/sh\n{client}\n", encoding="utf-8")
            (folder / program).chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "socket"))
            listener.listen()
            command = [sys.executable, "-m", "tests.forked_commands", str(listener.fileno())]
            server = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, pass_fds=[listener.fileno()]
            )
        try:
            yield folder
        finally:
            server.terminate()
            server.wait()


def serve(listener: socket.socket) -> None:
    """Answer each connection with the exit status of its command."""

    def end(*_: object) -> None:
        _reap()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        connection, _ = listener.accept()
        _reap()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            listener.close()
            _answer(connection)
            return
        connection.close()


def _reap() -> None:
    """Wait for the commands that have ended, so that their times count."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(connection: socket.socket) -> None:
    files = array.array("i")
    length, ancillary, *_ = connection.recvmsg(8, socket.CMSG_SPACE(3 * files.itemsize))
    files.frombytes(ancillary[0][2])
    call = b""
    while len(call) < int.from_bytes(length, "big"):
        call += connection.recv(1 << 16)
    command = os.fork()
    if command:
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        with suppress(OSError):
            connection.sendall(bytes([code % 256]))
        os._exit(0)
    connection.close()
    for i, file in enumerate(files):
        os.dup2(file, i)
        os.close(file)
    arguments, folder, environment = json.loads(call)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    status: object = 1
    try:
        _run(arguments)
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:  # noqa: BLE001 - a new process shows it as well
        traceback.print_exc()
    if not isinstance(status, int):
        sys.stderr.write(f"{status}\n")
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # to take all modules down would copy the memory of the process before the fork


def _run(arguments: list[str]) -> None:
    """Run what `python` would run with ``arguments``."""
    own = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.path[:] = ["", *own, *(part for part in sys.path[1:] if part not in own)]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] in ("-", "-c"):
        code = sys.stdin.read() if arguments[0] == "-" else arguments[1]
        sys.argv = [arguments[0], *arguments[1 if arguments[0] == "-" else 2 :]]
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv, sys.path[0] = arguments, str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    for module in PRELOADED:
        __import__(module)
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
