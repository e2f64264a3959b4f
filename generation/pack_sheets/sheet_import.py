"""`nextset language import`: writes the texts of a sheet into the files of a pack, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import WordListError
from nextset.files.atomic_files import remove_temporary, write_together
from nextset.files.yaml_edits import UnsafeEdit, edited_yaml
from nextset.files.yaml_reader import Location
from nextset.generation.pack_sheets.cell_check import checked_text, doubt
from nextset.generation.pack_sheets.incomplete_pack import read_incomplete_pack
from nextset.generation.pack_sheets.pack_cells import PackCell, pack_cells
from nextset.generation.pack_sheets.pack_folder import own_pack_folder
from nextset.generation.pack_sheets.pack_sheet import PACK_COLUMNS
from nextset.generation.pack_sheets.sheet_rows import SheetProblem, SheetRow, WrongSheet, read_sheet
from nextset.generation.pack_sheets.template_slots import slot_problems
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.short_repr import short_repr

__all__ = ["ImportedSheet", "SheetNote", "import_language"]

_REMEDY = "correct these cells in the sheet, and import it again; nothing was imported"


@dataclass(frozen=True)
class SheetNote:
    """A text from the column note, or a remark on a text."""

    line: int
    """The line of the sheet, from 1."""
    place: str
    """The cell."""
    note: str


@short_repr
@dataclass(frozen=True)
class ImportedSheet:
    """The changes by an import."""

    folder: Path
    """The pack's folder."""
    changed: tuple[str, ...]
    """The places of the new and changed texts."""
    files: tuple[Path, ...]
    """The files that were written."""
    unchanged: int
    """The number of cells whose text was already in the pack."""
    empty: int
    """The number of cells that are still empty, in the sheet and in the pack."""
    doubtful: tuple[SheetNote, ...]
    """Texts, imported or not, that a person should look at."""
    normalised: tuple[SheetNote, ...]
    """Texts that were not in Unicode NFC, and now are."""
    notes: tuple[SheetNote, ...]
    """The texts in the column note."""


def import_language(sheet: Path | str, folder: Path | str, *, progress: Progress = SILENT) -> ImportedSheet:
    """Write the texts of ``sheet`` into the pack in ``folder``; the rest of its files stays unchanged.

    An empty cell changes nothing. A text that changed in the pack since the sheet was written is kept, but if
    the sheet changes it too, that is an error. Raises WrongSheet with all problems, or WordListError; then
    nothing is written.
    """
    sheet, folder = Path(sheet), own_pack_folder(folder)
    remove_temporary(folder)
    pack = read_incomplete_pack(folder)
    cells = {cell.place: cell for cell in pack_cells(pack)}
    rows = read_sheet(sheet, PACK_COLUMNS)
    if not rows:
        raise WordListError("the sheet has no rows", file=sheet, line=1, remedy="fill in the original sheet")
    taken, problems, normalised, doubtful = _taken(rows, cells)
    lines = {row.texts["place"]: row.line for row in rows}
    for place, message in slot_problems(pack, cells, taken).items():
        problems.append(SheetProblem(lines[place], place, message))
    problems.sort(key=lambda problem: problem.line)
    if problems:
        raise WrongSheet(sheet, problems, _REMEDY)
    edits: dict[Path, dict[Location, str]] = {}
    for place, text in taken.items():
        cell = cells[place]
        edits.setdefault((folder / cell.file).resolve(), {})[cell.at] = text
    tick = progress("language import")
    written: dict[Path, bytes] = {}
    before: dict[Path, bytes] = {}
    for i, (file, texts) in enumerate(edits.items()):
        tick(i, len(edits))
        before[file] = file.read_bytes()
        written[file] = _edited(file, before[file], texts)
    if changed := next((f for f, raw in before.items() if f.read_bytes() != raw), None):
        raise WordListError(
            "the file was changed in the meantime", file=changed, remedy="import the sheet again"
        )
    write_together(written)
    tick(len(edits), len(edits))
    return ImportedSheet(
        folder=folder,
        changed=tuple(taken),
        files=tuple(dict.fromkeys(folder / cells[place].file for place in taken)),
        unchanged=sum(bool(cells[r.texts["place"]].text) for r in rows if r.texts["place"] not in taken),
        empty=sum(not cells[r.texts["place"]].text for r in rows if r.texts["place"] not in taken),
        doubtful=tuple(doubtful),
        normalised=tuple(normalised),
        notes=tuple(_notes(rows)),
    )


def _taken(
    rows: list[SheetRow], cells: Mapping[str, PackCell]
) -> tuple[dict[str, str], list[SheetProblem], list[SheetNote], list[SheetNote]]:
    """Return the new texts by place, the problems, the normalised texts, and the doubtful ones."""
    taken: dict[str, str] = {}
    problems: list[SheetProblem] = []
    normalised: list[SheetNote] = []
    doubtful: list[SheetNote] = []
    seen: dict[str, int] = {}
    for row in rows:
        place = row.texts["place"]
        cell = cells.get(place)
        if cell is None:
            shown = place if len(place) <= 80 else f"{place[:77]}…"
            problems.append(
                SheetProblem(row.line, shown, "the pack has no such place; do not change the column place")
            )
            continue
        if place in seen:
            problems.append(
                SheetProblem(row.line, place, f"the row is also in line {seen[place]}; keep one of the rows")
            )
            continue
        seen[place] = row.line
        if changed := next((c for c in ("what", "english") if row.texts[c] != getattr(cell, c)), None):
            message = f"the column {changed} was changed; it should be {getattr(cell, changed)!r}"
            problems.append(SheetProblem(row.line, place, message))
            continue
        new = checked_text(cell, row.texts["text"])
        so_far = checked_text(cell, row.texts["so_far"]).text
        if not new.text and so_far not in ("", cell.text):
            message = f"the column so_far has the new text {so_far[:60]!r}: did you mean the column text?"
            problems.append(SheetProblem(row.line, place, message))
        elif new.text and new.text == cell.text and so_far not in ("", cell.text):
            note = f"has {so_far[:60]!r} in the column so_far: if it is new, write it in the column text"
            doubtful.append(SheetNote(row.line, place, note))
        elif not new.text or new.text in (cell.text, so_far):
            continue  # empty, already in the pack, or not changed by the person who had the sheet
        elif new.problem:
            problems.append(SheetProblem(row.line, place, new.problem))
        elif cell.text and cell.text != row.texts["so_far"]:
            message = f"the pack now has {cell.text!r}, but the sheet has {new.text!r}"
            problems.append(SheetProblem(row.line, place, f"{message}; write the right text in both"))
        else:
            taken[place] = new.text
            if new.normalised:
                normalised.append(SheetNote(row.line, place, "was not in Unicode NFC, and now is"))
            if why := doubt(new.text):
                doubtful.append(SheetNote(row.line, place, why))
    return taken, problems, normalised, doubtful


def _edited(file: Path, raw: bytes, texts: Mapping[Location, str]) -> bytes:
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    try:
        return mark + edited_yaml(raw.decode("utf-8-sig"), texts).encode()
    except UnsafeEdit as e:
        raise WordListError(
            str(e),
            file=file,
            remedy="write each of its entries on separate lines, as `nextset language new` does",
        ) from None


def _notes(rows: list[SheetRow]) -> list[SheetNote]:
    notes = ((row, row.texts["note"].replace(CONTENT_WARNING, "").strip()) for row in rows)
    return [SheetNote(row.line, row.texts["place"], note) for row, note in notes if note]
