"""The layout of EsBBQ and CaBBQ (2025): BBQ's fields on one level, with the order of names in ``flipped``."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from nextset.published_choices.bbq_rows import (
    CONDITIONS,
    FROM_ITEM,
    POLARITIES,
    answer_fields,
    answer_infos,
    unknown_of,
)
from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.row_fields import RowFields

__all__ = ["esbbq_draft", "fits_esbbq"]

_LANGUAGE = re.compile(r"(?:^|[_.-])(es|ca)(?:[_.-]|$)")


def fits_esbbq(columns: Collection[str]) -> bool:
    """Return True if rows with these ``columns`` have the layout of EsBBQ."""
    return {"answer_info", "template_id", "stereotyped_groups", "flipped", "ans0", "label"} <= set(columns)


def esbbq_draft(row: RowFields) -> ChoiceDraft:
    """Return the draft of ``row``; raises InputError for a value that EsBBQ's layout does not have."""
    fields = answer_fields(row)
    options = tuple(row.text(name) for name in fields)
    names, groups = answer_infos(row, fields)
    category, number = row.text("category").strip(), row.text("template_id").strip()
    return ChoiceDraft(
        language=_language(row.file),
        category=category,
        subcategory=row.text("subcategory", optional=True).strip(),
        stereotype=row.text("relevant_social_value", optional=True).strip(),
        template_id=f"{category}-{number}",
        template_version=row.text("version", optional=True).strip(),
        condition=row.one_of("context_condition", CONDITIONS),
        polarity=row.one_of("question_polarity", POLARITIES),
        context=row.text("context"),
        question=row.text("question"),
        options=options,
        names=names,
        groups=groups,
        label=row.place("label", len(options)),
        unknown=unknown_of(options, groups),
        target_groups=row.texts(row.values.get("stereotyped_groups"), "stereotyped_groups"),
        cue="name" if row.values.get("proper_nouns_only") is True else "label",
        source=_source(row),
        source_id=row.text("instance_id"),
        row=row,
        texts=FROM_ITEM,
    )


def _language(file: Path) -> str:
    """Return the language in the file's name, such as data_es_Age.jsonl; empty without one."""
    match = _LANGUAGE.search(file.name)
    return match[1] if match else ""


def _source(row: RowFields) -> str | None:
    value = row.values.get("source")
    sources = (value,) if isinstance(value, str) else row.texts(value or [], "source")
    return "; ".join(sources) or None
