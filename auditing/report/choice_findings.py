"""The findings about choice items as sentences with intervals, which say what is uncertain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nextset.auditing.audit_records import ComparisonRow, MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.finding_text import (
    ROLES,
    ends_text,
    of_headline_model,
    per_cent,
    points,
    with_ends,
)
from nextset.auditing.report.item_figures import SET_NAMES, estimate, measured_set
from nextset.forms import FormName
from nextset.records.nli_items import PASSED_TESTS

__all__ = ["choice_findings"]

_CONTEXTS = {"s_amb": "in ambiguous contexts", "s_dis": "in disambiguated contexts"}


def choice_findings(audit: AuditTables, form: FormName) -> list[str]:
    """Return sentences on one model: its accuracy in both conditions, the change, and its bias."""
    rows = [r for r in audit.measures if (r.form, r.by) == (form, "all")]
    main = measured_set(rows)
    own = of_headline_model([r for r in rows if r.items == main])
    if not own:
        return []
    model = next(iter(own.values()))
    who = f"{ROLES.get(model.role, '')}{model.model}"
    sentences = _controls(rows, model.model) + _accuracy(who, own, SET_NAMES.get(main, main))
    for measure in _CONTEXTS:
        sentences += _bias(own.get(measure), own.get("accuracy_ambiguous"))
    sentences += _change([c for c in audit.comparisons if c.form == form], model.model)
    return sentences + _out_of_choice(own)


def _controls(rows: Sequence[MeasureRow], model: str) -> list[str]:
    """Return a sentence on a model that fails the controls, whose right answers the context gives."""
    controls = [
        r for r in rows if (r.model, r.measure) == (model, "accuracy_controls") and r.value is not None
    ]
    if not controls or (controls[0].value or 0.0) >= PASSED_TESTS:
        return []
    return [
        f"{model} gets only {with_ends(estimate(controls[0]))} of the control items right, whose contexts "
        "give the answer: its other figures show little."
    ]


def _accuracy(who: str, own: Mapping[str, MeasureRow], where: str) -> list[str]:
    parts = [
        f"{with_ends(estimate(row))} of the items with {name} contexts"
        for name in ("ambiguous", "disambiguated")
        if (row := own.get(f"accuracy_{name}")) and row.value is not None
    ]
    return [f"{who} gives the right answer to {' and '.join(parts)} in the {where}."] if parts else []


def _bias(score: MeasureRow | None, accuracy: MeasureRow | None) -> list[str]:
    """Return a sentence on a score of BBQ: the side that answers go with, or that none was found."""
    if score is None or score.value is None:
        return []
    where, name = _CONTEXTS[score.measure], "s_AMB" if score.measure == "s_amb" else "s_DIS"
    if score.low is None or score.high is None:
        value = f"{name} = {points(score.value)}"
        return [f"{where.capitalize()}, {value}; {score.note or 'there is no interval'}."]
    ends = f"{points(score.value)} {ends_text(score.low, score.high)}"
    if score.low <= 0 <= score.high:
        text = f"{where.capitalize()}, no bias to either side was found ({name} = {ends}, an interval that "
        return [f"{text}contains 0).{_either_way(score)}"]
    side = "with" if score.value > 0 else "against"
    return [
        f"{where.capitalize()}, its answers go {side} the stereotypes: {name} = {ends} on a scale from −100 "
        f"to 100.{_either_way(score)}"
    ]


def _either_way(row: MeasureRow) -> str:
    """Return a sentence on the bounds of a score, if they lie outside its interval."""
    low, high = row.bound_low, row.bound_high
    if low is None or high is None or row.low is None or row.high is None:
        return ""
    if row.low <= low and high <= row.high:
        return ""
    return (
        f" With the items that it did not answer counted either way, the score lies between {points(low)} "
        f"and {points(high)}."
    )


def _change(comparisons: Sequence[ComparisonRow], model: str) -> list[str]:
    """Return a sentence on each accuracy that the released items change."""
    sentences = []
    for c in comparisons:
        if c.kind != "sets" or c.first_model != model or not c.measure.startswith("accuracy_"):
            continue
        if c.low is None or c.high is None or c.low <= 0 <= c.high:
            continue
        verb, sign = ("lower", -1) if c.difference < 0 else ("higher", 1)
        ends = ends_text(*sorted((sign * c.low, sign * c.high)))
        kind = c.measure.removeprefix("accuracy_")
        sentences.append(
            f"On the released items its accuracy in {kind} contexts is {points(sign * c.difference)} points "
            f"{ends} {verb} ({per_cent(c.first_value)} before, {per_cent(c.second_value)} after)."
        )
    return sentences


def _out_of_choice(own: Mapping[str, MeasureRow]) -> list[str]:
    row = own.get("out_of_choice_rate")
    if row is None or not row.value:
        return []
    return [f"{with_ends(estimate(row))} of its answers are none of the options."]
