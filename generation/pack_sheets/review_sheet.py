"""`nextset language review`: a sheet of sentences that a native speaker ticks or corrects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.generation.pack_sheets.pack_folder import pack_folder
from nextset.generation.pack_sheets.pack_sheet import write_sheet
from nextset.generation.pack_sheets.review_cover import review_rows
from nextset.generation.pack_sheets.review_texts import read_review_pack
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.short_repr import short_repr

__all__ = ["REVIEW_COLUMNS", "ReviewSheet", "review_language"]

REVIEW_COLUMNS: Mapping[str, str] = {
    "id": "the row: class, question or statement, template, both subjects and the attribute",
    "context": "the context, which says nothing bad of either",
    "text": "the question, or the statement with the first of the two",
    "negated": "the question with the negation, or the negated statement with the second of the two",
    "derived": "forms in it that no one wrote, because a rule derives them: look at these closely",
    "ok": "yours: x if the texts are right, and mean what they should",
    "correction": "yours: what it should be, if they are not",
    "comment": "yours: what you want to say. The first one has the content warning",
}
"""The columns of a review, with their meanings."""


@short_repr
@dataclass(frozen=True)
class ReviewSheet:
    """A review that was written."""

    file: Path
    """The sheet."""
    rows: int
    """Its rows."""
    seen: dict[str, int]
    """How many templates, forms, texts of subjects and attributes, and changes by sound rules it shows."""
    derived: int
    """The rows with derived forms."""


def review_language(
    folder: Path | str, out: Path | str = "review.csv", *, progress: Progress = SILENT
) -> ReviewSheet:
    """Write a sheet with `REVIEW_COLUMNS` in which every form and text, template and sound rule is seen.

    Raises WordListError if the pack in ``folder`` cannot be used, or if something else is at
    ``out`` already, such as a review that was filled in.
    """
    out = Path(out)
    tick = progress("language review")
    cover = review_rows(read_review_pack(pack_folder(folder)), tick)
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
