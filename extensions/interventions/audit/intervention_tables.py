"""The tables of interventions on the page: all measures by kind, and the table of Zhao et al. (2021)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.auditing.report.result_tables import measure_name, measure_unit
from nextset.extensions.interventions.audit.intervention_figures import kinds_of, part_name, place_text
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, TriggerTransfer

__all__ = ["all_measures", "intervention_notes", "published_table", "transfer_table"]

_POOLED = {"mu_pooled": "μ", "eta_pooled": "η"}
_SELECTIONS = {
    "all": "",
    "equal_length": ", subjects with the same number of tokens",
    "single_token": ", subjects with one token each",
    "held_out": ", held out from tuning",
}


def published_table(rows: Sequence[InterventionChange]) -> NumberTable | None:
    """Return μ and η without and with each kind as published: over all answers to the sentences of a kind
    together."""
    own = [r for r in rows if r.measure in _POOLED and not r.intervention]
    if not own:
        return None
    kinds = kinds_of(own)
    columns = (
        Column("Class"), Column("Model"), Column("Form"), Column("Measure"), Column("None", "fraction"),
        *(Column(f"{kind}, {place_text(place)}", "fraction") for kind, place in kinds),
    )  # fmt: skip
    by_place: dict[tuple[str, str, str, str], dict[tuple[str, str], InterventionChange]] = {}
    for r in own:
        by_place.setdefault((part_name(r), r.model, f"{r.form}s", _POOLED[r.measure]), {})[
            r.kind, r.place
        ] = r
    lines: list[Row] = []
    for place, by_kind in by_place.items():
        first = next(iter(by_kind.values()))
        changes = [by_kind.get(key) for key in kinds]
        lines.append(
            (
                *place,
                Estimate(first.value_without, first.low_without, first.high_without),
                *(Estimate(r.value_with, r.low_with, r.high_with) if r else None for r in changes),
            )
        )
    caption = "μ and η over all answers to the sentences of a kind together (Zhao et al. 2021)"
    return NumberTable("published-table", caption, columns, tuple(lines))


def all_measures(rows: Sequence[InterventionChange], form: str, selection: str) -> NumberTable | None:
    """Return every measure of ``form`` without and with each kind, and the change; None without measures."""
    own = [r for r in rows if (r.form, r.selection) == (form, selection) and not r.intervention]
    own = [r for r in own if r.measure not in _POOLED and r.change is not None]
    if not own:
        return None
    unit = measure_unit(form)
    columns = (
        Column("Class"), Column("Model"), Column("Kind and place"), Column("Measure"),
        Column("Without", unit), Column("With", unit), Column("Change", unit), Column("p, corrected", "p"),
        Column("Rows", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            part_name(r), r.model, f"{r.kind}, {place_text(r.place)}", _measure(r.measure),
            Estimate(r.value_without, r.low_without, r.high_without),
            Estimate(r.value_with, r.low_with, r.high_with), Estimate(r.change, r.low, r.high),
            Estimate(r.p_corrected), r.n,
        )
        for r in own
    )  # fmt: skip
    named = {"question": "Questions", "statement": "Masked statements", "nli": "Premises and hypotheses"}[
        form
    ]
    caption = f"{named}{_SELECTIONS[selection]}: all measures by kind"
    name = f"measures-{form}-{selection}".replace("_", "-")
    return NumberTable(name, caption, columns, lines)


def intervention_notes(rows: Iterable[InterventionChange]) -> list[str]:
    """Return the notes on kinds of interventions, each listed once with its class, model and measures."""
    measures: dict[tuple[str, str, str], dict[str, None]] = {}
    for r in rows:
        if r.note and not r.intervention and r.selection == "all":
            measures.setdefault((part_name(r), r.model, r.note), {})[_measure(r.measure)] = None
    return [
        f"{'; '.join(names)} ({part}, {model}): {note}." for (part, model, note), names in measures.items()
    ]


def _measure(measure: str) -> str:
    return {"twin_accuracy": "Specified twins"}.get(measure, measure_name(measure.removesuffix("_pooled")))


def transfer_table(rows: Sequence[TriggerTransfer]) -> NumberTable | None:
    """Return the changes that each trigger makes in every model, on held-out templates; None without
    triggers."""
    if not rows:
        return None
    columns = (
        Column("Trigger"), Column("Found for"), Column("Asked model"), Column("Class"), Column("Form"),
        Column("Measure"), Column("Without", "mixed"), Column("With", "mixed"), Column("Change", "mixed"),
        Column("Rows", "count"),
    )  # fmt: skip
    lines: list[Row] = []
    for r in rows:
        unit = "per_cent" if r.measure == "twin_accuracy" else measure_unit(r.form)
        values = (Estimate(v, unit=unit) for v in (r.value_without, r.value_with))
        change = Estimate(r.change, r.low, r.high, unit)
        place = (r.part.replace("_", " "), f"{r.form}s", _measure(r.measure))
        lines.append((r.trigger, r.found_for, r.model, *place, *values, change, r.n))
    return NumberTable(
        "transfer", "Triggers on held-out templates, and transferred to other models", columns, tuple(lines)
    )
