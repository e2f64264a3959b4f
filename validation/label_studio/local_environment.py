"""The local server's environment variables: its owner, its data folder, no sign-up, no network access."""

from __future__ import annotations

import os
from pathlib import Path

from nextset.validation.label_studio.django_settings import SETTINGS_NAME, write_settings
from nextset.validation.label_studio.local_owner import Owner

__all__ = ["server_environment"]

_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
"""The only variables passed on: the rest of the caller's environment may contain keys and tokens."""

_DATABASE = ("DJANGO_DB", "POSTGRE_HOST", "POSTGRE_PORT", "POSTGRE_NAME", "POSTGRE_USER", "POSTGRE_PASSWORD")

_SILENT = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "true",
    "LOG_LEVEL": "WARNING",
}

_CLOSED = {
    "CORS_ALLOW_ALL_ORIGINS": "false",
    "LS_CSP_REPORT_ONLY": "false",
    "ENABLE_LOCAL_FILES_STORAGE": "false",
    "LOCAL_FILES_SERVING_ENABLED": "false",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
}

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_NOWHERE = "http://127.0.0.1:9"
"""An address where nothing listens, so that Label Studio's requests to public sites (for tips) fail."""


def server_environment(data: Path, owner: Owner) -> dict[str, str]:
    """Return the environment of a server with its data in ``data``, which only the gateway and nextset reach.

    Writes the server's Django settings into ``data``. Signing up needs an invitation.
    """
    return {
        **{name: os.environ[name] for name in (*_PASSED, *_DATABASE) if name in os.environ},
        **_SILENT,
        **_CLOSED,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _NOWHERE),
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), _NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost,::1"),
        "ALLOWED_HOSTS": ",".join(_LOOPBACK),
        "DJANGO_SETTINGS_MODULE": SETTINGS_NAME,
        "PYTHONPATH": str(write_settings(data)),
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_USERNAME": owner.email,
        "LABEL_STUDIO_PASSWORD": owner.password,
        "LABEL_STUDIO_USER_TOKEN": owner.token,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "PYTHONUNBUFFERED": "1",
    }
