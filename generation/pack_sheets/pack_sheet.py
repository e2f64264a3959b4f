"""The sheet of a pack's cells, for a spreadsheet program: one row per cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.atomic_files import write_atomically
from nextset.files.regular_file import has_file
from nextset.files.spreadsheet_cells import neutralised
from nextset.generation.pack_sheets.pack_cells import PackCell
from nextset.html.content_warning import CONTENT_WARNING

__all__ = ["PACK_COLUMNS", "sheet_bytes", "write_pack_sheet", "write_sheet"]

PACK_COLUMNS: Mapping[str, str] = {
    "place": "the place of the text: the file, #, and the keys that lead to it",
    "what": "a description of the text",
    "english": "an example from English",
    "so_far": "the text of the pack when the sheet was written; empty if there was none",
    "text": "for you to fill in, or to change",
    "note": "for your remarks on the cell. The first note has the content warning",
}
"""The columns of a pack's sheet, with their meanings."""


def write_pack_sheet(path: Path, cells: Iterable[PackCell]) -> None:
    """Write ``cells`` as a CSV file with `PACK_COLUMNS`, for `import_language`.

    Raises WordListError if ``path`` already exists with other content, such as a filled-in sheet.
    """
    rows = [
        {
            "place": cell.place,
            "what": cell.what,
            "english": cell.english,
            "so_far": cell.text,
            "text": cell.text,
            "note": "",
        }
        for cell in cells
    ]
    if rows:
        rows[0]["note"] = CONTENT_WARNING
    write_sheet(path, list(PACK_COLUMNS), rows)


def write_sheet(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a sheet of texts, completely or not at all; raises WordListError as `write_pack_sheet` does.

    A file with other content is not overwritten, since someone may have filled it in.
    """
    raw = sheet_bytes(columns, rows)
    if has_file(path, WordListError, "name a CSV file to write"):
        if path.read_bytes() == raw:
            return
        raise WordListError(
            "the file already exists, and someone may have filled it in",
            file=path,
            remedy="name a different file, or move this one away",
        )
    write_atomically(path, raw)


def sheet_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> bytes:
    """Return a sheet as CSV in UTF-8, with a mark at its start that tells Excel the encoding.

    Texts that a spreadsheet would treat as formulas get an apostrophe at their start.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows({name: neutralised(text) for name, text in row.items()} for row in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode()
