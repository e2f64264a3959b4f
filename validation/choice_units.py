"""Units made from choice items: a context, a question and its options, in any order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.validation.model_disagreement import disagreement, missed_share

__all__ = [
    "LETTERS",
    "ChoiceUnit",
    "choice_unit_id",
    "choice_units",
    "right_letter",
    "shown_options",
    "unit_ids_of",
]

LETTERS = ("a", "b", "c", "d", "e", "f")
"""The letters of the options, in the order in which they are shown."""
_PLACES = 3
"""The right option is one of the first three, since an item has three options or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceUnit:
    """A question with its options, once for all orders of the options."""

    unit_id: str
    """Content hash (`choice_unit_id`)."""
    language: str
    """BCP 47 tag."""
    domain: str
    """The category, such as age."""
    stereotype: str
    """The stereotype that the question is about; may be empty."""
    group1: str
    """The first of the groups of the options in the order of their code points; empty if none is known."""
    group2: str
    """The next group; empty if there is none."""
    condition: str
    """ambiguous or disambiguated."""
    polarity: str
    """negative or non_negative."""
    context: str
    """The context."""
    question: str
    """The question."""
    options: str
    """The options, one per line, each after its letter (`shown_options`)."""
    right_answer: str
    """The right option by design."""
    n_options: int
    """The number of options."""
    n_items: int
    """The number of items of the unit: one for each order of the options."""
    disagreement: float | None
    """Share of the pairs of filter models of which one is right, the mean over its items; null below two
    models."""
    missed: float | None
    """Share of the filter models that are wrong, the mean over its items; null if unknown."""
    template: str
    """The category and the template's name."""


def choice_unit_id(
    language: str, category: str, context: str, question: str, options: Sequence[str], right: str
) -> str:
    """Return the id of the unit with the texts of the ``options``, in any order, and the ``right`` one."""
    texts = (language, category, context, question, right, *sorted(options))
    return content_id("choice unit", str(SCHEMA_VERSION), *texts)


def unit_ids_of(items: pa.Table) -> list[str]:
    """Return the ids of the units of choice items, in the table's order."""
    names = ("language", "category", "context", "question", "options", "label")
    rows = zip(*(items[name].to_pylist() for name in names), strict=True)
    return [
        choice_unit_id(
            language, category, context, question, [o["text"] for o in options], options[label]["text"]
        )
        for language, category, context, question, options, label in rows
    ]


def right_letter(unit_id: str) -> str:
    """Return the letter of the right option of a unit; any of the first three is equally likely."""
    return LETTERS[int(content_id("right", unit_id)[:8], 16) % _PLACES]


def shown_options(unit_id: str, options: Sequence[str], right: str) -> str:
    """Return the ``options`` one per line, in an order that depends on ``unit_id`` only.

    The right one has the letter `right_letter`; the others follow in the order of a hash.
    """
    others = sorted((text for text in options if text != right), key=lambda text: content_id(unit_id, text))
    others.insert(LETTERS.index(right_letter(unit_id)), right)
    return "\n".join(f"{letter.upper()}: {text}" for letter, text in zip(LETTERS, others, strict=False))


def choice_units(items: pa.Table, models: int = 0) -> pa.Table:
    """Return the units of a table of choice items, as `ChoiceUnit` rows ordered by id.

    ``models`` is the number of models that the filter asked.
    """
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for unit_id, row in zip(unit_ids_of(items), items.to_pylist(), strict=True):
        rows[unit_id].append(row)
    return table_of((_unit(unit_id, rows[unit_id], models) for unit_id in sorted(rows)), ChoiceUnit)


def _unit(unit_id: str, rows: Sequence[Mapping[str, Any]], models: int) -> ChoiceUnit:
    first = min(rows, key=lambda row: row["id"])
    texts = [option["text"] for option in first["options"]]
    right = texts[first["label"]]
    groups = sorted({option["group"] for option in first["options"]} - {""})
    return ChoiceUnit(
        unit_id=unit_id,
        language=first["language"],
        domain=first["category"],
        stereotype=first["stereotype"],
        group1=groups[0] if groups else "",
        group2=groups[1] if len(groups) > 1 else "",
        condition=first["condition"],
        polarity=first["polarity"],
        context=first["context"],
        question=first["question"],
        options=shown_options(unit_id, texts, right),
        right_answer=right,
        n_options=len(texts),
        n_items=len(rows),
        disagreement=_mean([disagreement(*_finders(row, models)) for row in rows]),
        missed=_mean([missed_share(*_finders(row, models)) for row in rows]),
        template=f"{first['category']}: {first['template_id']}",
    )


def _finders(row: Mapping[str, Any], models: int) -> tuple[Sequence[str] | None, int, Sequence[str] | None]:
    return row.get("missed_by"), models, row.get("unanswered_by")


def _mean(values: Sequence[float | None]) -> float | None:
    known = sorted(v for v in values if v is not None)
    return sum(known) / len(known) if known else None
