"""The local server's Django settings: Label Studio's own, and those that no environment variable sets."""

from __future__ import annotations

from pathlib import Path

from nextset.files.atomic_files import write_atomically

__all__ = ["SETTINGS_NAME", "write_settings"]

SETTINGS_NAME = "nextset_settings"
"""The module's name in Label Studio's environment."""

_SETTINGS = '''"""Written by nextset at each start. It runs in Label Studio's environment."""

import logging

# Label Studio's settings read some of these while they are being imported.
from core.settings.base import *

SENTRY_DSN = FRONTEND_SENTRY_DSN = ""

from label_studio.core.settings.label_studio import *


class NoStorages:
    """Refuses cloud, Redis and local storages, which could connect this machine to any address."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        from django.http import HttpResponseForbidden

        if request.path_info.startswith("/api/storages"):
            return HttpResponseForbidden()
        return self.get_response(request)


class SlashAtOnce:
    """Adds the slash at the end of the addresses that the page asks for.

    Label Studio would first look for the address without the slash, and make an error page each time.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        from django.urls import is_valid_path

        path = request.path_info
        if path.startswith("/api/") and not path.endswith("/") and not is_valid_path(path):
            request.path_info, request.path = f"{path}/", f"{request.path}/"
        return self.get_response(request)


MIDDLEWARE = [
    "nextset_settings.SlashAtOnce",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "nextset_settings.NoStorages",
    *MIDDLEWARE,
]
X_FRAME_OPTIONS = "DENY"

_HERE = ("'self'",)
CSP_DEFAULT_SRC = CSP_CONNECT_SRC = _HERE
CSP_SCRIPT_SRC = (*_HERE, "'unsafe-inline'", "blob:")
CSP_STYLE_SRC = (*_HERE, "'unsafe-inline'")
CSP_IMG_SRC = (*_HERE, "data:")
CSP_FRAME_ANCESTORS = ("'none'",)

# A refused request is not a fault of the server: the log would have a traceback of each.
logging.getLogger("core.utils.common").addFilter(lambda record: not getattr(record, "sentry_skip", False))
LOGGING["loggers"]["django.request"] = {"level": "ERROR"}

DATABASES["default"]["CONN_MAX_AGE"] = None  # each thread keeps its connection
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Several processes write: each waits for its turn before it reads the rows that it will change, and
    # acknowledged changes are on disk. What is erased is overwritten.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 30,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON",
    }

if DATABASES["default"]["ENGINE"].endswith("postgresql"):
    # There is no database file to watch: the log shows the progress of migrations.
    LOGGING["loggers"]["django.db.backends.schema"] = {
        "level": "DEBUG", "handlers": ["console"], "propagate": False,
    }
'''


def write_settings(data: Path) -> Path:
    """Write the settings into the server's folder ``data`` and return the folder to import them from."""
    folder = data / "settings"
    folder.mkdir(exist_ok=True)
    write_atomically(folder / f"{SETTINGS_NAME}.py", _SETTINGS.encode())
    return folder
