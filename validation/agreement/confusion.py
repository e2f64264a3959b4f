"""Confusion counts: each annotator's labels against the others' majority and against gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from nextset.validation.agreement.answers_by_annotator import Answer, others_label

__all__ = ["ConfusionRow", "confusion_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionRow:
    """The count of one pair of labels: an annotator's, and that of the others or of gold."""

    judge: str
    """The annotator's pseudonym."""
    against: Literal["others", "gold"]
    """The kind of reference. others: the label of most other annotators. gold: the known label."""
    reference: str
    """The label of the others or of gold."""
    said: str
    """The annotator's label."""
    n: int
    """The count; pairs that never occur have no row."""


def confusion_rows(answers: Iterable[Answer], gold: Mapping[str, str]) -> list[ConfusionRow]:
    """Return the confusion counts of all annotators, sorted; units with a tie of the others are omitted."""
    rows = list(answers)
    others = others_label([a for a in rows if a.unit_id not in gold])
    counts: Counter[tuple[str, Literal["others", "gold"], str, str]] = Counter()
    for answer in rows:
        if answer.label is None:
            continue
        if answer.unit_id in gold:
            counts[answer.judge, "gold", gold[answer.unit_id], answer.label] += 1
        elif (answer.unit_id, answer.judge) in others:
            reference = others[answer.unit_id, answer.judge]
            counts[answer.judge, "others", reference, answer.label] += 1
    return [
        ConfusionRow(judge=judge, against=against, reference=reference, said=label, n=n)
        for (judge, against, reference, label), n in sorted(counts.items())
    ]
