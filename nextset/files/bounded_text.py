"""Lines and records of text that are refused before they fill the memory."""

from __future__ import annotations

import io
from typing import IO

__all__ = ["MAX_LINE", "BoundedBytes", "TooLong"]

MAX_LINE = 64 << 20
"""The most bytes of a line, of all lines of a CSV record, and of a row of Parquet."""


class TooLong(ValueError):
    """A line or a record is longer than `MAX_LINE`."""

    def __init__(self) -> None:
        super().__init__(f"longer than {MAX_LINE:,} bytes")


class BoundedBytes(io.BufferedIOBase):
    """The bytes of a file for `io.TextIOWrapper`, which by itself would read lines of any length.

    Reading raises TooLong after more than `MAX_LINE` bytes without a line end.
    """

    def __init__(self, file: IO[bytes]) -> None:
        """Wrap ``file``, which is open."""
        self._file = file
        self._line = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most ``size`` bytes, and none at the end."""
        return self.read1(io.DEFAULT_BUFFER_SIZE if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes, and none at the end."""
        chunk = self._file.read(size if size > 0 else io.DEFAULT_BUFFER_SIZE)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._line = self._line + len(chunk) if end < 0 else len(chunk) - end - 1
        if self._line > MAX_LINE:
            raise TooLong
        return chunk
