"""`nextset language review`: a sheet of sentences for a native speaker to tick or correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import WordListError
from nextset.generation.pack_sheets.pack_folder import pack_folder
from nextset.generation.pack_sheets.pack_sheet import write_sheet
from nextset.generation.pack_sheets.review_cover import review_rows
from nextset.generation.pack_sheets.review_texts import read_review_pack
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.short_repr import short_repr

__all__ = ["REVIEW_COLUMNS", "ReviewSheet", "review_language"]

REVIEW_COLUMNS: Mapping[str, str] = {
    "id": "the row: class, question or statement, template, both subjects and the attribute",
    "context": "the context, which says nothing bad about either",
    "text": "the question, or the statement with the first of the two",
    "negated": "the question with the negation, or the negated statement with the second of the two",
    "derived": "forms in the row that a rule derived: check these closely",
    "ok": "for you: x if the texts are right and have the intended meaning",
    "correction": "for you: the right text, if one is wrong",
    "comment": "for your remarks. The first comment has the content warning",
}
"""The columns of a review, with their meanings."""


@short_repr
@dataclass(frozen=True)
class ReviewSheet:
    """A review that was written."""

    file: Path
    """The sheet."""
    rows: int
    """The number of rows."""
    seen: dict[str, int]
    """The numbers of templates, forms, texts of subjects and attributes, and changes by sound rules in it."""
    derived: int
    """The number of rows with derived forms."""


def review_language(
    folder: Path | str, out: Path | str = "review.csv", *, progress: Progress = SILENT
) -> ReviewSheet:
    """Write a sheet with `REVIEW_COLUMNS` that shows every form, text, template and sound rule.

    Raises WordListError if the pack in ``folder`` cannot be used, or if ``out`` exists with other content.
    """
    out = Path(out)
    tick = progress("language review")
    pack = read_review_pack(pack_folder(folder))
    if not pack.sets:
        raise WordListError(
            "the pack has no questions or statements, and a review shows only these",
            file=pack.folder / "pack.yaml",
            remedy="let a native speaker read the items in out/generate of a study that names the pack",
        )
    cover = review_rows(pack, tick)
    rows = [
        {
            "id": row.id,
            "context": row.context,
            "text": row.text,
            "negated": row.negated,
            "derived": ", ".join(row.derived),
            "ok": "",
            "correction": "",
            "comment": "",
        }
        for row in cover.rows
    ]
    rows[0]["comment"] = CONTENT_WARNING
    write_sheet(out, list(REVIEW_COLUMNS), rows)
    kinds = Counter(mark[0] for mark in sorted(cover.marks))
    return ReviewSheet(
        out,
        len(rows),
        {kind: kinds[kind] for kind in ("template", "form", "subject", "attribute", "rule")},
        sum(bool(row.derived) for row in cover.rows),
    )
