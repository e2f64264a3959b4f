"""The output of commands: results on stdout, errors on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from nextset.cli.interruption import interruptible, leave
from nextset.errors import NextsetError

__all__ = ["errors", "for_study", "print_note", "print_result", "printable"]

_STUDY = re.compile(r"(\bnextset [a-z ]+ )STUDY\b")


def print_result(text: str, as_json: bool, data: Any) -> None:
    """Print ``data`` as JSON if ``as_json``, else ``text``, with escapes as `printable` has them."""
    if as_json:
        written = json.dumps(data, indent=2, ensure_ascii=False)
        if _encoded(written, sys.stdout) != written:  # a surrogate, or a terminal without Unicode
            written = json.dumps(data, indent=2)
        _write(written + "\n", sys.stdout)
    else:
        _write(printable(text) + "\n", sys.stdout)


def print_note(text: str) -> None:
    """Print ``text`` on stderr, with escapes as `printable` has them."""
    _write(printable(text) + "\n", sys.stderr)


def for_study(text: str, study: Path | None) -> str:
    """Return ``text``, where its commands name the folder ``study`` instead of the word STUDY."""
    return text if study is None else _STUDY.sub(lambda m: m[1] + shlex.quote(str(study)), text)


def printable(text: str) -> str:
    """Return ``text`` with the characters that a terminal would obey or not show as escapes.

    These are control characters, marks of direction and surrogates; line breaks, tabs and spaces stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_shown(c) else ascii(c)[1:-1] for c in text)


def _is_shown(c: str) -> bool:
    return c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs"


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
    seconds; a ``patient`` one ends what it has started first.
    """
    with contextlib.nullcontext() if patient else interruptible(), _errors(debug, study):
        yield


@contextlib.contextmanager
def _errors(debug: bool, study: Path | None) -> Iterator[None]:
    try:
        yield
    except NextsetError as e:
        if debug:
            raise
        print_note(f"{_one_line(f'error: {e}')}\n{_one_line(f'  try: {for_study(e.remedy, study)}')}")
        raise SystemExit(e.exit_code) from None
    except BrokenPipeError:
        # The reader of the output has closed it; the rest is discarded.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as e:
        if debug:
            raise
        print_note(f"{_one_line(f'error: {e.strerror or e}: {_place(e)}')}\n{_DISK}")
        raise SystemExit(9) from None
    except KeyboardInterrupt:
        leave()


def _place(e: OSError) -> str:
    return os.fsdecode(e.filename) if isinstance(e.filename, bytes) else str(e.filename or "a file")


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
