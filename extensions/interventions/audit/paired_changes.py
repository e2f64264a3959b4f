"""The change of each measure by each sentence and each kind of intervention, with paired intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.auditing.holm_correction import with_corrected_p
from nextset.auditing.measures.measure import share
from nextset.auditing.nli.item_measure_rows import SIGNED
from nextset.auditing.quads.quad_audit import FEW_QUADS
from nextset.auditing.quads.quad_values import SIZES
from nextset.bootstrap_intervals import (
    FEW,
    DrawnMeasure,
    Ends,
    intervals,
    note_on_templates,
    raised_intervals,
)
from nextset.cluster_bootstrap import DRAWS, Support
from nextset.counted import counted
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, InterventionSeries
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY
from nextset.extensions.interventions.intervention import Intervention

__all__ = [
    "DrawnValues",
    "SeriesKey",
    "SeriesPair",
    "defined",
    "interval_note",
    "kind_means",
    "paired_changes",
    "series_pairs",
]

_SHARES = ("accuracy", "accuracy_controls", "pro", "anti", TWIN_ACCURACY)
LEFT_OUT = "rows that the model did not answer both without and with it"
SeriesKey = tuple[str, ...]


@dataclass(frozen=True)
class DrawnValues:
    """A measure in all rows of weights, for one sentence or as the mean over several."""

    measure: DrawnMeasure
    """Its values in all draws."""
    null: Floats
    """As in `InterventionSeries`."""
    n: int
    """The number of rows."""
    unanswered: int
    """The number of rows that are left out because they were not answered both without and with it."""


@dataclass(frozen=True)
class SeriesPair:
    """A measure without and with the same interventions."""

    first: InterventionSeries
    """The series of one of the interventions, without it."""
    sentences: int
    """The number of interventions."""
    without: DrawnValues
    added: DrawnValues


def paired_changes(
    groups: Iterable[Iterable[InterventionSeries]], interventions: Mapping[str, Intervention]
) -> list[InterventionChange]:
    """Return the changes of every measure: first by each kind and place, then by each sentence.

    Each group has all series of a form, class and model, so that only one group at a time is in memory.

    The value of a kind is the mean over its sentences, so that it can be compared with the value without: a
    measure of all answers together would average the sentences' effects out of μ and η. Within each form and
    part, the p-values of the kinds are corrected for their number, and so are the p-values of the sentences.
    """
    of_kinds: list[InterventionChange] = []
    of_sentences: list[InterventionChange] = []
    for series in groups:
        kinds, sentences = _changes(series, interventions)
        of_kinds += kinds
        of_sentences += sentences
    corrected = (with_corrected_p(rows, _family, "change") for rows in (of_kinds, of_sentences))
    return [row for rows in corrected for row in rows]


def _changes(
    series: Iterable[InterventionSeries], interventions: Mapping[str, Intervention]
) -> tuple[list[InterventionChange], list[InterventionChange]]:
    """Return the changes of kinds, and those of sentences, without the correction of p-values."""
    pairs = list(series_pairs(series))
    sentences = [_row(p, interventions[p.first.intervention].name) for p in pairs if p.first.intervention]
    means = kind_means(pairs)
    kinds = []
    for key, pair in means.items():
        irrelevant = means.get((*key[:-2], "irrelevant", key[-1]))
        kinds.append(_row(pair, "", None if key[-2] in ("irrelevant", "trigger") else irrelevant))
    return kinds, sentences


def series_pairs(series: Iterable[InterventionSeries]) -> Iterator[SeriesPair]:
    """Yield, for each sentence, the values without and with it."""
    waiting: dict[SeriesKey, InterventionSeries] = {}
    for s in series:
        key = (*_group(s), s.kind, s.place, s.intervention)
        other = waiting.pop(key, None)
        if other is None:
            waiting[key] = s
            continue
        without, added = (other, s) if s.added else (s, other)
        yield SeriesPair(without, s.sentences, _drawn(without), _drawn(added))


def kind_means(pairs: Iterable[SeriesPair]) -> dict[SeriesKey, SeriesPair]:
    """Return the mean over the sentences of each kind and place; the key has the form, language, part,
    selection, model and measure, then the kind and place."""
    kinds: dict[SeriesKey, list[SeriesPair]] = {}
    for pair in pairs:
        kinds.setdefault((*_group(pair.first), pair.first.kind, pair.first.place), []).append(pair)
    return {key: _mean(of_kind) for key, of_kind in kinds.items()}


def _group(s: InterventionSeries) -> SeriesKey:
    return (s.form, s.language, s.part, s.selection, s.model, s.measure)


def _drawn(s: InterventionSeries) -> DrawnValues:
    support = None
    if s.effective_rows is not None and s.effective_templates is not None:
        support = Support(s.effective_rows, s.effective_templates, np.array(s.of_templates))
    raised = np.array(s.raised) if s.raised else None
    return DrawnValues(
        DrawnMeasure(np.array(s.values), s.sizes, support, raised), np.array(s.null), s.n, s.unanswered
    )


def _mean(pairs: Sequence[SeriesPair]) -> SeriesPair:
    """Return the mean over the sentences that have a value; the first sentence if none has."""
    known = [p for p in pairs if not np.isnan(_change(p).values[0])] or pairs[:1]
    return SeriesPair(
        known[0].first,
        sum(p.sentences for p in known),
        _mean_of([p.without for p in known]),
        _mean_of([p.added for p in known]),
    )


def _mean_of(drawn: Sequence[DrawnValues]) -> DrawnValues:
    measures = [d.measure for d in drawn]
    supports = [m.support for m in measures if m.support is not None]
    raised = [m.raised for m in measures if m.raised is not None]
    return DrawnValues(
        DrawnMeasure(
            _mean_value([m.values for m in measures]),
            tuple(max(sizes) for sizes in zip(*(m.sizes for m in measures), strict=True)),
            _mean_support(supports) if supports else None,
            np.mean(raised, axis=0) if raised else None,
        ),
        _mean_value([d.null for d in drawn]),
        round(sum(d.n for d in drawn) / len(drawn)),
        round(sum(d.unanswered for d in drawn) / len(drawn)),
    )


def _mean_support(supports: Sequence[Support]) -> Support:
    return Support(
        max(s.rows for s in supports),
        max(s.clusters for s in supports),
        _mean_value([s.values for s in supports]),
    )


def _mean_value(drawn: Sequence[Floats]) -> Floats:
    """Return the mean of each draw over the sentences that have rows in it; NaN if none has."""
    values = np.array(drawn)
    there = ~np.isnan(values)
    means: Floats = share(np.where(there, values, 0.0).sum(axis=0), there.sum(axis=0).astype(np.float64))
    return means


def _row(pair: SeriesPair, name: str, irrelevant: SeriesPair | None = None) -> InterventionChange:
    """Return the row of the sentence ``name``, or of a kind, compared with the ``irrelevant`` sentences."""
    s, measure = pair.first, pair.first.measure
    difference = _change(pair)
    value, interval = float(difference.values[0]), difference.interval()
    low, high = interval.ends()
    p = interval.p_value()
    # Any sentence changes some answers. The change beyond that of irrelevant sentences is this sentence's
    # own. Both have the same draws, so what they have in common does not widen the interval.
    beyond: tuple[float | None, Ends] = (None, (None, None))
    if irrelevant is not None and len(_change(irrelevant).values) == len(difference.values):
        more = difference.minus(_change(irrelevant), known=True)
        beyond = defined(more.values[0]), more.interval().ends()
    few = _few_quads(pair.first)
    none: Ends = (None, None)
    without, added = (none if few else _ends(d, measure) for d in (pair.without, pair.added))
    return InterventionChange(
        form=s.form,
        language=s.language,
        part=s.part,
        selection=s.selection,
        model=s.model,
        kind=s.kind,
        place=s.place,
        intervention=s.intervention if name else "",
        name=name,
        measure=measure,
        sentences=pair.sentences,
        value_without=defined(pair.without.measure.values[0]),
        low_without=without[0],
        high_without=without[1],
        value_with=defined(pair.added.measure.values[0]),
        low_with=added[0],
        high_with=added[1],
        change=defined(value),
        low=low,
        high=high,
        beyond=beyond[0],
        beyond_low=beyond[1][0],
        beyond_high=beyond[1][1],
        p=p,
        p_corrected=None,
        comparisons=0,
        n=pair.without.n,
        unanswered=pair.without.unanswered,
        note=_note(pair, few or interval_note(difference.values, (low, high), pair.without.measure.sizes)),
    )


def _note(pair: SeriesPair, note: str | None) -> str | None:
    """Return ``note`` and the number of rows that are left out, if there are any."""
    if not pair.without.unanswered:
        return note
    rows = counted(pair.without.unanswered, LEFT_OUT)
    return "; ".join(filter(None, (note, f"excluded: {rows}")))


def _change(pair: SeriesPair) -> DrawnMeasure:
    return pair.added.measure.minus(pair.without.measure, known=True)


def _few_quads(series: InterventionSeries) -> str | None:
    """Return the note on μ or η over few quads; None for other values."""
    if series.measure.removesuffix("_pooled") not in SIZES or series.cell_quads is None or not series.n:
        return None
    if series.cell_quads >= FEW_QUADS:
        return None
    return (
        f"the values have no interval: a subject and an attribute have {series.cell_quads:.1f} quads on "
        f"average, and at least {FEW_QUADS} are needed; chance raises the values, so the change is only "
        "about these quads"
    )


def defined(value: float) -> float | None:
    """Return ``value``, or None if it is NaN: undefined."""
    return None if np.isnan(value) else float(value)


def _ends(drawn: DrawnValues, measure: str) -> Ends:
    own = drawn.measure
    if own.raised is not None:
        null = drawn.null.reshape(-1, 1) if len(drawn.null) else None
        interval = raised_intervals(own.values, own.sizes, own.raised.reshape(2, 1), null)
    else:
        share = measure in _SHARES or (own.support is not None and measure not in SIGNED)
        interval = intervals(own.values, own.sizes, share=share, support=own.support)
    return interval.within(-1 if measure in SIGNED else 0).ends()


def interval_note(difference: Floats, ends: Ends, sizes: tuple[int, ...]) -> str | None:
    """Return why a ``difference``, in all draws, has no interval, or a limit of its interval; None if there
    is nothing to note."""
    if np.isnan(difference[0]):
        return "undefined: no rows"
    if ends[0] is None and sizes[-1] < FEW:
        drawn = "pairs of subjects" if len(sizes) > 1 else "templates"
        return f"no interval: {counted(sizes[-1], drawn)}, and at least {FEW} are needed"
    if ends[0] is None:
        undefined = np.isnan(difference[1 : 1 + DRAWS]).mean()
        return f"no interval: {undefined:.0%} of the draws have no rows, or no rows of some attributes"
    return note_on_templates(sizes[0]) if len(sizes) > 1 else None


def _family(row: InterventionChange) -> tuple[str, str, str, str]:
    """Return the key of the rows whose p-values are corrected together."""
    return row.form, row.language, row.part, row.selection
