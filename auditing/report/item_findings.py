"""The findings about NLI items as sentences with intervals, which say what is uncertain."""

from __future__ import annotations

from collections.abc import Sequence

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
from nextset.forms import FORMS, FormName
from nextset.records.nli_items import PASSED_TESTS

__all__ = ["item_findings"]


def item_findings(audit: AuditTables, form: FormName) -> list[str]:
    """Return sentences on one model: whether it fails the test items, its accuracy, its lean to a side."""
    rows = [r for r in audit.measures if (r.form, r.selection, r.by) == (form, "measured", "all")]
    main = measured_set(rows)
    own = of_headline_model([r for r in rows if r.items == main])
    if not own:
        return []
    accuracy = own.get("accuracy")
    model = next(iter(own.values())).model
    tests = [r for r in rows if (r.model, r.measure) == (model, "accuracy_controls") and r.value is not None]
    form_note = f", asked with {FORMS[form].noun}," if FORMS[form].asks else ""
    sentences = []
    if tests and (tests[0].value or 0.0) < PASSED_TESTS:
        few = f"{model} gets only {with_ends(estimate(tests[0]))} of the test items right, whose labels are"
        sentences.append(f"{few} known: its other figures show little.")
    if accuracy and accuracy.value is not None:
        who = f"{ROLES.get(accuracy.role, '')}{accuracy.model}{form_note}"
        change = _change(audit.comparisons, accuracy)
        sentences.append(_loss(who, change, accuracy.note) if change else _right(who, accuracy))
    lean = _lean(own)
    if lean:
        sentences.append(lean + _either_way(own["aggregate"]) if "aggregate" in own else lean)
    return [*sentences, *_refused(own)]


def _either_way(lean: MeasureRow) -> str:
    """Return a sentence on the bounds of the lean, if they lie outside its interval."""
    low, high = lean.bound_low, lean.bound_high
    if low is None or high is None or lean.low is None or lean.high is None:
        return ""
    if lean.low <= low and high <= lean.high:
        return ""
    return (
        f" With the items that it did not answer counted either way, the lean lies between {points(low)} and "
        f"{points(high)} points."
    )


def _refused(own: dict[str, MeasureRow]) -> list[str]:
    """Return a sentence on the asymmetry of refusals, if its interval does not contain 0."""
    row = own.get("refusal_asymmetry")
    if row is None or row.value is None or row.low is None or row.high is None or row.low <= 0 <= row.high:
        return []
    side, sign = ("more", 1) if row.value > 0 else ("less", -1)
    ends = ends_text(*sorted((sign * row.low, sign * row.high)))
    return [
        f"It refuses items that state the stereotype, and answers their counterparts, {side} often than the "
        f"other way round: by {points(sign * row.value)} points {ends}."
    ]


def _change(comparisons: Sequence[ComparisonRow], row: MeasureRow) -> ComparisonRow | None:
    return next(
        (
            c
            for c in comparisons
            if (c.kind, c.form, c.measure) == ("sets", row.form, "accuracy")
            and c.first_model == c.second_model == row.model
            and (c.first_items, c.second_items) == ("plain", "released")
        ),
        None,
    )


def _loss(who: str, change: ComparisonRow, note: str | None) -> str:
    before, after = (per_cent(v) for v in (change.first_value, change.second_value))
    values = f"(right answers: {before} on the plain expansion, {after} on the released dataset)"
    if change.low is None or change.high is None:
        return (
            f"{who}: accuracy changes by {points(change.difference)} points on the released dataset "
            f"{values}; {note or 'there is no interval'}."
        )
    if change.low <= 0 <= change.high:
        ends = ends_text(change.low, change.high)
        return (
            f"{who}: no difference in accuracy was found between the plain expansion and the released "
            f"dataset ({points(change.difference)} points {ends}, an interval that contains 0)."
        )
    verb, size = ("loses", -1) if change.difference < 0 else ("gains", 1)
    low, high = sorted((size * change.low, size * change.high))
    ends = ends_text(low, high)
    size_shown = points(size * change.difference)
    return f"{who} {verb} {size_shown} points {ends} of accuracy on the released dataset {values}."


def _right(who: str, accuracy: MeasureRow) -> str:
    where = SET_NAMES.get(accuracy.items, accuracy.items)
    return f"{who} gives the right answer to {with_ends(estimate(accuracy))} of the items in the {where}."


def _lean(own: dict[str, MeasureRow]) -> str | None:
    pro, anti, lean = (own.get(name) for name in ("pro", "anti", "aggregate"))
    if not pro or not anti or pro.value is None or anti.value is None:
        return None
    where = SET_NAMES.get(pro.items, pro.items)
    shares = (
        f"On the {where} it answers with the stereotype in {with_ends(estimate(pro))} of the items and "
        f"against it in {with_ends(estimate(anti))}"
    )
    if lean is None or lean.value is None or lean.low is None or lean.high is None:
        return f"{shares}; {(lean and lean.note) or 'the difference has no interval'}."
    if lean.low <= 0 <= lean.high:
        ends = f"{points(lean.value)} points {ends_text(lean.low, lean.high)}"
        return f"{shares}: no lean to either side was found ({ends}, an interval that contains 0)."
    side, sign = ("towards", 1) if lean.value > 0 else ("against", -1)
    ends = ends_text(*sorted((sign * lean.low, sign * lean.high)))
    return f"{shares}: it leans {side} the stereotypes by {points(sign * lean.value)} points {ends}."
