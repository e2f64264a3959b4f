"""Installation of Label Studio, and of gunicorn to serve it, in an environment that all studies share."""

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
"""The version of gunicorn that serves Label Studio."""

HOME_VARIABLE = "NEXTSET_LABEL_STUDIO_HOME"
"""The environment variable that names the folder of Label Studio's environments."""

_PACKAGES = [f"label-studio=={VERSION}", f"gunicorn=={GUNICORN}"]
"""The packages that nextset uses; the file ``installed`` in a finished environment lists them."""

_REQUIREMENTS = Path(__file__).with_name("requirements.txt")
"""Exact versions of these and of all packages that they need, with hashes. scripts/lock writes the file."""

_SECONDS = 1800.0
"""An installation that takes longer is taken to hang."""


def label_studio_command(say: Callable[[str], None] = lambda line: None) -> Path:
    """Return the ``label-studio`` command of `VERSION`, which is installed first if it is missing.

    Its environment is in ``NEXTSET_LABEL_STUDIO_HOME``, else in the user's cache folder. ``say`` receives a
    line before an installation, since that takes a minute. Raises ServerError if the installation fails.
    """
    return _binaries(say) / "label-studio"


def label_studio_python(say: Callable[[str], None] = lambda line: None) -> Path:
    """Return the Python of its environment, which also has `GUNICORN`; see `label_studio_command`."""
    return _binaries(say) / "python"


def _binaries(say: Callable[[str], None]) -> Path:
    folder = _home() / VERSION
    finished = folder / "installed"
    if _installed(finished) != _PACKAGES:
        from filelock import FileLock

        folder.parent.mkdir(parents=True, exist_ok=True)
        # Other processes that need the environment wait here, and then find it finished.
        with FileLock(folder.with_name(f"{VERSION}.lock")):
            if _installed(finished) is None:
                say(f"Installing Label Studio {VERSION} in {folder}: about 1 GB and a minute, only once")
                # An environment cannot be moved: it is made in its final place, and an unfinished one is
                # remade.
                shutil.rmtree(folder, ignore_errors=True)
                _run([sys.executable, "-m", "venv", str(folder)], _environment())
                _pip(folder, "--require-hashes", "--no-deps", "--requirement", str(_REQUIREMENTS))
            elif _installed(finished) != _PACKAGES:
                # Servers may be running in the environment, so nothing in it is changed.
                _pip(folder, "--no-deps", f"gunicorn=={GUNICORN}")
            finished.write_text("".join(f"{package}\n" for package in _PACKAGES), encoding="utf-8")
    return folder / "bin"


def _installed(finished: Path) -> list[str] | None:
    """Return the packages that the file lists; None if there is no finished environment."""
    return finished.read_text(encoding="utf-8").split() if finished.exists() else None


def _home() -> Path:
    named = os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache() / "label-studio"


def _environment() -> dict[str, str]:
    # This process's Python variables are not meant for the other environment.
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
            "then run the same command again; to use an existing server instead, set "
            "NEXTSET_LABEL_STUDIO_URL and NEXTSET_LABEL_STUDIO_TOKEN"
        ),
    )
