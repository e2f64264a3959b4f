"""The rows of a workbook's first sheet (.xlsx, ECMA-376), read without a spreadsheet's library."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from nextset.errors import InputError
from nextset.files.regular_file import require_file
from nextset.files.separated_rows import repeated_column
from nextset.generation.choices.published_templates.template_format import TemplateRow

__all__ = ["workbook_rows"]

_MOST_BYTES = 64 << 20
"""The most bytes of a part of the workbook when it is unpacked."""
_MOST_ROWS, _MOST_COLUMNS = 20_000, 500
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_STRINGS = "xl/sharedStrings.xml"
_FORMULA = "\0"


class _Unreadable(Exception):
    """A workbook that cannot be read, with the reason."""


def workbook_rows(file: Path, error: type[InputError]) -> Iterator[TemplateRow]:
    """Yield the rows of the first sheet below its header, with the texts by the header's names.

    A formula's cell has no text and is in ``formulas``. Raises ``error`` for a file that is not a workbook,
    is damaged, or has parts that are too large or declare entities.
    """
    try:
        require_file(file, error, "name a workbook")
        with zipfile.ZipFile(file) as packed:
            rows = _sheet(_part(packed, _first_sheet(packed)), _shared_strings(packed))
    except (
        zipfile.BadZipFile,
        zlib.error,
        expat.ExpatError,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as e:
        _refuse(file, error, f"the file is not a workbook, or it is damaged ({e})")
    except _Unreadable as e:
        _refuse(file, error, str(e))
    except FileNotFoundError:
        raise error("no such file", file=file, remedy="check the path") from None
    header = rows.pop(0)[1] if rows else {}
    names = {column: text.strip() for column, text in header.items() if text.strip() not in ("", _FORMULA)}
    if twice := repeated_column(list(names.values())):
        raise error(f"there are two columns {twice!r}", file=file, line=1, remedy="rename one of them")
    for line, cells in rows:
        named = {names[column]: text for column, text in cells.items() if column in names}
        texts = {name: text for name, text in named.items() if text != _FORMULA}
        if any(text.strip() for text in named.values()):
            yield TemplateRow(line, texts, frozenset(named) - frozenset(texts))


def _refuse(file: Path, error: type[InputError], why: str) -> NoReturn:
    raise error(why, file=file, remedy="save it again as .xlsx, or copy it again") from None


def _part(packed: zipfile.ZipFile, name: str) -> bytes:
    try:
        with packed.open(name) as part:
            raw = part.read(_MOST_BYTES + 1)
    except KeyError:
        raise _Unreadable(f"the workbook has no part {name[:60]}") from None
    if len(raw) > _MOST_BYTES:
        raise _Unreadable(f"the part {name[:60]} has more than {_MOST_BYTES:,} bytes")
    return raw


def _parsed(
    raw: bytes,
    begin: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] = lambda _: None,
    text: Callable[[str], None] = lambda _: None,
) -> None:
    """Parse XML, and call the functions with the names of elements without their prefixes."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = lambda name, attributes: begin(name.rpartition(":")[2], attributes)
    parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    parser.CharacterDataHandler = text
    parser.buffer_text = True
    parser.Parse(raw, True)


def _refuse_doctype(*_: object) -> NoReturn:
    raise _Unreadable("the workbook declares a document type, which could hide entities")


def _first_sheet(packed: zipfile.ZipFile) -> str:
    """Return the name of the part of the first sheet."""
    sheets: list[str] = []
    targets: dict[str, str] = {}

    def sheet(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            sheets.append(next((v for key, v in attributes.items() if key.endswith(":id")), ""))

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parsed(_part(packed, "xl/workbook.xml"), sheet)
    _parsed(_part(packed, "xl/_rels/workbook.xml.rels"), relation)
    if not sheets or sheets[0] not in targets:
        raise _Unreadable("the workbook has no sheet")
    target = targets[sheets[0]]
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _shared_strings(packed: zipfile.ZipFile) -> list[str]:
    """Return the texts that cells refer to by number, without their phonetic guides."""
    if _STRINGS not in packed.namelist():
        return []
    reader = _Strings()
    _parsed(_part(packed, _STRINGS), reader.begin, reader.end, reader.text)
    return reader.strings


class _Strings:
    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._in_text = False
        self._phonetic = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        if name == "si":
            self._parts = []
        self._phonetic = self._phonetic or name == "rPh"
        self._in_text = name == "t" and not self._phonetic

    def end(self, name: str) -> None:
        self._in_text = False
        if name == "rPh":
            self._phonetic = False
        if name == "si":
            self.strings.append("".join(self._parts))

    def text(self, text: str) -> None:
        if self._in_text:
            self._parts.append(text)


Rows = list[tuple[int, dict[str, str]]]


def _sheet(raw: bytes, strings: list[str]) -> Rows:
    """Return the rows with text: the number, and the texts by the letters of their columns."""
    reader = _Cells(strings)
    _parsed(raw, reader.begin, reader.end, reader.text)
    return reader.rows


class _Cells:
    def __init__(self, strings: list[str]) -> None:
        self.rows: Rows = []
        self._strings = strings
        self._column = self._kind = ""
        self._line = 0
        self._value: list[str] = []
        self._formula = self._in_value = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            place = _REFERENCE.fullmatch(attributes.get("r", ""))
            if place is None:
                raise _Unreadable("a cell of the sheet has no reference, such as A1")
            self._column, self._line = place[1], int(place[2])
            self._kind, self._value, self._formula = attributes.get("t", ""), [], False
        self._formula = self._formula or name == "f"
        self._in_value = name in ("v", "t")

    def end(self, name: str) -> None:
        self._in_value = False
        if name != "c" or not (self._value or self._formula):
            return
        text = _FORMULA if self._formula else self._text("".join(self._value))
        if not self.rows or self.rows[-1][0] != self._line:
            if len(self.rows) == _MOST_ROWS:
                raise _Unreadable(f"the sheet has more than {_MOST_ROWS:,} rows")
            self.rows.append((self._line, {}))
        cells = self.rows[-1][1]
        cells[self._column] = text
        if len(cells) > _MOST_COLUMNS:
            raise _Unreadable(f"row {self._line} has more than {_MOST_COLUMNS} columns")

    def text(self, text: str) -> None:
        if self._in_value:
            self._value.append(text)

    def _text(self, value: str) -> str:
        """Return the text of a cell: numbers without a needless fraction, and shared texts."""
        if self._kind == "s":
            at = int(value) if value.isascii() and value.isdecimal() and len(value) < 9 else -1
            if not 0 <= at < len(self._strings):
                raise _Unreadable(
                    f"{self._column}{self._line} refers to the text {value[:20]!r}, which is not there"
                )
            return self._strings[at].replace(_FORMULA, "")
        if self._kind in ("", "n"):
            return value.removesuffix(".0")
        return value
