"""The rates of prompts without a choice, and their asymmetry in pairs, as rows of the audit's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextset.array_types import Bools, Floats, Ints
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.measure import OutcomeMeasure, built_in, share
from nextset.auditing.nli.item_counts import Cluster, CountedModel, ItemCounts
from nextset.auditing.nli.item_measure_rows import Series, drawn_templates
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.outcome_counts import PAIRED, OutcomeCounts
from nextset.bootstrap_intervals import intervals, too_few
from nextset.cluster_bootstrap import Support
from nextset.forms import NLI, FormName
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = [
    "GROUPINGS",
    "OUTCOME_MEASURES",
    "outcome_changes",
    "outcome_rows",
    "outcome_series",
    "shown_outcomes",
]

OUTCOME_MEASURES = built_in(OutcomeMeasure, NLI.name)
"""nextset's measures of prompts without a choice of NLI items, in the order of the tables; each counts one
outcome."""
GROUPINGS = ("all", "domain", "stereotype", "group")
"""The groupings of rates; the asymmetry of pairs has no part by group, since a pair names two."""


@dataclass(frozen=True)
class _Summed:
    """The sums of one part, by cluster: what all models have in common, and each model's amounts."""

    clusters: Ints
    """The places of the clusters, shape (clusters,)."""
    rows: Floats
    """The weights and the number of rows, shape (2, clusters)."""
    amounts: Floats
    """Shape (models, outcomes, clusters)."""

    def over(self, own: Sequence[Cluster], clusters: Sequence[Cluster]) -> _Summed:
        """Return the same sums by ``clusters``, of which ``own`` are a part; cells name the clusters."""
        places = {cluster: i for i, cluster in enumerate(clusters)}
        at = [places[own[i]] for i in self.clusters.tolist()]
        rows = np.zeros((len(self.rows), len(clusters)))
        amounts = np.zeros((*self.amounts.shape[:-1], len(clusters)))
        rows[:, at], amounts[..., at] = self.rows, self.amounts
        return _Summed(np.arange(len(clusters)), rows, amounts)

    def series(self, together: Bools | None = None) -> list[list[Series]]:
        """Return the value of each model and outcome in all draws.

        ``together`` says which clusters have rows in either of two sets, and are drawn for both.
        """
        there = np.flatnonzero(self.rows[0] if together is None else together)
        models, outcomes, n = len(self.amounts), self.amounts.shape[1], there.size
        rows, amounts = self.rows[:, there], self.amounts[..., there]
        flat = np.concatenate([rows[:1], amounts.reshape(models * outcomes, n)])
        drawn = drawn_templates(n).sums(flat)
        values = share(drawn[:, 1:], drawn[:, :1])
        by_model = values.reshape(len(values), models, outcomes)
        return [
            [
                Series(
                    by_model[:, m, k],
                    np.count_nonzero(rows[0]),
                    Support.of(rows[1], share(amounts[m, k], rows[0])),
                )
                for k in range(outcomes)
            ]
            for m in range(models)
        ]


def shown_outcomes(counts: ItemCounts) -> tuple[OutcomeMeasure, ...]:
    """Return the measures of outcomes that a model has on a set of items, in the order of tables."""
    if counts.outcomes is None:
        return ()
    named = {
        name
        for shares in counts.outcomes.shares.values()
        for k, name in enumerate(OUTCOMES)
        if shares[:, k].any()
    }
    return tuple(m for m in OUTCOME_MEASURES if named & set(m.outcomes))


def _shown_models(counts: ItemCounts) -> list[tuple[int, CountedModel]]:
    """Return the models whose rates are shown, with their places."""
    return [(i, model) for i, model in enumerate(counts.models) if model.shows_outcomes]


def outcome_rows(counts: ItemCounts, form: FormName, by: str) -> Iterator[MeasureRow]:
    """Yield the rates of outcomes by selection, model, part and measure, for the models that show them; none
    if there are no such answers."""
    measures = shown_outcomes(counts)
    if counts.outcomes is None:
        return
    for selection in counts.sums:
        for part, summed in _parts(counts, counts.outcomes, selection, by).items():
            series = [s.series() for s in summed]
            for m, model in _shown_models(counts):
                for measure in measures:
                    of = int(measure.paired)
                    n = int(summed[of].rows[1].sum()) if len(summed) > of else 0
                    if not n:
                        continue
                    values = series[of][m][_place(measure)]
                    yield MeasureRow(
                        form=form,
                        items=counts.name,
                        selection=selection,
                        subject_class="",
                        by=by,
                        part=part,
                        model=model.model,
                        role=model.role,
                        measure=measure.name,
                        n=n,
                        clusters=values.clusters,
                        **_estimate(measure, values),
                    )


def _estimate(measure: OutcomeMeasure, series: Series) -> dict[str, Any]:
    value, is_share = float(series.values[0]), not measure.paired
    interval = intervals(series.values, (series.clusters,), share=is_share, support=series.support)
    low, high = interval.within(0 if is_share else -1).ends()
    note = too_few(series.clusters, "templates") if low is None else None
    p = interval.p_value()
    if measure.paired and low is not None:
        note = "no p-value: too few templates have such answers" if p is None else f"p = {p:.3g}"
    return {
        "value": value, "low": low, "high": high, "note": note, "bound_low": value, "bound_high": value,
    }  # fmt: skip


def outcome_series(counts: ItemCounts) -> Mapping[tuple[int, str], Series]:
    """Return the measures of outcomes over all rows that measure bias, by the model's place and the
    measure; those of models that show them, if a model has such answers."""
    if counts.outcomes is None:
        return {}
    summed = _parts(counts, counts.outcomes, MEASURED, "all")["all"]
    series = [s.series() for s in summed]
    return {
        (m, measure.name): series[int(measure.paired)][m][_place(measure)]
        for measure in shown_outcomes(counts)
        for m, _ in _shown_models(counts)
        if summed[int(measure.paired)].rows.any()
    }


def outcome_changes(
    first: ItemCounts, second: ItemCounts
) -> Iterator[tuple[CountedModel, OutcomeMeasure, Series, Series]]:
    """Yield each rate of each model that both sets have, on the first set and on the second, in joint
    draws."""
    known = {m.model: i for i, m in enumerate(second.models) if m in first.models}
    shown = {*shown_outcomes(first), *shown_outcomes(second)}
    if first.outcomes is None or second.outcomes is None:
        return
    clusters = sorted({*first.clusters, *second.clusters})
    sides = [_parts(side, side.outcomes, MEASURED, "all")["all"] for side in (first, second) if side.outcomes]
    joint = [
        [summed.over(counts.clusters, clusters) for summed in side]
        for counts, side in zip((first, second), sides, strict=True)
    ]
    series = []
    for pairs in zip(*joint, strict=True):
        together = pairs[0].rows[0] + pairs[1].rows[0] > 0
        series.append([summed.series(together) for summed in pairs] if together.any() else [])
    for i, model in _shown_models(first):
        for measure in OUTCOME_MEASURES:
            both = series[int(measure.paired)]
            if model.model in known and measure in shown and both:
                k = _place(measure)
                yield model, measure, both[0][i][k], both[1][known[model.model]][k]


def _place(measure: OutcomeMeasure) -> int:
    place = OUTCOMES.index(measure.outcomes[0])
    return PAIRED.index(place) if measure.paired else place


def _parts(
    counts: ItemCounts, outcomes: OutcomeCounts, selection: str, by: str
) -> dict[str, tuple[_Summed, ...]]:
    """Return the sums of each part: of rows, and of pairs unless the parts are groups."""
    parts: dict[str, tuple[_Summed, ...]] = {}
    for part, cells in _cells(counts, outcomes, by).items():
        clusters, begins = np.unique(outcomes.clusters[cells], return_index=True)
        # the cells of a cluster lie side by side
        rows, shares = (
            np.add.reduceat(amounts[..., cells], begins, axis=-1)
            for amounts in (outcomes.rows[selection], outcomes.shares[selection])
        )
        of_rows = _Summed(clusters, rows, shares)
        of_pairs = _Summed(
            clusters,
            outcomes.pair_rows[selection][:, clusters],
            outcomes.asymmetries[selection][..., clusters],
        )
        parts[part] = (of_rows,) if by == "group" else (of_rows, of_pairs)
    return parts


def _cells(counts: ItemCounts, outcomes: OutcomeCounts, by: str) -> dict[str, Ints]:
    """Return the places of the cells of each part."""
    if by == "all":
        return {"all": np.arange(len(outcomes.groups))}
    names: Sequence[str] = outcomes.groups
    if by != "group":
        names = [getattr(counts.clusters[i], by) for i in outcomes.clusters.tolist()]
    labels = np.array(names, np.str_)
    return {str(name): np.flatnonzero(labels == name) for name in sorted(set(names)) if name}
