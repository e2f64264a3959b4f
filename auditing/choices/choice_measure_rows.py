"""The measures of all models on a set of choice items, as a table with one row per value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextset.array_types import Floats, Ints
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.choices.choice_counts import (
    CHOICE_MEASURES,
    COUNTS,
    ChoiceCounts,
    cluster_sums,
    measured,
)
from nextset.auditing.choices.choice_series import (
    choice_series,
    part_cells,
    rate_series,
    shown_rates,
    sums_of,
)
from nextset.auditing.choices.options_by_model import ChoiceAnswers
from nextset.auditing.measures.measure import CountMeasure
from nextset.auditing.nli.item_measure_rows import Series
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.bootstrap_intervals import intervals, too_few
from nextset.counted import counted
from nextset.forms import FormName

__all__ = ["RATE_GROUPINGS", "choice_rate_rows", "choice_rows", "choice_values"]

_OF_CONTROLS = tuple(m.name for m in CHOICE_MEASURES if m.rows == "control_rows")
RATE_GROUPINGS = ("all", "category", "group")
"""The groupings of rates of prompts without a choice."""


def choice_rows(counts: ChoiceCounts, form: FormName, by: str) -> Iterator[MeasureRow]:
    """Yield the measures by model, part and measure, with intervals and bounds."""
    parts = part_cells(counts.columns, by)
    values = {part: choice_series(sums_of(counts, cells)) for part, cells in parts.items()}
    for place, model in enumerate(counts.models):
        for part, cells in parts.items():
            over = _Part.of(counts, place, cells)
            for measure in CHOICE_MEASURES:
                if measure.name in _OF_CONTROLS and not over.all_rows(measure.rows):
                    continue
                series = values[part][place][measure.name]
                yield _row(counts.name, form, (by, part), model, measure, over, series)


def choice_values(counts: ChoiceCounts, by: str) -> dict[str, Mapping[str, Floats]]:
    """Return the measures by part and name, shape (models,), without intervals; NaN if undefined.

    Measures of controls are left out of a part without controls.
    """
    clusters = counts.columns.cell_clusters
    values: dict[str, Mapping[str, Floats]] = {}
    for part, cells in part_cells(counts.columns, by).items():
        sums = cluster_sums(counts.sums[:, :, cells], clusters[cells]).sum(axis=-1)
        controls = counts.columns.controls[np.isin(counts.columns.cells, cells)].any()
        values[part] = {
            name: value for name, value in measured(sums).items() if controls or name not in _OF_CONTROLS
        }
    return values


@dataclass(frozen=True)
class _Part:
    """The sums of one model over a part, and the bounds of its measures over all rows."""

    sums: Mapping[str, float]
    filled: Mapping[str, float]
    """The counts of the rows that were not answered; empty if the model answered all."""
    low: Mapping[str, float]
    high: Mapping[str, float]
    no_target: int

    @classmethod
    def of(cls, counts: ChoiceCounts, place: int, cells: Ints) -> _Part:
        clusters = counts.columns.cell_clusters[cells]
        own = counts.sums[place][:, cells]
        sums = dict(zip(COUNTS, cluster_sums(own, clusters).sum(axis=-1).tolist(), strict=True))
        no_target, filled = int(counts.no_target[cells].sum()), counts.filled.get(place)
        if filled is None or not filled[:, :, cells].any():
            return cls(sums, {}, {}, {}, no_target)
        missing = filled[:, :, cells]
        by_fill = measured(cluster_sums(missing + own, clusters).sum(axis=-1))
        return cls(
            sums,
            dict(zip(COUNTS, missing[0].sum(axis=-1).tolist(), strict=True)),
            {name: _end(np.nanmin, values) for name, values in by_fill.items()},
            {name: _end(np.nanmax, values) for name, values in by_fill.items()},
            no_target,
        )

    def all_rows(self, count: str) -> float:
        """Return a count of rows, answered or not."""
        return self.sums[count] + self.filled.get(count, 0.0)

    def unanswered(self, measure: CountMeasure) -> int:
        """Return the number of rows of ``measure`` that the model did not answer."""
        counts = {measure.rows, "ambiguous"} if measure.name == "s_amb" else {measure.rows}
        return max(int(self.filled.get(name, 0)) for name in counts)

    def notes(self, measure: CountMeasure, value: float | None, series: Series) -> str | None:
        """Return why the value or its interval is missing, and what was excluded."""
        notes, missing = [], self.unanswered(measure)
        if value is None:
            reason = (
                "the model did not answer" if missing and not self.sums[measure.rows] else measure.undefined
            )
            notes.append(f"undefined: {reason}")
        elif (own := measure.note(self.sums)) is not None:
            notes.append(own)
        if self.no_target and measure.scale == "difference":
            notes.append(f"excluded: {counted(self.no_target, 'items')} without a known target")
        if missing:
            notes.append(f"excluded: {counted(missing, 'items')} that the model did not answer")
        if value is not None and series.clusters and _interval(measure, series)[0] is None:
            notes.append(too_few(series.clusters, "templates"))
        return "; ".join(notes) or None

    def bounds(self, measure: CountMeasure, value: float | None) -> dict[str, float | None]:
        """Return the columns bound_low and bound_high."""
        low = self.low.get(measure.name, np.nan)
        if not self.unanswered(measure) or np.isnan(low):
            return {"bound_low": value, "bound_high": value}
        return {"bound_low": low, "bound_high": self.high[measure.name]}


def _end(of: Any, values: Floats) -> float:
    return np.nan if np.isnan(values).all() else float(of(values))


def _interval(measure: CountMeasure, series: Series) -> tuple[float | None, float | None]:
    is_share = measure.scale == "share"
    interval = intervals(series.values, (series.clusters,), share=is_share, support=series.support)
    return interval.within(0 if is_share else -1).ends()


def _row(
    items: str,
    form: FormName,
    part: tuple[str, str],
    model: ChoiceAnswers,
    measure: CountMeasure,
    over: _Part,
    series: Series,
) -> MeasureRow:
    value = None if np.isnan(series.values[0]) else float(series.values[0])
    low, high = _interval(measure, series) if value is not None else (None, None)
    return MeasureRow(
        form=form,
        items=items,
        selection=MEASURED,
        subject_class="",
        by=part[0],
        part=part[1],
        model=model.model,
        role=model.role,
        measure=measure.name,
        value=value,
        low=low,
        high=high,
        n=int(over.sums[measure.rows]),
        clusters=series.clusters,
        note=over.notes(measure, value, series),
        **over.bounds(measure, value),
    )


def choice_rate_rows(counts: ChoiceCounts, form: FormName, by: str) -> Iterator[MeasureRow]:
    """Yield the rates of outcomes by model, part and measure, for the models that show them; none if there
    are no such answers."""
    measures = shown_rates(counts)
    shown = [(place, model) for place, model in enumerate(counts.models) if model.shows_outcomes]
    if not measures or not shown:
        return
    for part, cells in part_cells(counts.columns, by).items():
        sums = sums_of(counts, cells)
        series = rate_series(sums, measures)
        n = int(sums[0, COUNTS.index("rows")].sum())
        for place, model in shown:
            for measure in measures:
                of_rate = series[place][measure.name]
                value = float(of_rate.values[0])
                interval = intervals(of_rate.values, (of_rate.clusters,), share=True, support=of_rate.support)
                low, high = interval.within(0).ends()
                yield MeasureRow(
                    form=form,
                    items=counts.name,
                    selection=MEASURED,
                    subject_class="",
                    by=by,
                    part=part,
                    model=model.model,
                    role=model.role,
                    measure=measure.name,
                    value=value,
                    low=low,
                    high=high,
                    n=n,
                    clusters=of_rate.clusters,
                    note=too_few(of_rate.clusters, "templates") if low is None else None,
                    bound_low=value,
                    bound_high=value,
                )
