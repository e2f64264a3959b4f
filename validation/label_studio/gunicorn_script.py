"""The script that serves Label Studio with gunicorn: several processes on one Unix socket."""

from __future__ import annotations

from pathlib import Path

from nextset.files.atomic_files import write_atomically

__all__ = ["PROCESSES", "THREADS", "write_script"]

PROCESSES = 2
"""The number of processes that answer requests."""

THREADS = 4
"""The number of threads per process: while one waits for the database, others answer."""

_SCRIPT = '''"""Written by nextset at each start. It runs in Label Studio's environment.

    python nextset_serve.py SOCKET PROCESSES THREADS

It ends when its standard input ends, so that it never outlives the process that started it.
"""

import gc
import os
import signal
import sys
import threading
from pathlib import Path


def end_with_parent():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


threading.Thread(target=end_with_parent, daemon=True).start()

from label_studio import server

sys.path.insert(0, server.LS_PATH)

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from django.conf import settings
from django.db import connections
from django.urls import get_resolver
from gunicorn.app.base import BaseApplication
from label_studio.core.argparser import parse_input_args

server._apply_database_migrations()
server._create_user(parse_input_args(["start"]), {})
get_resolver().url_patterns  # imported once here, and not in each process
connections.close_all()  # no process may use another's connection
gc.collect()
gc.freeze()  # memory that all processes share stays shared

socket, processes, threads = sys.argv[1:]


def removed(arbiter):
    Path(socket).unlink(missing_ok=True)
    Path(socket).parent.rmdir()


class Server(BaseApplication):
    def load_config(self):
        for name, value in {
            "bind": f"unix:{socket}",
            "workers": int(processes),
            "threads": int(threads),
            "worker_class": "gthread",
            "preload_app": True,
            "keepalive": 75,  # longer than the client keeps a connection
            "timeout": 300,
            "graceful_timeout": 10,
            "accesslog": None,  # addresses contain tokens and invitations
            "loglevel": "error",  # a refused request would be a warning
            "control_socket_disable": True,
            "on_exit": removed,
        }.items():
            self.cfg.set(name, value)

    def load(self):
        return application


Server().run()
'''


def write_script(folder: Path) -> Path:
    """Write the script into ``folder``, next to Django's settings, and return its path."""
    path = folder / "nextset_serve.py"
    write_atomically(path, _SCRIPT.encode())
    return path
