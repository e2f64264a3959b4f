"""A PostgreSQL of the test's own, where it is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["postgres"]


@contextmanager
def postgres() -> Iterator[dict[str, str]]:
    """What Label Studio is told of a new, empty database; skips where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    if not found:
        pytest.skip("PostgreSQL is not installed: no /usr/lib/postgresql/*/bin/initdb")
    binaries = found[-1].parent
    # Not pytest's folder: another user cannot enter that.
    folder = Path(tempfile.mkdtemp(prefix="nextset-postgres-"))
    user = _user()
    as_user: dict[str, str] = {"user": user} if user else {}
    if user:
        shutil.chown(folder, user)

    def run(name: str, *arguments: str) -> None:
        command = [str(binaries / name), "-D", str(folder / "data"), *arguments]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
            timeout=120,
            **as_user,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, done.stdout + done.stderr

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        run("initdb", "--username=nextset", "--auth=trust", "--encoding=UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield {
                "DJANGO_DB": "default",
                "POSTGRE_HOST": "127.0.0.1",
                "POSTGRE_PORT": str(port),
                "POSTGRE_NAME": "postgres",
                "POSTGRE_USER": "nextset",
                "POSTGRE_PASSWORD": "unused",
            }
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> str | None:
    """Who runs it: PostgreSQL refuses to be run by root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
