"""The triggers that a search found, each with the templates that it is measured on: those that the search
never saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, TriggerTransfer
from nextset.extensions.interventions.intervention import Intervention, interventions_of

__all__ = ["FoundTriggers", "found_triggers", "trigger_transfer"]

HEADLINES = ("mu", "mean_c", "twin_accuracy", "accuracy", "accuracy_controls")
"""The measures of the table of transfer."""


@dataclass(frozen=True)
class FoundTriggers:
    """Triggers as interventions; empty without a search."""

    rows: tuple[Intervention, ...] = ()
    forms: Mapping[str, str] = field(default_factory=dict)
    """The form of the rows that each trigger was sought on, by the trigger's id."""
    models: Mapping[str, str] = field(default_factory=dict)
    """The published name of the model that each trigger was sought for, by the trigger's id."""
    held_out: Mapping[tuple[str, str, str], frozenset[str]] = field(default_factory=dict)
    """The held-out templates of each form, language and class, or domain."""

    def of(self, form: str) -> tuple[Intervention, ...]:
        """Return the triggers that were sought on rows of ``form``."""
        return tuple(t for t in self.rows if self.forms[t.id] == form)

    def templates(self, intervention: Intervention, form: str, part: str) -> frozenset[str] | None:
        """Return the templates that ``intervention`` is measured on in ``part``; None for all."""
        if intervention.id not in self.forms:
            return None
        return self.held_out.get((form, intervention.language, part), frozenset())


def found_triggers(artifact: Artifact | None) -> FoundTriggers:
    """Return the triggers of the stage triggers; a text that two searches found is listed twice."""
    if artifact is None:
        return FoundTriggers()
    table = artifact.table("triggers")
    rows = interventions_of(table)
    ids = [trigger.id for trigger in rows]
    forms, models = (dict(zip(ids, texts, strict=True)) for texts in _texts(table, "form", "model"))
    held_out: dict[tuple[str, str, str], set[str]] = {}
    for split in artifact.table("splits").to_pylist():
        names = held_out.setdefault((split["form"], split["language"], split["subject_class"]), set())
        if split["held_out"]:
            names.add(split["template_id"])
    return FoundTriggers(rows, forms, models, {key: frozenset(names) for key, names in held_out.items()})


def _texts(table: pa.Table, *names: str) -> Iterable[list[str]]:
    return (table[name].to_pylist() for name in names)


def trigger_transfer(changes: Sequence[InterventionChange], triggers: FoundTriggers) -> list[TriggerTransfer]:
    """Return the changes that each trigger makes in the model that it was sought for, and in every other
    model."""
    texts = {t.id: t.text for t in triggers.rows}
    return [
        TriggerTransfer(
            form=row.form,
            language=row.language,
            part=row.part,
            trigger=texts[row.intervention],
            found_for=triggers.models[row.intervention],
            model=row.model,
            measure=row.measure,
            value_without=row.value_without,
            value_with=row.value_with,
            change=row.change,
            low=row.low,
            high=row.high,
            n=row.n,
        )
        for row in changes
        if row.intervention in texts and row.selection == "all" and row.measure in HEADLINES
    ]
