"""The changes that tuning makes in a reader: its measures before and after, in the same draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nextset.bootstrap_intervals import Ends
from nextset.extensions.interventions.audit.held_out_rows import HELD_OUT
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries, TuningChange
from nextset.extensions.interventions.audit.paired_changes import (
    DrawnValues,
    SeriesKey,
    SeriesPair,
    defined,
    interval_note,
    kind_means,
    series_pairs,
)

__all__ = ["tuning_changes"]


def tuning_changes(
    groups: Iterable[Iterable[InterventionSeries]], tuned: Mapping[str, str]
) -> list[TuningChange]:
    """Return every measure before and after tuning, for each kind of sentences.

    ``tuned`` has the published names of tuned models, each with the name of the model before tuning.
    """
    wanted = {*tuned, *tuned.values()}
    means: dict[SeriesKey, SeriesPair] = {}
    for series in groups:
        means |= kind_means(series_pairs(s for s in series if s.model in wanted and s.selection == HELD_OUT))
    return list(_changes(means, tuned))


def _changes(means: Mapping[SeriesKey, SeriesPair], tuned: Mapping[str, str]) -> Iterator[TuningChange]:
    for after in means.values():
        s = after.first
        if s.model not in tuned:
            continue
        base = tuned[s.model]
        before = means[s.form, s.language, s.part, s.selection, base, s.measure, s.kind, s.place]
        without = _difference(before.without, after.without)
        added = _difference(before.added, after.added)
        yield TuningChange(
            language=s.language,
            part=s.part,
            model=base,
            tuned=s.model,
            kind=s.kind,
            place=s.place,
            measure=s.measure,
            sentences=after.sentences,
            before_without=defined(before.without.measure.values[0]),
            before_with=defined(before.added.measure.values[0]),
            after_without=defined(after.without.measure.values[0]),
            after_with=defined(after.added.measure.values[0]),
            change_without=without[0],
            low_without=without[1][0],
            high_without=without[1][1],
            change=added[0],
            low=added[1][0],
            high=added[1][1],
            n=after.without.n,
            note=added[2],
        )


def _difference(before: DrawnValues, after: DrawnValues) -> tuple[float | None, Ends, str | None]:
    """Return the difference, the ends of its interval, and a note on it."""
    difference = after.measure.minus(before.measure, known=True)
    ends = difference.interval().ends()
    note = interval_note(difference.values, ends, difference.sizes)
    return defined(difference.values[0]), ends, note
