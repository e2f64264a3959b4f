"""What `nextset status` last showed for a study, kept until a file that decides it changes.

Only this command uses the record. `nextset.run`, `nextset.status` and `status --deep` read every file anew.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import platform
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.files.cache_home import cache_home
from nextset.files.kept_texts import RACY, file_identity, keep_text, kept_text

__all__ = ["StatusRecord"]

_PACKAGE = os.path.realpath(Path(__file__).parents[1])
_SHELL = {"COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "_"}
"""Environment variables that differ from terminal to terminal and decide nothing."""


class StatusRecord:
    """The record of the study in the folder or file ``path``.

    It holds for the same files by path, size, inode and times: those of the study, those of nextset, and all
    others that were read. Packages, environment variables and the machine must be the same, too.
    """

    def __init__(self, path: Path, trust_code: bool) -> None:
        file = os.path.realpath(path)
        self._study = file if path.is_dir() else str(Path(file).parent)
        self._name = "status-" + blake2b(file.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        variables = sorted(item for item in os.environ.items() if item[0] not in _SHELL)
        self._setting = repr((sys.version, sys.prefix, platform.node(), variables, trust_code))

    def read(self) -> Any:
        """Return the JSON data that were kept; None if there are none, or if a file has changed since."""
        try:
            stamp, others, data = json.loads(kept_text(self._name) or "")
            return data if stamp == self._stamp(others)[0] else None
        except (OSError, ValueError, TypeError):
            return None

    @contextmanager
    def kept(self) -> Iterator[list[Any]]:
        """Keep the JSON data that the block appends to the list; the block finds the status meanwhile.

        Nothing is kept if the block logs something, or if a file changed during it or within two seconds
        before it: a further change might not be visible.
        """
        began, log, data = time.time_ns(), _Log(), list[Any]()
        logging.getLogger("nextset").addHandler(log)
        _listen()
        _READS.append(set())
        try:
            yield data
        finally:
            reads = _READS.pop()
            logging.getLogger("nextset").removeHandler(log)
        try:
            others = self._others(reads)
            stamp, changed = self._stamp(others)
        except OSError:
            return
        if data and log.is_empty and changed < began - RACY:
            keep_text(self._name, json.dumps([stamp, others, *data]))

    def _others(self, reads: Iterable[str]) -> list[str]:
        """Return those of ``reads`` and of the imported modules that no folder of the stamp has."""
        modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        links = (entry.path for entry in os.scandir(_PACKAGE) if entry.is_symlink())
        installed = (path for path in sys.path if Path(path).name in ("site-packages", "dist-packages"))
        covered = (
            self._study,
            _PACKAGE,
            *links,
            *installed,
            str(Path(os.__file__).parent),
            str(cache_home()),
        )
        folders = [os.path.realpath(folder) + os.sep for folder in covered] + ["/proc/", "/sys/", "/dev/"]
        paths = set(map(os.path.realpath, (*reads, *filter(None, modules))))
        return sorted(p for p in paths if not p.endswith(".pyc") and not _is_in(p + os.sep, folders))

    def _stamp(self, others: Iterable[str]) -> tuple[str, int]:
        """Return a stamp that changes with the files, and the time of their last change in nanoseconds."""
        state, changed = blake2b(self._setting.encode("utf-8", "surrogateescape"), digest_size=16), 0
        installed = ((f"{path} {status.st_mtime_ns}", status) for path in sys.path if (status := _stat(path)))
        read = (entry for path in others for entry in _other(path))
        for text, status in (*_below(self._study), *_below(_PACKAGE), *installed, *read):
            state.update(text.encode("utf-8", "surrogateescape"))
            changed = max(changed, status.st_ctime_ns if status else 0)
        return state.hexdigest(), changed


class _Log(logging.Handler):
    """A handler that only notes whether something was logged."""

    is_empty = True

    def emit(self, record: logging.LogRecord) -> None:
        self.is_empty = False


_READS: list[set[str]] = []
"""The files that Python opened to read and the folders that it listed, while a record waits for them."""


@functools.cache
def _listen() -> None:
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if not _READS or event not in ("open", "os.listdir", "os.scandir"):
        return
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if isinstance(arguments[0], str | bytes | os.PathLike) and not writes:
        _READS[-1].add(os.fsdecode(arguments[0]))


def _is_in(path: str, folders: Iterable[str]) -> bool:
    """Return whether ``path`` is in one of ``folders``, and not in a hidden folder there."""
    return any(path.startswith(f) and f"{os.sep}." not in path[len(f) - 1 :] for f in folders)


_Entry = tuple[str, os.stat_result | None]
"""A text that changes with a file or folder, and its status."""


def _below(folder: str, *, deep: bool = True) -> Iterator[_Entry]:
    """Yield what is in ``folder``, with ``deep`` also in its folders; leave out hidden and compiled ones."""
    waiting, visited = [folder], set[tuple[int, int]]()
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                status = _stat(entry.path) or entry.stat(follow_symlinks=False)  # a link to a missing file
                if not stat.S_ISDIR(status.st_mode):
                    yield file_identity(entry.path, status), status
                elif not entry.name.startswith(".") and entry.name != "__pycache__":
                    yield entry.path, status
                    if deep and (inode := (status.st_dev, status.st_ino)) not in visited:
                        visited.add(inode)
                        waiting.append(entry.path)


def _other(path: str) -> Iterator[_Entry]:
    status = _stat(path)
    if status is not None and stat.S_ISDIR(status.st_mode):
        yield from _below(path, deep=False)
    yield (path if status is None else file_identity(path, status)), status


def _stat(path: str) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except OSError:
        return None
