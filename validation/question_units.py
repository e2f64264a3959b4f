"""Units made from underspecified questions and masked statements: each quad is judged once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.question_quads import subject_word
from nextset.validation.model_disagreement import disagreement, missed_share

__all__ = ["QuestionUnit", "question_units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionUnit:
    """A quad: a context with two subjects, and a question with its negation."""

    unit_id: str
    """The quad's id: a content hash."""
    language: str
    """BCP 47 tag."""
    domain: str
    """The class of its subjects, such as nationality."""
    stereotype: str
    """The attribute that the question asks about."""
    group1: str
    """The first subject, as the unit's language calls it."""
    group2: str
    """The second subject, as the unit's language calls it."""
    context: str
    """The context with the first subject before the second."""
    question: str
    """The question, or the masked statement."""
    question_negated: str
    """The same text with the negated attribute."""
    disagreement: float | None
    """Share of the pairs of filter models that disagree whether the unit is hard; null below two models."""
    missed: float | None
    """Share of the filter models that find the unit hard, in [0, 1]; null if unknown."""
    template: str
    """The class of its subjects and the template's name."""


def question_units(quads: pa.Table, models: int = 0) -> pa.Table:
    """Return the units of a table of quads or masked statements, as `QuestionUnit` rows ordered by id."""
    rows = sorted(quads.to_pylist(), key=lambda row: row["id"])
    return table_of((_unit(row, models) for row in rows), QuestionUnit)


def _unit(row: Mapping[str, Any], models: int) -> QuestionUnit:
    form = "question" if "question" in row else "statement"
    return QuestionUnit(
        unit_id=row["id"],
        language=row["language"],
        domain=row["subject_class"],
        stereotype=row["attribute"],
        group1=subject_word(row, "subject1"),
        group2=subject_word(row, "subject2"),
        context=row["context_12"],
        question=row[form],
        question_negated=row[f"{form}_negated"],
        disagreement=disagreement(row.get("found_by"), models, row.get("unanswered_by")),
        missed=missed_share(row.get("found_by"), models, row.get("unanswered_by")),
        template=f"{row['subject_class']}: {row['template_id']}",
    )
