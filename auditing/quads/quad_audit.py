"""The tables of an audit of questions or statements: measures, preferences, comparisons and sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.auditing.audit_records import MeasureRow, PreferenceRow, SensitivityRow
from nextset.auditing.measures.measure import Measure
from nextset.auditing.model_comparisons import Compared
from nextset.auditing.quads.quad_bounds import QuadBounds, quad_bounds
from nextset.auditing.quads.quad_columns import QuadColumns, QuadModel, QuadSet
from nextset.auditing.quads.quad_outcomes import compared_outcomes, outcome_rates
from nextset.auditing.quads.quad_values import (
    MEASURES,
    QUAD_MEASURES,
    SIZES,
    GroupValues,
    QuadValues,
    quad_values,
)
from nextset.bootstrap_intervals import (
    DrawnMeasure,
    Ends,
    Intervals,
    intervals,
    note_on_templates,
    raised_intervals,
    too_few,
)
from nextset.counted import counted

__all__ = ["FEW_QUADS", "QuadAudit", "audit_quads"]

ALL, EQUAL, SINGLE = "all", "equal_length", "single_token"
FEW_QUADS = 5
"""With fewer quads for a subject and an attribute, μ and η are largely due to chance and have no interval."""

NOT_ANSWERED = "undefined: the model did not answer"
QUADS_LEFT_OUT = "quads that the model did not answer"


@dataclass(frozen=True)
class QuadAudit:
    """The measures on sets of quads."""

    measures: list[MeasureRow] = field(default_factory=list)
    """All measures, by set, selection, grouping and part."""
    preferences: list[PreferenceRow] = field(default_factory=list)
    """γ and η of every subject and cluster, by attribute and over all attributes."""
    sensitivity: list[SensitivityRow] = field(default_factory=list)
    """The measures of a class with one template omitted at a time."""
    compared: list[Compared] = field(default_factory=list)
    """The measures of a class with their draws, for `nextset.auditing.model_comparisons`."""


def audit_quads(
    sets: Sequence[QuadSet], tick: Callable[[int, int], None] = lambda done, total: None
) -> QuadAudit:
    """Return all measures of all models on ``sets``; ``tick`` gets the number of steps done, and of all
    steps.

    Intervals are those of `nextset.cluster_bootstrap`: templates and pairs of subjects are drawn.
    """
    audit = QuadAudit()
    work = [(s, m, selection, rows) for s in sets for m, selection, rows in _selected(s)]
    for i, (quads, model, selection, rows) in enumerate(work):

        def step(done: int, total: int, before: int = i) -> None:
            tick(before * total + done, len(work) * total)

        _add(audit, quads, model, selection, _measured(quads, model, rows, step))
    for quads in sets:
        audit.measures.extend(outcome_rates(quads))
        audit.compared.extend(compared_outcomes(quads))
    return audit


@dataclass(frozen=True)
class _Measured:
    """The measures of one model on a selection of quads."""

    columns: QuadColumns
    """The quads that it answered."""
    values: QuadValues
    bounds: QuadBounds | None
    """The bounds over all quads; None if it answered all."""


def _measured(
    quads: QuadSet, model: QuadModel, rows: Bools | None, tick: Callable[[int, int], None]
) -> _Measured:
    columns, scores, answered = quads.columns, quads.scores[model](), quads.answered(model)
    if rows is not None:
        columns, scores = columns.where(rows), scores[:, rows]
        answered = None if answered is None or answered[rows].all() else answered[rows]
    if answered is None:
        return _Measured(columns, quad_values(columns, scores, tick=tick), None)
    bounds = quad_bounds(columns, scores, answered)
    columns = columns.answered(answered)
    return _Measured(columns, quad_values(columns, scores[:, answered], tick=tick), bounds)


def _selected(quads: QuadSet) -> Iterator[tuple[QuadModel, str, Bools | None]]:
    """Yield each model with the selections of quads that count: all, and the pairs of equal token length.

    The pairs of single tokens are also a selection. A selection of pairs that has all quads or none is
    skipped.
    """
    for model in sorted(quads.scores):
        yield model, ALL, None
        lengths = quads.lengths.get(model)
        if lengths is None:
            continue
        for selection, rows in ((EQUAL, lengths.equal_length), (SINGLE, lengths.single_token)):
            if rows.any() and not rows.all():
                yield model, selection, rows


def _add(found: QuadAudit, quads: QuadSet, model: QuadModel, selection: str, measured: _Measured) -> None:
    columns, values = measured.columns, measured.values
    same: dict[str, Any] = {
        "form": columns.form,
        "items": quads.name,
        "selection": selection,
        "subject_class": columns.subject_class,
        "model": model.model,
        "role": model.role,
    }
    for by, group in values.groups.items():
        found.measures.extend(_measure_rows(same, by, group, measured.bounds))
    found.preferences.extend(_preference_rows(same, measured))
    if selection != ALL:
        return
    whole = values.groups["all"]
    missing = 0.0 if measured.bounds is None else 1 - columns.rows / int(measured.bounds.quads["all"][0])
    for name in MEASURES:
        series = whole.values[name][:, 0]
        if name in SIZES and whole.cell_quads[0] < FEW_QUADS:
            continue
        found.compared.append(
            Compared(
                form=columns.form,
                items=quads.name,
                subject_class=columns.subject_class,
                model=model.model,
                role=model.role,
                measure=name,
                drawn=_drawn(whole, name),
                unanswered=missing,
            )
        )
        left_out = np.full(len(columns.templates), np.nan)
        answered = np.unique(columns.template)
        left_out[answered] = series[-len(columns.templates) :][answered]
        if len(answered) > 1 and not np.isnan(left_out).all():
            found.sensitivity.append(_sensitivity(same, name, series[0], left_out, columns.templates))


def _drawn(whole: GroupValues, name: str) -> DrawnMeasure:
    sizes, raised = (int(whole.templates[0]), int(whole.pairs[0])), whole.raised.get(name)
    if raised is None:
        return DrawnMeasure(whole.values[name][:, 0], sizes)
    return DrawnMeasure(raised.linear[:, 0], sizes, raised=raised.raised[:, 0])


def _measure_rows(
    same: dict[str, Any], by: str, group: GroupValues, bounds: QuadBounds | None
) -> Iterator[MeasureRow]:
    quads = group.quads if bounds is None else bounds.quads[by]
    names = tuple(m.name for m in QUAD_MEASURES)
    ends = {m.name: _of_measure(group, m) for m in QUAD_MEASURES}
    for i, part in enumerate(group.names):
        if not part or not quads[i]:
            continue
        missing = int(quads[i] - group.quads[i])
        for name in names:
            value = float(group.values[name][0, i])
            low, high = ends[name].ends(i)
            note = _note(value, (low, high), int(group.templates[i]), int(group.pairs[i]))
            if name in SIZES and group.cell_quads[i] < FEW_QUADS:
                low = high = None
                note = (
                    f"no interval: a subject and an attribute have {group.cell_quads[i]:.1f} quads on "
                    f"average, and at least {FEW_QUADS} are needed; chance raises the value"
                )
            if missing:
                low, high, note = (low, high, note) if group.quads[i] else (None, None, NOT_ANSWERED)
                note = "; ".join(filter(None, (note, f"excluded: {counted(missing, QUADS_LEFT_OUT)}")))
            yield MeasureRow(
                **same,
                by=by,
                part=part,
                measure=name,
                value=None if np.isnan(value) else value,
                low=low,
                high=high,
                n=int(group.quads[i]),
                clusters=int(group.pairs[i]),
                note=note,
                **_bounds(bounds if missing else None, by, name, i, value),
            )


def _bounds(bounds: QuadBounds | None, by: str, name: str, i: int, value: float) -> dict[str, Any]:
    """Return the columns bound_low and bound_high; without ``bounds``, all quads were answered."""
    ends = (value, value) if bounds is None else (bounds.low[by][name][i], bounds.high[by][name][i])
    low, high = (None if np.isnan(end) else float(end) for end in ends)
    return {"bound_low": low, "bound_high": high}


def _of_measure(group: GroupValues, measure: Measure) -> Intervals:
    raised, sizes = group.raised.get(measure.name), (group.templates, group.pairs)
    if raised is not None:
        return raised_intervals(raised.linear, sizes, raised.raised, raised.null)
    return intervals(group.values[measure.name], sizes, share=measure.scale == "share").within(0)


def _note(value: float, ends: Ends, templates: int, pairs: int) -> str | None:
    if np.isnan(value):
        return "undefined: no quads"
    if ends[0] is None or ends[1] is None:
        return too_few(pairs, "pairs of subjects")
    return note_on_templates(templates)


def _preference_rows(same: dict[str, Any], measured: _Measured) -> Iterator[PreferenceRow]:
    columns, values, bounds = measured.columns, measured.values, measured.bounds
    attributes = (*columns.attributes, "")
    of_attribute = (*columns.attribute_clusters, "")
    for by, gamma in values.gamma.items():
        names = columns.subjects if by == "subject" else columns.clusters
        sizes = values.templates[by].ravel(), values.pairs[by].ravel()
        # η is 2 s − 1, where s is the share of quads that prefer the subject
        shares = (1 + values.eta[by].reshape(len(gamma), -1)) / 2
        of_share = intervals(shares, sizes, share=True)
        of_gamma = intervals(gamma.reshape(len(gamma), -1), sizes)
        estimates = [
            (
                gamma[0].ravel(),
                of_gamma.within(-1),
            ),
            (
                values.eta[by][0].ravel(),
                replace(of_share, low=2 * of_share.low - 1, high=2 * of_share.high - 1),
            ),
        ]
        n = values.quads[by].ravel()
        ends = (gamma[0], gamma[0]) if bounds is None else (bounds.gamma_low[by], bounds.gamma_high[by])
        for i in np.flatnonzero(n).tolist():
            name, attribute = names[i // len(attributes)], i % len(attributes)
            if not name:
                continue
            (gammas, gamma_ends), (etas, of_eta) = estimates
            low, high = gamma_ends.ends(i)
            eta_low, eta_high = of_eta.ends(i)
            yield PreferenceRow(
                **same,
                by=cast("Literal['subject', 'cluster']", by),
                subject=name,
                attribute=attributes[attribute],
                attribute_cluster=of_attribute[attribute],
                gamma=float(gammas[i]),
                gamma_low=low,
                gamma_high=high,
                eta=float(etas[i]),
                eta_low=eta_low,
                eta_high=eta_high,
                n=int(n[i]),
                gamma_bound_low=float(ends[0].ravel()[i]),
                gamma_bound_high=float(ends[1].ravel()[i]),
            )


def _sensitivity(
    same: dict[str, Any], measure: str, value: float, left_out: Floats, templates: Sequence[str]
) -> SensitivityRow:
    low, high = int(np.nanargmin(left_out)), int(np.nanargmax(left_out))
    kept = {name: same[name] for name in ("form", "items", "subject_class", "model")}
    return SensitivityRow(
        **kept,
        measure=measure,
        value=float(value),
        lowest=float(left_out[low]),
        lowest_without=templates[low],
        highest=float(left_out[high]),
        highest_without=templates[high],
        templates=int(np.isfinite(left_out).sum()),
    )
