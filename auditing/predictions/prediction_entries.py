"""The entries of a prediction file, one after the other, so that memory does not grow with the file."""

from __future__ import annotations

import gzip
import io
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from nextset.artifacts.progress_callback import Tick
from nextset.errors import InputError
from nextset.files.regular_file import require_file
from nextset.files.unique_keys import unique_keys

__all__ = ["is_name", "prediction_entries", "shown_key"]

LONGEST_ENTRY = 1 << 20
"""The most characters in an entry; published entries have about 800."""
READ_AT_ONCE = 1 << 22
"""The number of characters that are read at a time."""
_MEGABYTE = 1 << 20
_SHOWN = 160
_AGAIN = "download the file again, or run the script that wrote it again"
_GZIP = b"\x1f\x8b"
_space = re.compile(r"[ \t\n\r]*").match


def shown_key(key: str) -> str:
    """Return ``key`` in quotes for an error, shortened if it is long."""
    return repr(key if len(key) <= _SHOWN else key[: _SHOWN - 1] + "…")


def is_name(text: str) -> bool:
    """Return whether ``text`` has no control characters and no surrogates."""
    return not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def prediction_entries(file: Path, tick: Tick) -> Iterator[tuple[str, Any]]:
    """Yield the keys of the JSON object in ``file``, each with its value, in their order.

    A gzip file is decompressed while it is read. ``tick`` gets the megabytes that were read and the file's
    size. Raises InputError for anything that is not one whole JSON object in UTF-8.
    """
    with _opened(file) as raw:
        total = max(1, file.stat().st_size // _MEGABYTE)
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        # mypy: both are binary streams
        stream: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = _EntryReader(file, text)
        for entry in reader.entries():
            if reader.refilled:
                reader.refilled = False
                tick(min(raw.tell() // _MEGABYTE, total - 1), total)
            yield entry
        tick(total, total)


def _opened(file: Path) -> IO[bytes]:
    try:
        require_file(file, InputError)
        return file.open("rb")
    except OSError as e:
        raise InputError(
            f"the file cannot be read: {e.strerror}", file=file, remedy="check the path and its permissions"
        ) from None


class _EntryReader:
    """A reader of a JSON object, entry by entry, with at least `LONGEST_ENTRY` characters in memory before
    each entry."""

    def __init__(self, file: Path, text: io.TextIOWrapper) -> None:
        self.file, self.refilled = file, False
        self._text, self._buffer, self._at, self._whole = text, "", 0, False
        self._last = ""
        decoder = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_refuse_constant)
        self._decode = decoder.raw_decode

    def entries(self) -> Iterator[tuple[str, Any]]:
        self._refill()
        if not self._next():
            raise InputError("the file is empty", file=self.file, remedy=_AGAIN)
        self._take("{", "it is not a JSON object of predictions")
        if self._next() == "}":
            self._at += 1
            self._end()
            return
        while True:
            if len(self._buffer) - self._at < LONGEST_ENTRY:
                self._refill()
            if self._next() != '"':
                self._refuse("a key in quotes is expected")
            key: str = self._value()
            self._take(":", "a colon is expected after a key")
            self._next()
            value = self._value(key)
            self._last = key
            yield key, value
            if self._next() == "}":
                self._at += 1
                self._end()
                return
            self._take(",", "a comma is expected after an entry")

    def _refill(self) -> None:
        """Drop the used characters, and read up to `READ_AT_ONCE` more characters."""
        if self._whole:
            return
        try:
            more = self._text.read(READ_AT_ONCE)
        except UnicodeDecodeError:
            self._refuse("it is not text in UTF-8")
        except (EOFError, zlib.error, gzip.BadGzipFile) as e:
            self._refuse(f"the compressed file is cut off or damaged: {str(e)[:120]}")
        except OSError as e:
            self._refuse(f"the file cannot be read: {e.strerror}")
        self._whole = not more
        self._buffer, self._at = self._buffer[self._at :] + more, 0
        self.refilled = True

    def _next(self) -> str:
        """Skip white space; return the character after it, or "" at the end of the file."""
        while True:
            match = _space(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._whole:
                return ""
            self._refill()

    def _take(self, wanted: str, otherwise: str) -> None:
        if self._next() != wanted:
            self._refuse(otherwise)
        self._at += 1

    def _end(self) -> None:
        if self._next():
            self._refuse("there is more text after the JSON object")

    def _value(self, key: str | None = None) -> Any:
        where = "" if key is None else f", in the entry {shown_key(key)}"
        try:
            value, self._at = self._decode(self._buffer, self._at)
        except json.JSONDecodeError as e:
            near_end = e.msg.startswith("Unterminated") or e.pos >= len(self._buffer) - 8
            if near_end and not self._whole:
                self._refuse(f"an entry has more than {LONGEST_ENTRY:,} characters{where}")
            self._refuse(f"{e.msg.lower()}{where}", cut_off=near_end)
        except RecursionError:
            self._refuse(f"the values are nested too deeply{where}")
        except ValueError as e:  # a repeated key, NaN, an integer of thousands of digits
            self._refuse(f"{str(e)[:200]}{where}")
        return value

    def _refuse(self, why: str, *, cut_off: bool = False) -> NoReturn:
        if (cut_off or self._at >= len(self._buffer)) and self._whole:
            why = f"the file is cut off ({why})"
        after = f", after the entry {shown_key(self._last)}" if self._last else ""
        raise InputError(f"{why}{after}", file=self.file, remedy=_AGAIN)


def _refuse_constant(written: str) -> NoReturn:
    raise ValueError(f"{written} is not a probability")
