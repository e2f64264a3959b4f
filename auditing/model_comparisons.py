"""Comparisons of two models on the same items, and of one model on two sets, with corrected p-values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nextset.auditing.audit_records import ComparisonRow
from nextset.auditing.holm_correction import with_corrected_p
from nextset.bootstrap_intervals import DrawnMeasure
from nextset.forms import FormName

__all__ = ["CORRECTION", "Compared", "compare_models", "compare_sets", "corrected"]

CORRECTION = "Holm"
"""Holm (1979), Scandinavian Journal of Statistics 6."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A measure of a model on a set, with a value for each row of the bootstrap's weights."""

    form: FormName
    """The form that the model was asked in."""
    items: str
    """The set."""
    subject_class: str
    """The class of the subjects of quads; empty for NLI items."""
    model: str
    role: str
    """filter, held_out or audit."""
    measure: str
    drawn: DrawnMeasure
    """Its values in all draws."""
    unanswered: float = 0.0
    """The share of the measure's rows that the model did not answer, which are not in the value."""
    outcome: bool = False
    """True for rates of prompts without a choice. They are a family of their own, so that a model that
    refuses does not change the corrected p-values of the other measures."""

    @property
    def occurs(self) -> bool:
        """False for a rate of something that the model never does."""
        return not self.outcome or bool(self.drawn.values.any())


def compare_models(measures: Iterable[Compared]) -> list[ComparisonRow]:
    """Return the difference of every two models by the same measure on the same set, second − first.

    All models of a set have the same draws, so what the models have in common does not widen the interval.
    The p-values are corrected for the number of comparisons: all pairs of models and all measures of a set.
    Models are compared by a rate of prompts without a choice if one of them has such answers.
    """
    families: dict[tuple[str, str, str, bool], list[ComparisonRow]] = {}
    by_measure: dict[tuple[str, str, str, str], list[Compared]] = {}
    for measure in measures:
        by_measure.setdefault(
            (measure.form, measure.items, measure.subject_class, measure.measure), []
        ).append(measure)
    for (form, items, subject_class, _), models in by_measure.items():
        for first, second in combinations(models, 2):
            if row := _row("models", first, second):
                families.setdefault((form, items, subject_class, first.outcome), []).append(row)
    return [row for family in families.values() for row in corrected(family)]


def compare_sets(pairs: Iterable[tuple[Compared, Compared]]) -> list[ComparisonRow]:
    """Return the difference of each measure between two sets, second − first, from joint draws of both."""
    families: dict[tuple[str, bool], list[ComparisonRow]] = {}
    for first, second in pairs:
        if row := _row("sets", first, second):
            families.setdefault((row.form, first.outcome), []).append(row)
    return [row for family in families.values() for row in corrected(family)]


def corrected(rows: list[ComparisonRow]) -> list[ComparisonRow]:
    """Return ``rows`` with p-values corrected by `CORRECTION` for the number of ``rows``."""
    return with_corrected_p(rows, lambda row: None, "difference")


def _row(kind: str, first: Compared, second: Compared) -> ComparisonRow | None:
    if not first.occurs and not second.occurs:
        return None
    difference = second.drawn.minus(first.drawn, known=kind == "sets")
    if np.isnan(difference.values[0]):
        return None
    interval = difference.interval()
    low, high = interval.ends()
    p = interval.p_value()
    return ComparisonRow(
        kind="models" if kind == "models" else "sets",
        form=first.form,
        subject_class=first.subject_class,
        measure=first.measure,
        first_model=first.model,
        second_model=second.model,
        first_items=first.items,
        second_items=second.items,
        first_value=float(first.drawn.values[0]),
        second_value=float(second.drawn.values[0]),
        difference=float(difference.values[0]),
        low=low,
        high=high,
        p=p,
        p_corrected=None,
        comparisons=0,
        note=_note(first, second),
    )


def _note(first: Compared, second: Compared) -> str | None:
    """Return the shares of rows that are in neither value because the model did not answer them."""
    shares = [100 * side.unanswered for side in (first, second)]
    if not any(shares):
        return None
    return f"each over the rows that were answered: {shares[0]:.1f} % and {shares[1]:.1f} % were not"
