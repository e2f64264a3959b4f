"""The report's definitions of the measures of models that write: answers without a choice, and thinking."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.measure import MEASURES, OutcomeMeasure
from nextset.auditing.measures.thought_measures import ThoughtMeasure

__all__ = ["definitions"]

_BOUNDS = (
    "Bounds: lowest and highest",
    "The smallest and the largest value that a measure could have over all rows, if each row that the model "
    "did not answer had been answered. They are the value itself if the model answered every row.",
)


def definitions(rows: Sequence[MeasureRow]) -> list[tuple[str, str]]:
    """Return titles and definitions of those measures in ``rows``, then of their bounds if some are wider."""
    names = {row.measure for row in rows if row.value is not None} & set(MEASURES.own_names)
    measures = sorted(
        (m for name in names if isinstance(m := MEASURES[name], OutcomeMeasure | ThoughtMeasure)),
        key=lambda m: (isinstance(m, ThoughtMeasure), m.place),
    )
    defined = [(m.shown_title, f"{m.definition[:1].upper()}{m.definition[1:]}.") for m in measures]
    return defined + [_BOUNDS] * any(row.bound_low != row.bound_high for row in rows)
