"""The output of commands: results on stdout, errors on stderr."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from nextset.cli.interruption import interruptible, leave
from nextset.errors import NextsetError
from nextset.printable_text import printable

__all__ = ["LogLines", "errors", "for_study", "print_note", "print_result"]

_STUDY = re.compile(r"(\bnextset [a-z ]+ )STUDY\b")


def print_result(text: str, as_json: bool, data: Any) -> None:
    """Print ``data`` as JSON if ``as_json``, else ``text``, with the escapes of `printable`."""
    if as_json:
        written = json.dumps(data, indent=2, ensure_ascii=False)
        if printable(written) != written or _encoded(written, sys.stdout) != written:
            # json writes its own escapes, except for DEL, which is ASCII
            written = json.dumps(data, indent=2).replace("\x7f", "\\u007f")
        _write(written + "\n", sys.stdout)
    else:
        _write(printable(text) + "\n", sys.stdout)


def print_note(text: str) -> None:
    """Print ``text`` on stderr, with the escapes of `printable`."""
    _write(printable(text) + "\n", sys.stderr)


class LogLines(logging.Handler):
    """Writes nextset's log to stderr, with the escapes of `printable`."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        print_note(_one_line(record.getMessage()))


def for_study(text: str, study: Path | None) -> str:
    """Return ``text`` with the folder ``study`` in place of the word STUDY in its commands."""
    return text if study is None else _STUDY.sub(lambda m: m[1] + shlex.quote(str(study)), text)


def _write(text: str, stream: TextIO) -> None:
    stream.write(_encoded(text, stream))
    stream.flush()


def _encoded(text: str, stream: TextIO) -> str:
    """Return ``text`` with escapes for the characters that the encoding of ``stream`` does not have."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


_DISK = "  try: check the free disk space and the permissions there, then run again; finished work is kept"


@contextlib.contextmanager
def errors(debug: bool, study: Path | None = None, *, patient: bool = False) -> Iterator[None]:
    """Print an expected error as a line with a remedy, and exit with its code.

    Commands in the remedy name ``study``, the folder that the user gave. Ctrl-C ends the command within two
    seconds; a ``patient`` command first finishes what it has started.
    """
    with contextlib.nullcontext() if patient else interruptible(), _errors(debug, study):
        yield


_IN_THE_WAY = {errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENOTDIR, errno.ENOTEMPTY}
"""The system's errors if a file takes the place of a folder, or a folder or link that of a file."""


@contextlib.contextmanager
def _errors(debug: bool, study: Path | None) -> Iterator[None]:
    try:
        yield
    except NextsetError as e:
        if debug:
            e.__suppress_context__ = False
            print_note("".join(traceback.format_exception(e)).rstrip())
            raise SystemExit(e.exit_code) from None
        print_note(f"{_one_line(f'error: {e}')}\n{_one_line(f'  try: {for_study(e.remedy, study)}')}")
        raise SystemExit(e.exit_code) from None
    except BrokenPipeError:
        # The reader of the output has closed it: the rest is discarded.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as e:
        if debug:
            print_note("".join(traceback.format_exception(e)).rstrip())
            raise SystemExit(9) from None
        print_note(f"{_one_line(f'error: {e.strerror or e}: {_place(e)}')}\n{_one_line(_remedy(e))}")
        raise SystemExit(9) from None
    except KeyboardInterrupt:
        leave()


def _place(e: OSError) -> str:
    return os.fsdecode(e.filename) if isinstance(e.filename, bytes) else str(e.filename or "a file")


def _remedy(e: OSError) -> str:
    if e.errno == errno.ENAMETOOLONG:
        return "  try: choose a shorter name, and run again"
    if e.errno not in _IN_THE_WAY or not e.filename:
        return _DISK
    path = Path(_place(e)).absolute()
    # the first part that exists and is not a folder, else the path itself: a folder in the place of a file
    wrong = (p for p in reversed(path.parents) if os.path.lexists(p) and not p.is_dir())
    return f"  try: move or remove {next(wrong, path)}, which is in the way, and run again"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
