"""The import of a review: ticks become `checked_by` in pack.yaml, corrections a list of changes to make."""

from __future__ import annotations

import datetime
import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import InputError, WordListError
from nextset.files.atomic_files import write_atomically
from nextset.files.yaml_edits import UnsafeEdit, appended_item
from nextset.files.yaml_model import read_model
from nextset.generation.pack_sheets.pack_folder import own_pack_folder
from nextset.generation.pack_sheets.review_cover import review_rows
from nextset.generation.pack_sheets.review_sheet import REVIEW_COLUMNS
from nextset.generation.pack_sheets.review_texts import Piece, ReviewRow, read_review_pack
from nextset.generation.pack_sheets.sheet_rows import SheetProblem, SheetRow, read_sheet
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.pack_schema import NAME_OF_SPEAKER, PackFile
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.short_repr import short_repr

__all__ = ["Correction", "ReviewTicks", "check_language"]

TICKS = frozenset({"x", "х", "✓", "✔", "✅", "☑", "√", "v", "1", "ok", "yes", "true"})
"""The values that count as a tick, ignoring case; the second x is the Cyrillic letter."""
NO_TICKS = frozenset({"", "0", "no", "false", "☐"})
"""The values that count as no tick: spreadsheets write them for a box that is not ticked."""
_TEXTS = ("context", "text", "negated")


@dataclass(frozen=True)
class Correction:
    """A row that a native speaker would write differently."""

    line: int
    """The line of the sheet, from 1."""
    id: str
    """The id of the row."""
    correction: str
    """The text from the native speaker."""
    look_at: tuple[str, ...]
    """The texts to change, with file and line: the parts of the row that are not in the correction."""


@short_repr
@dataclass(frozen=True)
class ReviewTicks:
    """The content of a filled-in review."""

    folder: Path
    """The pack's folder."""
    name: str
    """The native speaker's name."""
    date: datetime.date
    """The date of the import."""
    rows: int
    """The number of rows of the whole review."""
    ticked: int
    """The number of rows that are right."""
    seen: float
    """The share of ticked rows that is now in pack.yaml: from 0 to 1, rounded down to two decimals."""
    corrections: tuple[Correction, ...]
    """The changes to make; nextset does not make them itself."""
    comments: tuple[SheetProblem, ...]
    """The texts in the column comment."""
    refused: tuple[SheetProblem, ...]
    """The rows that do not count, with the reason."""
    recorded: bool
    """True if `checked_by` was written, which needs a ticked row."""
    replaced: str
    """The date and share of the person's earlier entry, which was replaced; empty if there was none."""


def check_language(
    folder: Path | str,
    sheet: Path | str,
    name: str,
    *,
    date: datetime.date | None = None,
    progress: Progress = SILENT,
) -> ReviewTicks:
    """Write the ticks of ``sheet`` into pack.yaml.

    The native speaker ``name`` filled in the sheet of `review_language`. An earlier entry with that name is
    replaced. ``date`` is today by default. Rows whose texts in the pack have changed do not count. Raises
    InputError for a name that cannot be written, WordListError for an unreadable sheet or pack.
    """
    folder, sheet = own_pack_folder(folder), Path(sheet)
    name = _checked_name(name)
    pack = read_review_pack(folder)
    rows = read_sheet(sheet, REVIEW_COLUMNS)
    tick = progress("language review")
    total = max(len(review_rows(pack, tick).rows), len({row.texts["id"] for row in rows}))
    refused: list[SheetProblem] = []
    corrections: list[Correction] = []
    ticked: set[str] = set()
    seen_at: dict[str, int] = {}
    for row in rows:
        made = pack.row_of(row.texts["id"])
        problem = _problem(row, made, seen_at)
        seen_at.setdefault(row.texts["id"], row.line)
        if problem:
            refused.append(SheetProblem(row.line, row.texts["id"][:200], problem))
        elif row.texts["correction"].strip() and made is not None:
            correction = row.texts["correction"].strip()
            places = tuple(_where(piece) for piece in _to_change(made, correction))
            corrections.append(Correction(row.line, made.id, correction, places))
        elif _tick(row) in TICKS:
            ticked.add(row.texts["id"])
    share = int(100 * len(ticked) / total) / 100 if total else 0.0
    share = max(share, 0.01) if ticked else 0.0
    day = date or datetime.date.today()
    digest = read_pack(folder).texts_digest
    entry = {"name": name, "date": day, "seen": share, "texts": digest}
    replaced = _record(folder / "pack.yaml", entry) if ticked else ""
    return ReviewTicks(
        folder=folder,
        name=name,
        date=day,
        rows=total,
        ticked=len(ticked),
        seen=share,
        corrections=tuple(corrections),
        comments=tuple(_comments(rows)),
        refused=tuple(refused),
        recorded=bool(ticked),
        replaced=replaced,
    )


def _checked_name(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    hidden = any(unicodedata.category(c)[0] == "C" and c not in "\u200c\u200d" for c in name)
    if not re.fullmatch(NAME_OF_SPEAKER, name) or hidden or unicodedata.category(name[0])[0] == "M":
        raise InputError(
            f"{name[:40]!r} cannot be written into the pack",
            remedy='write a name without brackets and semicolons: --name "A. Speaker"',
        )
    return name


def _problem(row: SheetRow, made: ReviewRow | None, seen_at: dict[str, int]) -> str:
    """Return why a row does not count; empty if it does."""
    if made is None:
        return "the pack no longer has this row; write a new review"
    if row.texts["id"] in seen_at:
        return f"the row is also in line {seen_at[row.texts['id']]}; keep one of the rows"
    if changed := next((c for c in _TEXTS if row.texts[c] != getattr(made, c)), None):
        return f"the {changed} has changed; in the pack it is {getattr(made, changed)!r}"
    ok = _tick(row)
    if ok not in TICKS | NO_TICKS:
        return f"the column ok has {row.texts['ok'].strip()[:40]!r}; write x, or leave it empty"
    if _tick_like(row.texts["correction"]):
        return "the column correction has a tick: did you mean the column ok?"
    if ok in TICKS and row.texts["correction"].strip():
        return "the row has a tick and a correction; keep one of them"
    return ""


def _tick(row: SheetRow) -> str:
    """Return the value of the column ok, with look-alike characters replaced."""
    return unicodedata.normalize("NFKC", row.texts["ok"]).replace("\ufe0f", "").strip().casefold()


def _tick_like(text: str) -> bool:
    return text.strip().casefold() in TICKS - {"1", "v"}


def _to_change(made: ReviewRow, correction: str) -> list[Piece]:
    """Return the parts of a row that are not in its ``correction``; the template if all parts are in it."""
    texts = (made.context, made.text, made.negated)
    # a correction may be for one of the three texts, or only for some words
    near = max(
        texts, key=lambda text: difflib.SequenceMatcher(None, text, correction, autojunk=False).ratio()
    )
    *parts, template = made.pieces
    missing = [p for p in parts if p.text in near and p.text not in correction]
    inside = [p for p in missing if not any(p.text != q.text and p.text in q.text for q in missing)]
    return inside or [template]


def _where(piece: Piece) -> str:
    text = f": {piece.text!r}" if piece.text else ""
    return f"{piece.file}:{piece.line or 1}: {piece.what}{text}"


def _comments(rows: Sequence[SheetRow]) -> list[SheetProblem]:
    comments = ((row, row.texts["comment"].replace(CONTENT_WARNING, "").strip()) for row in rows)
    return [SheetProblem(row.line, row.texts["id"], comment) for row, comment in comments if comment]


def _record(file: Path, entry: dict[str, object]) -> str:
    """Write ``entry`` into the list checked_by of pack.yaml, replacing an earlier entry with the same name.

    Return the date and share of the earlier entry; empty if there was none.
    """
    checked = read_model(file, PackFile, WordListError)[0].checked_by
    earlier = next((i for i, c in enumerate(checked) if c.name == entry["name"]), None)
    raw = file.read_bytes()
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = appended_item(raw.decode("utf-8-sig"), "checked_by", entry, earlier)
    except UnsafeEdit as e:
        raise WordListError(str(e), file=file, remedy="write checked_by: [] on its own line") from None
    if file.read_bytes() != raw:
        raise WordListError(
            "the file was changed in the meantime", file=file, remedy="import the review again"
        )
    write_atomically(file.resolve(), mark + text.encode())
    return "" if earlier is None else f"{checked[earlier].date}, seen {checked[earlier].seen}"
