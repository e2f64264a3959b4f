"""Rows of CSV and TSV: the dialect of all files with separators (docs/reference/files.md#csv-and-tsv).

A quote that opens a cell must close it, as in RFC 4180; any other quote is an ordinary character.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nextset.errors import InputError
from nextset.files.bounded_text import MAX_LINE, TooLong
from nextset.files.regular_file import require_file

__all__ = ["SAVE_AS_UTF8", "UTF_16_MARKS", "repeated_column", "separated_rows", "sheet_text"]

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
_OTHER_SEPARATOR = re.compile(r"[\w.-]+(?:([,;|])[\w.-]+)(?:\1[\w.-]+)*")
"""A header in which another character separates the names of the columns."""
_ALL_QUOTED = re.compile(r'"(?:[^"]|"")*"(?:\t"(?:[^"]|"")*")*[\r\n]*')
_PROBLEMS = {
    "unexpected end of data": "the quote that opens a cell in this row is not closed",
    "expected after": "text follows the quote that closes a cell in this row",
}
"""Beginnings or parts of Python's messages, in the reader's words."""
_QUOTES = 'put a text that begins with a quote in quotes, with its own quotes doubled ("""Yes"", she said")'

SAVE_AS_UTF8 = "save it again as CSV in UTF-8 (in Excel, choose the type “CSV UTF-8”)"
"""The remedy for a table in another encoding."""
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a file in UTF-16."""


def repeated_column(names: Sequence[str]) -> str | None:
    """Return the first name that two columns have; None if there is none."""
    counts = Counter(names)
    return next((name for name in names if name and counts[name] > 1), None)


def separated_rows(
    text: Iterable[str],
    path: Path,
    error: type[InputError],
    *,
    tabs: bool = False,
    sheet: bool = False,
    longest: int = MAX_LINE,
) -> Iterator[tuple[int, list[str]]]:
    """Yield the header and the rows of ``text``, the lines of ``path``, each with its first line, from 1.

    With ``tabs``, tabs separate the cells; else it is the comma, semicolon or tab that the header has most.
    Empty lines are skipped. In a ``sheet``, which people edit, so are rows without text, missing cells at the
    end of a row are empty, and empty cells after the last column are ignored. Raises ``error`` with line and
    remedy for two columns with one name, a header with other separators, rows of other lengths, quotes that
    do not close a cell, rows that can be read in two ways, cells of more than ``longest`` characters and rows
    of more than `MAX_LINE`.
    """
    limit = csv.field_size_limit(longest)
    line, header = 1, list[str]()
    record = _Record(iter(text))
    try:
        separator = "\t" if tabs else max(_SEPARATORS, key=re.sub(r'"[^"]*"', "", record.first()).count)
        for cells in csv.reader(record, delimiter=separator, strict=True):
            if cells and not header:
                header = cells
                if twice := repeated_column([name.strip() for name in header]):
                    remedy = "rename or remove one of them"
                    raise error(f"there are two columns {twice!r}", file=path, line=line, remedy=remedy)
                if len(cells) == 1 and (other := _OTHER_SEPARATOR.fullmatch("".join(record.lines).strip())):
                    raise error(
                        f"{other[1]!r} does not separate the columns of a {'.tsv' if tabs else '.csv'} file",
                        file=path,
                        line=line,
                        remedy=f"put tabs for {other[1]!r}"
                        if other[1] == "|"
                        else f"rename the file from .tsv to .csv, or put tabs for {other[1]!r}",
                    )
                yield line, cells
            elif cells and (not sheet or any(cell.strip() for cell in cells)):
                if sheet and not any(cell.strip() for cell in cells[len(header) :]):
                    cells = [*cells, *[""] * len(header)][: len(header)]
                if len(cells) != len(header):
                    raise error(
                        f"the header and this row differ in length ({len(header)} and {len(cells)} columns)",
                        file=path,
                        line=line,
                        remedy=f"put a text that contains a {_SEPARATORS[separator]} in quotes, with its own "
                        "quotes doubled; if the file is cut off, copy it again",
                    )
                if separator == "\t" and _is_ambiguous(record.lines, len(header)):
                    raise error(
                        "the quote that opens a cell in this row is closed only in line "
                        f"{line + len(record.lines) - 1}, and each of these lines could be a row",
                        file=path,
                        line=line,
                        remedy=f"{_QUOTES}; if the cell has line breaks, save the table as JSON lines",
                    )
                yield line, cells
            line += record.ended()
    except csv.Error as e:
        why = next((ours for theirs, ours in _PROBLEMS.items() if theirs in str(e)), str(e))
        remedy = f"{_QUOTES}; if the file is cut off, copy it again"
        raise error(f"not {'TSV' if tabs else 'CSV'}: {why}", file=path, line=line, remedy=remedy) from None
    except TooLong as e:
        raise error(str(e), file=path, line=line, remedy="split that line, or check its quotes") from None
    finally:
        csv.field_size_limit(limit)


def sheet_text(
    path: Path, error: type[InputError], most: int, remedy: str = "name a CSV file"
) -> io.StringIO:
    """Return the text of a sheet that a spreadsheet saved; raises ``error`` if it cannot be read as CSV.

    A file of more than ``most`` bytes cannot be a sheet; ``remedy`` says what to name instead.
    """
    try:
        require_file(path, error, remedy)
        size = path.stat().st_size
        raw = path.read_bytes() if size <= most else b""
    except PermissionError:
        raise
    except OSError as e:
        raise error(f"the file cannot be read: {e.strerror}", file=path, remedy=remedy) from None
    if size > most:
        raise error(f"the file has {size:,} bytes, more than {most:,}", file=path, remedy=remedy)
    if raw[:2] in UTF_16_MARKS:
        raise error("the file is UTF-16, not UTF-8", file=path, line=1, remedy=SAVE_AS_UTF8)
    if raw[:4] == b"PK\x03\x04":
        raise error("the file is in a spreadsheet's own format, not CSV", file=path, remedy=SAVE_AS_UTF8)
    try:
        return io.StringIO(raw.decode("utf-8-sig"), newline="")
    except UnicodeDecodeError as e:
        raise error(
            "the file is not UTF-8: a spreadsheet saved it in an older encoding, such as Windows-1252",
            file=path,
            line=raw[: e.start].count(b"\n") + 1,
            remedy=f"{SAVE_AS_UTF8}; start from the original file, since texts may be damaged",
        ) from None


class _Record:
    """The lines of a file, of which those of the current record are kept."""

    def __init__(self, text: Iterator[str]) -> None:
        self._text = text
        self.lines: list[str] = []
        self._size = 0

    def first(self) -> str:
        """Return the first line that is not empty, without reading on; empty if there is none."""
        for empty, line in enumerate(self._text):
            if line.strip("\r\n"):
                self._text = itertools.chain(itertools.repeat("\n", empty), [line], self._text)
                return line
        return ""

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.lines.append(line)
            self._size += len(line)
            if self._size > MAX_LINE:
                raise TooLong
            yield line

    def ended(self) -> int:
        """Begin a new record; return the number of lines of the last one."""
        lines, self.lines, self._size = len(self.lines), [], 0
        return lines


def _is_ambiguous(lines: Sequence[str], columns: int) -> bool:
    """Return whether a record of several ``lines`` may as well be one row per line, with plain quotes."""
    if len(lines) == 1 or (columns > 1 and _ALL_QUOTED.fullmatch("".join(lines))):
        return False
    return all(line.count("\t") == columns - 1 for line in lines)
