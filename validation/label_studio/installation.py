"""Installation of Label Studio in a separate environment: once per version, shared by all studies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from nextset.errors import ServerError
from nextset.files.cache_home import user_cache

__all__ = ["HOME_VARIABLE", "VERSION", "label_studio_command"]

VERSION = "1.23.2"
"""The version of Label Studio that nextset is tested with."""

HOME_VARIABLE = "NEXTSET_LABEL_STUDIO_HOME"
"""The environment variable that names the folder of Label Studio's environments."""

_SECONDS = 1800.0
"""An installation that takes longer hangs."""


def label_studio_command(say: Callable[[str], None] = lambda line: None) -> Path:
    """The ``label-studio`` command of `VERSION`, installed first if it is not there yet.

    Its environment lies in ``NEXTSET_LABEL_STUDIO_HOME``, else in the user's cache folder. ``say`` is told
    when something is installed, for that takes a minute. Raises ServerError when it cannot be installed.
    """
    folder = _home() / VERSION
    binaries = folder / ("Scripts" if sys.platform == "win32" else "bin")
    command = binaries / ("label-studio.exe" if sys.platform == "win32" else "label-studio")
    finished = folder / "installed"
    if not finished.exists():
        from filelock import FileLock

        folder.parent.mkdir(parents=True, exist_ok=True)
        # Others who want it too wait, and find it done.
        with FileLock(folder.with_name(f"{VERSION}.lock")):
            if not finished.exists():
                say(f"Installing Label Studio {VERSION} in {folder}: about 1 GB and a minute, only once")
                # An environment cannot be moved: it is made where it stays, and a half-made one again.
                shutil.rmtree(folder, ignore_errors=True)
                _install(folder, binaries / "python")
                finished.write_text(f"{VERSION}\n", encoding="utf-8")
    return command


def _home() -> Path:
    named = os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache() / "label-studio"


def _install(folder: Path, python: Path) -> None:
    # What this process is told of Python is not meant for the other environment.
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET"}}
    _run([sys.executable, "-m", "venv", str(folder)], environment)
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    _run([str(python), "-m", "pip", "install", *quiet, f"label-studio=={VERSION}"], environment)


def _run(command: list[str], environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        reason = f"it did not finish within {_SECONDS:.0f} s"
    else:
        if done.returncode == 0:
            return
        reason = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
    raise ServerError(
        f"Label Studio {VERSION} could not be installed: {reason}",
        remedy=(
            "check that this machine reaches a package index (pip download label-studio) and has 2 GB free, "
            "then run the same command again; or use an existing server: set "
            "NEXTSET_LABEL_STUDIO_URL and NEXTSET_LABEL_STUDIO_TOKEN"
        ),
    )
