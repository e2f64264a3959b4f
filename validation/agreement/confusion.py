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
    """How often an annotator gave one label, and the others or gold another."""

    judge: str
    """Pseudonym."""
    against: Literal["others", "gold"]
    """others: what most of the other annotators say. gold: what is known."""
    reference: str
    """What the others or gold say."""
    said: str
    """The annotator's label."""
    n: int
    """How often; pairs that never come have no row."""


def confusion_rows(answers: Iterable[Answer], gold: Mapping[str, str]) -> list[ConfusionRow]:
    """The confusions of every judge, sorted; units on which the others tie are left out."""
    rows = list(answers)
    others = others_label([a for a in rows if a.unit_id not in gold])
    found: Counter[tuple[str, Literal["others", "gold"], str, str]] = Counter()
    for answer in rows:
        if answer.label is None:
            continue
        if answer.unit_id in gold:
            found[answer.judge, "gold", gold[answer.unit_id], answer.label] += 1
        elif (answer.unit_id, answer.judge) in others:
            reference = others[answer.unit_id, answer.judge]
            found[answer.judge, "others", reference, answer.label] += 1
    return [
        ConfusionRow(judge=judge, against=against, reference=reference, said=said, n=n)
        for (judge, against, reference, said), n in sorted(found.items())
    ]
