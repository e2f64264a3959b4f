"""The measures of all models on a set of NLI items, as a table with one row per value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.measure import CountMeasure
from nextset.auditing.nli.answer_counts import COUNTS, ITEM_MEASURES, measured
from nextset.auditing.nli.item_counts import Cluster, CountedModel, ItemCounts
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.bootstrap_intervals import intervals, too_few
from nextset.cluster_bootstrap import Clusters, Support
from nextset.forms import FormName

__all__ = ["SIGNED", "By", "Series", "drawn_templates", "measure_rows", "measures_of"]

SIGNED = tuple(m.name for m in ITEM_MEASURES if m.scale == "difference")
"""The measures in [−1, 1]; the others are shares."""
By = Literal["all", "domain", "stereotype"]
_FAMILIES = {m.drawn: tuple(n.name for n in ITEM_MEASURES if n.drawn == m.drawn) for m in ITEM_MEASURES}
"""The measures that are based on the same rows, by the counts of these rows."""


@dataclass(frozen=True)
class Series:
    """A measure with its draws."""

    values: Floats
    """The value, then the values of the draws of templates, shape (1 + draws,)."""
    clusters: int
    """The number of templates with rows for it; for a gap, the number for the kind of items that has
    fewer."""
    support: Support
    """What the templates say about it."""


def measure_rows(counts: ItemCounts, form: FormName, by: By) -> Iterator[MeasureRow]:
    """Yield the measures by selection, model, part and measure, in this order."""
    parts = _parts(counts.clusters, by)
    for selection in counts.sums:
        values = {part: measures_of(counts, selection, rows) for part, rows in parts.items()}
        for m, model in enumerate(counts.models):
            for part, rows in parts.items():
                yield from _rows(counts, form, selection, (by, part), (m, model), rows, values[part][m])


def measures_of(
    counts: ItemCounts, selection: str, rows: Sequence[int], together: Floats | None = None
) -> list[dict[str, Series]]:
    """Return each model's measures over the clusters ``rows``.

    For each measure, the templates that have rows for it are drawn, since test items have different
    templates. ``together`` has the counts of two sets, whose templates are drawn for both.
    """
    sums = counts.sums[selection][:, :, rows]
    both = sums if together is None else together
    by_model: list[dict[str, Series]] = [{} for _ in counts.models]
    for count_names, names in _FAMILIES.items():
        places = [COUNTS.index(name) for name in count_names]
        per, there = sums[:, places], np.flatnonzero(both[:, places].any(axis=(0, 1)))
        drawn = drawn_templates(len(there)).sums(sums[:, :, there])
        for m, model in enumerate(counts.models):
            values = measured(drawn[:, m], two_way=model.two_way)
            counts_of_rows = np.count_nonzero(per[m], axis=1)
            fewest = int(counts_of_rows.argmin())
            alone = _of_templates(sums[m], per[m].any(axis=0), two_way=model.two_way)
            by_model[m] |= {
                name: Series(
                    values[name], int(counts_of_rows[fewest]), Support.of(per[m, fewest], alone[name])
                )
                for name in names
            }
    return [{m.name: series[m.name] for m in ITEM_MEASURES} for series in by_model]


def _of_templates(sums: Floats, there: Bools, *, two_way: bool) -> Mapping[str, Floats]:
    """Return each measure of each template by itself; NaN where no rows of the measure are ``there``.

    A gap between two kinds of rows has templates of only one kind: the other kind counts as 0.
    """
    without_zeros = sums.copy()
    for name in ("items", "controls", "swapped", "unswapped", "paired"):
        without_zeros[COUNTS.index(name)] += np.finfo(np.float64).tiny
    values = measured(without_zeros.T, two_way=two_way)
    return {name: np.where(there, of_templates, np.nan) for name, of_templates in values.items()}


def drawn_templates(n: int) -> Clusters:
    """Return the clusters of ``n`` templates, each in a separate cell."""
    return Clusters(np.arange(n), (np.arange(n),), (n,), "templates")


def _parts(clusters: Sequence[Cluster], by: By) -> dict[str, list[int]]:
    if by == "all":
        return {"all": list(range(len(clusters)))}
    parts: dict[str, list[int]] = {}
    for i, cluster in enumerate(clusters):
        parts.setdefault(getattr(cluster, by), []).append(i)
    return dict(sorted(parts.items()))


def _rows(
    counts: ItemCounts,
    form: FormName,
    selection: str,
    part: tuple[str, str],
    model: tuple[int, CountedModel],
    rows: Sequence[int],
    values: dict[str, Series],
) -> Iterator[MeasureRow]:
    place, counted_model = model
    sums = dict(zip(COUNTS, counts.sums[selection][place][:, rows].sum(axis=1).tolist(), strict=True))
    left_out = (counts.no_group, counts.not_valid) if selection == MEASURED else ()
    sums |= dict.fromkeys(("no_group", "not_valid"), 0.0)
    sums |= {name: float(n[rows].sum()) for name, n in zip(("no_group", "not_valid"), left_out, strict=False)}
    bounds = _Bounds.of(counts, selection, place, rows)
    for measure in ITEM_MEASURES:
        if measure.only_with and not bounds.all_rows(sums, measure.only_with):
            continue
        n, series = int(sums[measure.rows]), values[measure.name]
        value, there = float(series.values[0]), series.clusters
        is_share = measure.scale == "share"
        interval = intervals(series.values, (there,), share=is_share, support=series.support)
        ends = interval.within(0 if is_share else -1).ends()
        no_value = bool(np.isnan(value))
        note = _note(measure, counted_model, bounds.noted(sums), undefined=no_value)
        unanswered = bounds.note(measure)
        if no_value and unanswered and not sums[measure.rows]:
            note = "undefined: the model did not answer"
        notes = [text for text in (note, unanswered) if text]
        if not no_value and ends[0] is None:
            notes.append(too_few(there, "templates"))
        yield MeasureRow(
            form=form,
            items=counts.name,
            selection=selection,
            subject_class="",
            by=part[0],
            part=part[1],
            model=counted_model.model,
            role=counted_model.role,
            measure=measure.name,
            value=None if no_value else value,
            low=ends[0],
            high=ends[1],
            n=n,
            clusters=there,
            note="; ".join(notes) or None,
            **bounds.columns(measure, None if no_value else value),
        )


_ROWS_OF_COUNT = {"items": "rows", "control_rows": "control_rows", "paired": "paired_rows"}
_UNANSWERED = {
    "rows": ("item that the model did not answer", "items that the model did not answer"),
    "control_rows": ("test item that the model did not answer", "test items that the model did not answer"),
    "paired_rows": ("", "items in pairs of which the model did not answer both"),
}
"""What a note says about the rows that were not answered, by their count: one row, and several."""


@dataclass(frozen=True)
class _Bounds:
    """The smallest and the largest values of the measures of one model and part over all rows."""

    filled: Mapping[str, float]
    """The counts of the rows that were not answered; empty if the model answered all."""
    low: Mapping[str, float]
    high: Mapping[str, float]

    @classmethod
    def of(cls, counts: ItemCounts, selection: str, place: int, rows: Sequence[int]) -> _Bounds:
        unanswered = counts.unanswered.get((selection, place))
        if unanswered is None or not unanswered[..., rows].any():
            return cls({}, {}, {})
        filled = unanswered[..., rows].sum(axis=-1)
        whole = counts.sums[selection][place][:, rows].sum(axis=1) + filled
        by_fill = measured(whole, two_way=counts.models[place].two_way)
        return cls(
            dict(zip(COUNTS, filled[0].tolist(), strict=True)),
            {name: float(values.min()) for name, values in by_fill.items()},
            {name: float(values.max()) for name, values in by_fill.items()},
        )

    def all_rows(self, sums: Mapping[str, float], count: str) -> float:
        """Return a count over all rows, answered or not."""
        return sums[count] + self.filled.get(count, 0.0)

    def noted(self, sums: Mapping[str, float]) -> dict[str, float]:
        """Return the counts for the notes of measures: rows that are not in a pair are counted among all."""
        return {**sums, **{name: self.all_rows(sums, name) for name in ("rows", "paired_rows")}}

    def note(self, measure: CountMeasure) -> str | None:
        """Return the numbers of rows that the measure excludes because the model did not answer them."""
        reasons = [
            f"{n} {_UNANSWERED[name][n != 1]}"
            for count in measure.drawn
            if (name := _ROWS_OF_COUNT.get(count)) and (n := int(self.filled.get(name, 0)))
        ]
        return "excluded: " + ", ".join(reasons) if reasons else None

    def columns(self, measure: CountMeasure, value: float | None) -> dict[str, float | None]:
        """Return the columns bound_low and bound_high."""
        low = self.low.get(measure.name, np.nan)
        if self.note(measure) is None or np.isnan(low):
            return {"bound_low": value, "bound_high": value}
        return {"bound_low": low, "bound_high": self.high[measure.name]}


def _note(
    measure: CountMeasure, model: CountedModel, sums: dict[str, float], *, undefined: bool
) -> str | None:
    if model.two_way and not measure.two_way:
        return f"needs contradiction, but {model.model} has only two labels"
    if undefined:
        return f"undefined: {measure.undefined}"
    return measure.note(sums)
