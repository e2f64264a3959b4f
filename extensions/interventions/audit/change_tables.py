"""The tables of the changes by interventions, triggers and tuning."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.build import FilePart, Part, PartResult
from nextset.auditing.audit_tables import measures_csv
from nextset.extensions.interventions.audit.found_triggers import FoundTriggers, trigger_transfer
from nextset.extensions.interventions.audit.intervention_findings import (
    intervention_findings,
    spoilt_readers,
    tuning_findings,
)
from nextset.extensions.interventions.audit.intervention_records import (
    InterventionChange,
    InterventionFinding,
    InterventionSeries,
    TriggerTransfer,
    TuningChange,
)
from nextset.extensions.interventions.audit.paired_changes import paired_changes
from nextset.extensions.interventions.audit.tuning_changes import tuning_changes
from nextset.extensions.interventions.intervention import Intervention
from nextset.records.arrow_schema import table_of
from nextset.records.clear_questions import ClearQuestions

__all__ = ["ChangeTables"]


@dataclass(frozen=True)
class ChangeTables:
    """Tables that are computed when the first of them is needed."""

    series: Artifact
    """The drawn values of each model and class."""
    told: Mapping[str, Intervention]
    """The sentences and triggers, by their ids."""
    triggers: FoundTriggers
    tuned: Mapping[str, str]
    """The published names of tuned models, each with the name of the model before tuning."""
    clear: pa.Table | None
    """ClearQuestions of the tuned models; None without tuned models."""

    def parts(self) -> Iterator[Part | FilePart]:
        """Yield a part for each table, and the file changes.csv."""
        yield Part("changes", lambda: PartResult(self._table))
        yield Part("interventions", lambda: PartResult(table_of(self.told.values(), Intervention)))
        yield Part("conclusions", lambda: PartResult(table_of(self._findings(), InterventionFinding)))
        yield Part("transfer", lambda: PartResult(table_of(self._transfer(), TriggerTransfer)))
        if (clear := self.clear) is not None:
            yield Part("tuning", lambda: PartResult(table_of(self._tuning, TuningChange)))
            yield Part("clear_questions", lambda: PartResult(clear))
        yield FilePart("changes.csv", lambda: measures_csv(self._table))

    @functools.cached_property
    def _changes(self) -> list[InterventionChange]:
        return paired_changes(_read(self.series), self.told)

    @functools.cached_property
    def _table(self) -> pa.Table:
        return table_of(self._changes, InterventionChange)

    @functools.cached_property
    def _tuning(self) -> list[TuningChange]:
        return tuning_changes(_read(self.series), self.tuned)

    def _transfer(self) -> list[TriggerTransfer]:
        return trigger_transfer(self._changes, self.triggers)

    def _findings(self) -> Iterator[InterventionFinding]:
        clear = () if self.clear is None else [ClearQuestions(**row) for row in self.clear.to_pylist()]
        for text in spoilt_readers(clear):
            yield InterventionFinding(text=text, warning=True)
        for text in (*tuning_findings(self._tuning), *intervention_findings(self._changes)):
            yield InterventionFinding(text=text, warning=False)


def _read(series: Artifact) -> Iterator[list[InterventionSeries]]:
    """Yield the series of each form, class and model."""
    for shard in series.shards_of("series"):
        rows = series.piece(shard).to_pylist()
        lists = ("sizes", "values", "of_templates", "raised", "null")
        yield [InterventionSeries(**{**row, **{n: tuple(row[n]) for n in lists}}) for row in rows]
