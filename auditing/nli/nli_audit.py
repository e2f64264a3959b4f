"""The tables of an audit of NLI items: measures, comparisons of models and of sets, sensitivity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

import numpy as np

from nextset.array_types import Floats
from nextset.auditing.audit_records import ComparisonRow, MeasureRow, SensitivityRow
from nextset.auditing.model_comparisons import Compared, compare_models, compare_sets
from nextset.auditing.nli.answer_counts import COUNTS, ITEM_MEASURES, MEASURES, ROWS_OF, measured
from nextset.auditing.nli.item_counts import Cluster, CountedModel, ItemCounts
from nextset.auditing.nli.item_measure_rows import By, Series, measure_rows, measures_of
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.outcome_rates import GROUPINGS, outcome_changes, outcome_rows, outcome_series
from nextset.bootstrap_intervals import DrawnMeasure
from nextset.forms import FormName

__all__ = ["NliAudit", "audit_items", "compared_items", "set_changes"]

_PARTS: tuple[By, ...] = ("all", "domain", "stereotype")


@dataclass(frozen=True)
class NliAudit:
    """The measures on sets of NLI items."""

    measures: list[MeasureRow] = field(default_factory=list)
    """All measures, by set, selection and part."""
    comparisons: list[ComparisonRow] = field(default_factory=list)
    """Every two models on each set, and each model on every two successive sets."""
    sensitivity: list[SensitivityRow] = field(default_factory=list)
    """The measures of a set with one template omitted at a time."""


def audit_items(
    sets: Sequence[ItemCounts],
    form: FormName,
    compared: Sequence[Sequence[Compared]] = (),
    changes: Sequence[Iterable[tuple[Compared, Compared]]] = (),
) -> NliAudit:
    """Return all measures of all models on ``sets``, in their order.

    ``compared`` has further measures of each set, and ``changes`` further measures of every two successive
    sets; they are compared, and their p-values corrected, together with those of counts.

    Intervals are those of `nextset.cluster_bootstrap`: templates are drawn, each with its stereotype, and
    every measure is computed again in each draw.
    """
    audit = NliAudit()
    for i, counts in enumerate(sets):
        more = compared[i] if compared else ()
        for by in _PARTS:
            audit.measures.extend(measure_rows(counts, form, by))
        for grouping in GROUPINGS:
            audit.measures.extend(outcome_rows(counts, form, grouping))
        audit.comparisons.extend(compare_models(chain(compared_items(counts, form), more)))
        audit.sensitivity.extend(_sensitivity(counts, form))
    for i, (first, second) in enumerate(pairwise(sets)):
        further = changes[i] if changes else ()
        audit.comparisons.extend(compare_sets(chain(set_changes(first, second, form), further)))
    return audit


def set_changes(first: ItemCounts, second: ItemCounts, form: FormName) -> Iterator[tuple[Compared, Compared]]:
    """Yield each measure of each model that both sets have, on the first set and on the second.

    The draws are the same for both: a template of both sets is drawn for both, so that their common items do
    not widen the interval of the difference.
    """
    clusters = sorted({*first.clusters, *second.clusters})
    known = {(m.model, m.revision) for m in second.models}
    models = [m for m in first.models if (m.model, m.revision) in known]
    sides = [_of_clusters(counts, clusters, models) for counts in (first, second)]
    everything = range(len(clusters))
    series = [measures_of(counts, MEASURED, everything, together=_rows(sides)) for counts in sides]
    for of_first, of_second, model in zip(*series, models, strict=True):
        for name in MEASURES:
            yield (
                _one(first, form, model, name, of_first[name]),
                _one(second, form, model, name, of_second[name]),
            )
    for model, measure, *both in outcome_changes(first, second):
        one, other = (
            _one(side, form, model, measure.name, of_side, outcome=True)
            for side, of_side in zip((first, second), both, strict=True)
        )
        yield one, other


def _one(
    counts: ItemCounts,
    form: FormName,
    model: CountedModel,
    measure: str,
    series: Series,
    *,
    outcome: bool = False,
) -> Compared:
    return Compared(
        form=form,
        items=counts.name,
        subject_class="",
        model=model.model,
        role=model.role,
        measure=measure,
        drawn=DrawnMeasure(series.values, (series.clusters,), series.support),
        unanswered=0.0 if outcome else _unanswered(counts, model, measure),
        outcome=outcome,
    )


def _unanswered(counts: ItemCounts, model: CountedModel, measure: str) -> float:
    """Return the share of the rows of a measure, test items among them, that the model did not answer."""
    place = [m.model for m in counts.models].index(model.model)
    filled = counts.unanswered.get((MEASURED, place))
    if filled is None:
        return 0.0
    drawn = next(m.drawn for m in ITEM_MEASURES if m.name == measure)
    rows = [COUNTS.index(name) for name in {ROWS_OF[measure], *(n for n in drawn if n == "control_rows")}]
    missing = float(filled[0, rows].sum())
    answered = float(counts.sums[MEASURED][place, rows].sum())
    return missing / (missing + answered) if missing else 0.0


def _rows(sides: Sequence[ItemCounts]) -> Floats:
    """Return the counts of both sets together: for each measure, the templates that have rows in either set
    are drawn."""
    sums: Floats = sides[0].sums[MEASURED] + sides[1].sums[MEASURED]
    return sums


def _of_clusters(
    counts: ItemCounts, clusters: Sequence[Cluster], models: Sequence[CountedModel]
) -> ItemCounts:
    """Return the counts of ``models`` by the ``clusters`` of both sets."""
    place = {cluster: i for i, cluster in enumerate(clusters)}
    names = [m.model for m in counts.models]
    sums = np.zeros((len(models), len(COUNTS), len(clusters)))
    own = counts.sums[MEASURED][[names.index(m.model) for m in models]]
    sums[:, :, [place[cluster] for cluster in counts.clusters]] = own
    return replace(counts, clusters=tuple(clusters), models=tuple(models), sums={MEASURED: sums})


def compared_items(counts: ItemCounts, form: FormName) -> Iterator[Compared]:
    """Yield each measure of each model on one set, by model and in the order of `MEASURES`."""
    by_model = measures_of(counts, MEASURED, range(len(counts.clusters)))
    for model, series in zip(counts.models, by_model, strict=True):
        for name in MEASURES:
            yield _one(counts, form, model, name, series[name])
    for (place, name), of_model in outcome_series(counts).items():
        yield _one(counts, form, counts.models[place], name, of_model, outcome=True)


def _sensitivity(counts: ItemCounts, form: FormName) -> Iterator[SensitivityRow]:
    names = [f"{c.stereotype}: {c.template}" for c in counts.clusters]
    for place, model in enumerate(counts.models):
        sums = counts.sums[MEASURED][place]
        whole = measured(sums.sum(axis=1), two_way=model.two_way)
        without = measured((sums.sum(axis=1, keepdims=True) - sums).T, two_way=model.two_way)
        for name in MEASURES:
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
