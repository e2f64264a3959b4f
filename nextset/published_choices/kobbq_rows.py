"""The layout of KoBBQ's samples (Jin et al. 2024): a table with ids such as age-001a-002-amb-bsd.

An id is category, template with version, number of the sample, context and question, and, in the evaluation
set, the order of the choices.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.row_fields import RowFields
from nextset.published_choices.unknown_wordings import unknown_place
from nextset.records.choice_items import MOST_OPTIONS

__all__ = ["fits_kobbq", "kobbq_draft"]

_ID = re.compile(r"([A-Za-z_]+)-(\d{1,4})([a-z])-(\d{1,5})-(amb|dis)-(bsd|cnt)(?:-(\d))?")
_PAIRS = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
"""The versions that belong together: the same people, named in the other order."""
_LONGEST = 4000
"""The most characters of a list of choices."""
_FROM_ITEM = frozenset({"context", "question"})


def fits_kobbq(columns: Collection[str]) -> bool:
    """Return True if rows with these ``columns`` have the layout of KoBBQ."""
    return {"sample_id", "choices", "biased_answer", "answer", "context", "question"} <= set(columns)


def kobbq_draft(row: RowFields) -> ChoiceDraft:
    """Return the draft of ``row``; raises InputError for a value that KoBBQ's layout does not have."""
    sample = row.text("sample_id").strip()
    parts = _ID.fullmatch(sample)
    if parts is None:
        row.refuse(f"sample_id is {sample[:60]!r}, not an id such as age-001a-002-amb-bsd")
    category, number, version, index, context, question, _ = parts.groups()
    options = _choices(row)
    ambiguous = context == "amb"
    label = _place(row, "answer", options)
    return ChoiceDraft(
        language="ko",
        category=category,
        template_id=f"{category}-{int(number)}",
        template_version=version,
        condition="ambiguous" if ambiguous else "disambiguated",
        polarity="negative" if question == "bsd" else "non_negative",
        context=row.text("context"),
        question=row.text("question"),
        options=options,
        names=options,
        groups=options,
        label=label,
        unknown=unknown_place(options),
        learns_unknown=True,
        biased=_place(row, "biased_answer", options),
        source_id=sample,
        set_marks=(index, _PAIRS.get(version, version)),
        row=row,
        texts=_FROM_ITEM,
    )


def _choices(row: RowFields) -> tuple[str, ...]:
    """Return the choices: a list, or a list that Python wrote as text."""
    value = row.values.get("choices")
    if isinstance(value, str):
        if len(value) > _LONGEST:
            row.refuse(f"choices has {len(value):,} characters, more than {_LONGEST:,}")
        listed = _literal(value)
        if listed is None:
            row.refuse(f"choices is {value[:60]!r}, not a list of texts such as ['A', 'B', 'C']")
        value = list(listed)
    options = row.texts(value, "choices")
    if not 3 <= len(options) <= MOST_OPTIONS:
        row.refuse(f"choices has {len(options)} entries, not 3 to {MOST_OPTIONS}")
    return options


@functools.lru_cache(1024)
def _literal(text: str) -> tuple[object, ...] | None:
    """Return the entries of a list that Python wrote as ``text``; None if it is anything else."""
    try:
        value = ast.literal_eval(text)
        "".join(entry for entry in value if isinstance(entry, str)).encode()  # \ud800 is half a character
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return tuple(value) if isinstance(value, list) else None


def _place(row: RowFields, name: str, options: tuple[str, ...]) -> int:
    text = row.text(name)
    if options.count(text) != 1:
        row.refuse(f"{name} is {text[:60]!r}, which is not one of the choices")
    return options.index(text)
