"""The tables of an audit of choice items: measures, comparisons of models and of sets, sensitivity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from nextset.array_types import Floats
from nextset.auditing.audit_records import AuditedModel, SensitivityRow
from nextset.auditing.audit_tables import AuditTables, design_of
from nextset.auditing.choices.choice_arrays import GROUPINGS, ChoiceCluster
from nextset.auditing.choices.choice_counts import (
    CHOICE_MEASURES,
    COUNTS,
    ChoiceCounts,
    cluster_sums,
    measured,
)
from nextset.auditing.choices.choice_measure_rows import RATE_GROUPINGS, choice_rate_rows, choice_rows
from nextset.auditing.choices.choice_series import (
    ROWS_OF,
    choice_series,
    rate_series,
    shown_rates,
)
from nextset.auditing.model_comparisons import Compared, compare_models, compare_sets
from nextset.auditing.nli.item_measure_rows import Series
from nextset.bootstrap_intervals import DrawnMeasure
from nextset.forms import FormName

__all__ = ["audit_choices"]

_COMPARED = tuple(m.name for m in CHOICE_MEASURES if m.compared)


def audit_choices(
    sets: Sequence[ChoiceCounts],
    form: FormName,
    compared: Sequence[Sequence[Compared]] = (),
    changes: Sequence[Iterable[tuple[Compared, Compared]]] = (),
) -> AuditTables:
    """Return all measures of all models on ``sets``, in their order.

    ``compared`` has further measures of each set, and ``changes`` further measures of every two successive
    sets; they are compared, and their p-values corrected, together with those of counts. Intervals are those
    of `nextset.cluster_bootstrap`: templates are drawn, and every measure is computed again in each draw.
    """
    audit = AuditTables(design=[design_of(form, "templates")] if sets else [])
    for i, counts in enumerate(sets):
        for by in GROUPINGS:
            audit.measures.extend(choice_rows(counts, form, by))
        for by in RATE_GROUPINGS:
            audit.measures.extend(choice_rate_rows(counts, form, by))
        more = compared[i] if compared else ()
        audit.comparisons.extend(compare_models(chain(_compared(counts, form), more)))
        audit.sensitivity.extend(_sensitivity(counts, form))
    for i, (first, second) in enumerate(pairwise(sets)):
        further = changes[i] if changes else ()
        audit.comparisons.extend(compare_sets(chain(_changes(first, second, form), further)))
    known = {m.model: m for counts in sets for m in counts.models}
    audit.models.extend(AuditedModel(model=m.model, role=m.role, revision=m.revision) for m in known.values())
    return audit


def _of_clusters(counts: ChoiceCounts) -> Floats:
    return cluster_sums(counts.sums, counts.columns.cell_clusters)


def _compared(counts: ChoiceCounts, form: FormName) -> Iterator[Compared]:
    """Yield each measure of each model on one set, by model and in the order of the tables."""
    sums, rates = _of_clusters(counts), shown_rates(counts)
    for place, (model, series) in enumerate(zip(counts.models, choice_series(sums), strict=True)):
        for name in _COMPARED:
            yield _one(counts, form, place, name, series[name])
        if model.shows_outcomes and rates:
            of_rates = rate_series(sums[place : place + 1], rates)[0]
            for measure in rates:
                yield _one(counts, form, place, measure.name, of_rates[measure.name], outcome=True)


def _one(
    counts: ChoiceCounts, form: FormName, place: int, measure: str, series: Series, *, outcome: bool = False
) -> Compared:
    model = counts.models[place]
    return Compared(
        form=form,
        items=counts.name,
        subject_class="",
        model=model.model,
        role=model.role,
        measure=measure,
        drawn=DrawnMeasure(series.values, (series.clusters,), series.support),
        unanswered=0.0 if outcome else _unanswered(counts, place, measure),
        outcome=outcome,
    )


def _unanswered(counts: ChoiceCounts, place: int, measure: str) -> float:
    """Return the share of the rows of a measure that the model did not answer."""
    if place not in counts.filled:
        return 0.0
    row = COUNTS.index(ROWS_OF[measure])
    missing = float(counts.filled[place][0, row].sum())
    return missing / (missing + float(counts.sums[place, row].sum())) if missing else 0.0


def _changes(
    first: ChoiceCounts, second: ChoiceCounts, form: FormName
) -> Iterator[tuple[Compared, Compared]]:
    """Yield each measure of each model that both sets have, on the first set and on the second.

    A template of both sets is drawn for both, so that common items do not widen the interval.
    """
    clusters = sorted({*first.columns.clusters, *second.columns.clusters})
    known = {(m.model, m.revision): i for i, m in enumerate(second.models)}
    models = [(i, m) for i, m in enumerate(first.models) if (m.model, m.revision) in known]
    if not models:
        return
    places = ([i for i, _ in models], [known[m.model, m.revision] for _, m in models])
    sides = [_over(counts, clusters, at) for counts, at in zip((first, second), places, strict=True)]
    series = [choice_series(side, together=sides[0] + sides[1]) for side in sides]
    rates = tuple(dict.fromkeys((*shown_rates(first), *shown_rates(second))))
    row = COUNTS.index("rows")
    together = sides[0][0, row] + sides[1][0, row] > 0
    of_rates = [rate_series(side, rates, together) for side in sides]
    for k, (place, model) in enumerate(models):
        other = known[model.model, model.revision]
        for name in _COMPARED:
            yield (
                _one(first, form, place, name, series[0][k][name]),
                _one(second, form, other, name, series[1][k][name]),
            )
        for measure in rates if model.shows_outcomes else ():
            yield (
                _one(first, form, place, measure.name, of_rates[0][k][measure.name], outcome=True),
                _one(second, form, other, measure.name, of_rates[1][k][measure.name], outcome=True),
            )


def _over(counts: ChoiceCounts, clusters: Sequence[ChoiceCluster], models: Sequence[int]) -> Floats:
    """Return the counts of ``models`` by the ``clusters`` of both sets."""
    place = {cluster: i for i, cluster in enumerate(clusters)}
    at = [place[cluster] for cluster in counts.columns.clusters]
    sums = np.zeros((len(models), len(COUNTS), len(clusters)))
    sums[:, :, at] = _of_clusters(counts)[list(models)]
    return sums


def _sensitivity(counts: ChoiceCounts, form: FormName) -> Iterator[SensitivityRow]:
    names = [f"{c.category}: {c.template}" for c in counts.columns.clusters]
    for model, sums in zip(counts.models, _of_clusters(counts), strict=True):
        whole = measured(sums.sum(axis=1))
        without = measured((sums.sum(axis=1, keepdims=True) - sums).T)
        for name in _COMPARED:
            rows = sums[COUNTS.index(ROWS_OF[name])] > 0
            values = np.where(rows, without[name], np.nan)
            if np.isnan(whole[name]) or np.isnan(values).all():
                continue
            low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
            yield SensitivityRow(
                form=form, items=counts.name, subject_class="", model=model.model, measure=name,
                value=float(whole[name]), lowest=float(values[low]), lowest_without=names[low],
                highest=float(values[high]), highest_without=names[high], templates=int(rows.sum()),
            )  # fmt: skip
