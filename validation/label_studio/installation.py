"""Installation of Label Studio, and gunicorn that serves it, in an environment that all studies share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from nextset.errors import ServerError
from nextset.files.cache_home import user_cache

__all__ = ["GUNICORN", "HOME_VARIABLE", "VERSION", "label_studio_command", "label_studio_python"]

VERSION = "1.23.2"
"""The version of Label Studio that nextset is tested with."""

GUNICORN = "27.0.1"
"""The version of gunicorn that serves it."""

HOME_VARIABLE = "NEXTSET_LABEL_STUDIO_HOME"
"""The environment variable that names the folder of Label Studio's environments."""

_PACKAGES = [f"label-studio=={VERSION}", f"gunicorn=={GUNICORN}"]
"""What is installed, and what the file ``installed`` in the environment says when it is."""

_SECONDS = 1800.0
"""An installation that takes longer hangs."""


def label_studio_command(say: Callable[[str], None] = lambda line: None) -> Path:
    """The ``label-studio`` command of `VERSION`, installed first if it is not there yet.

    Its environment lies in ``NEXTSET_LABEL_STUDIO_HOME``, else in the user's cache folder. ``say`` is told
    when something is installed, for that takes a minute. Raises ServerError when it cannot be installed.
    """
    return _binaries(say) / "label-studio"


def label_studio_python(say: Callable[[str], None] = lambda line: None) -> Path:
    """The Python of its environment, which has `GUNICORN` too; installed like `label_studio_command`."""
    return _binaries(say) / "python"


def _binaries(say: Callable[[str], None]) -> Path:
    folder = _home() / VERSION
    finished = folder / "installed"
    if _installed(finished) != _PACKAGES:
        from filelock import FileLock

        folder.parent.mkdir(parents=True, exist_ok=True)
        # Others who want it too wait, and find it done.
        with FileLock(folder.with_name(f"{VERSION}.lock")):
            if _installed(finished) is None:
                say(f"Installing Label Studio {VERSION} in {folder}: about 1 GB and a minute, only once")
                # An environment cannot be moved: it is made where it stays, and a half-made one again.
                shutil.rmtree(folder, ignore_errors=True)
                _run([sys.executable, "-m", "venv", str(folder)], _environment())
                _pip(folder, *_PACKAGES)
            elif _installed(finished) != _PACKAGES:
                # Servers may be running in it: nothing that is there is changed.
                _pip(folder, "--no-deps", f"gunicorn=={GUNICORN}")
            finished.write_text("".join(f"{package}\n" for package in _PACKAGES), encoding="utf-8")
    return folder / "bin"


def _installed(finished: Path) -> list[str] | None:
    """What the file says that the environment has; None if there is none, or a half-made one."""
    return finished.read_text(encoding="utf-8").split() if finished.exists() else None


def _home() -> Path:
    named = os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache() / "label-studio"


def _environment() -> dict[str, str]:
    # What this process is told of Python is not meant for the other environment.
    return {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET"}}


def _pip(folder: Path, *arguments: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    _run([str(folder / "bin" / "python"), "-m", "pip", "install", *quiet, *arguments], _environment())


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
