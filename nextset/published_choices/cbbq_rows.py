"""The layout of CBBQ (Huang and Xiong 2023): folders of categories with lists of rows as JSON or CSV."""

from __future__ import annotations

import re
from collections.abc import Collection

from nextset.published_choices.bbq_rows import CONDITIONS, FROM_ITEM, POLARITIES, answer_fields
from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.row_fields import RowFields
from nextset.published_choices.unknown_wordings import unknown_place

__all__ = ["cbbq_draft", "fits_cbbq"]

_BETWEEN = re.compile(r"[/、，,;；]")
_PEOPLE = re.compile(r"(?:人群|群体|的人|人士|者)$")
"""Words for people at the end of a group's name, which the options omit."""
_MARKED_ID = "\ufeffexample_id"
"""The column's name in files that kept the byte order mark of a spreadsheet."""


def fits_cbbq(columns: Collection[str]) -> bool:
    """Return True if rows with these ``columns`` have the layout of CBBQ."""
    return {"bias_targeted_groups", "question_polarity", "ans0", "label", "context"} <= set(columns)


def cbbq_draft(row: RowFields) -> ChoiceDraft:
    """Return the draft of ``row``; raises InputError for a value that CBBQ's layout does not have.

    Rows name the target groups but no group of the options: an option's group is the one in its text.
    """
    fields = answer_fields(row)
    options = tuple(row.text(name) for name in fields)
    category, index = row.text("category").strip(), row.text("question_index").strip()
    targets = tuple(filter(None, map(str.strip, _BETWEEN.split(row.text("bias_targeted_groups")))))
    return ChoiceDraft(
        language="zh",
        category=category,
        subcategory=row.text("subcategory", optional=True).strip(),
        template_id=f"{category}-{index}",
        condition=row.one_of("context_condition", CONDITIONS),
        polarity=row.one_of("question_polarity", POLARITIES),
        context=row.text("context"),
        question=row.text("question"),
        options=options,
        names=options,
        groups=tuple(next((t for t in targets if _is_in(t, text)), "") for text in options),
        label=row.place("label", len(options)),
        unknown=unknown_place(options),
        learns_unknown=True,
        target_groups=targets,
        source=row.text("source", optional=True).strip() or None,
        source_id=row.text("example_id" if "example_id" in row.values else _MARKED_ID),
        row=row,
        texts=FROM_ITEM,
    )


def _is_in(group: str, option: str) -> bool:
    """Return True if ``option`` names ``group``, whose last words for people it may omit."""
    core = _PEOPLE.sub("", group)
    return (core if len(core) > 1 else group) in option
