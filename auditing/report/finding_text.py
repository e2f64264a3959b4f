"""The findings of an audit as sentences with intervals, which say what is uncertain."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.audit_records import ComparisonRow, MeasureRow, PreferenceRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.item_figures import SET_NAMES, estimate, measured_set
from nextset.auditing.report.number_table import Estimate, shown
from nextset.auditing.report.quad_figures import shown_preferences
from nextset.auditing.report.recorded_tables import forms, is_quads
from nextset.forms import FormName

__all__ = ["findings"]

_ROLES = {"held_out": "Held-out model ", "audit": "", "filter": "Filter model "}


def findings(audit: AuditTables) -> list[str]:
    """Return sentences on one model: a held-out model if there is one, else a model that only the audit
    names."""
    sentences: list[str] = []
    for form in forms(audit.measures):
        sentences += _quads(audit, form) if is_quads(form) else _items(audit, form)
    return sentences or ["No measure is defined on these items."]


def _items(audit: AuditTables, form: FormName) -> list[str]:
    rows = [r for r in audit.measures if (r.form, r.selection, r.by) == (form, "measured", "all")]
    main = measured_set(rows)
    own = _of_headline_model([r for r in rows if r.items == main])
    if not own:
        return []
    accuracy = own.get("accuracy")
    asked = ", asked with yes/no questions," if form == "qa" else ""
    sentences = []
    if accuracy and accuracy.value is not None:
        who = f"{_ROLES.get(accuracy.role, '')}{accuracy.model}{asked}"
        change = _change(audit.comparisons, accuracy)
        sentences.append(_loss(who, change) if change else _right(who, accuracy))
    lean = _lean(own)
    if lean:
        sentences.append(lean)
    return sentences


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


def _loss(who: str, change: ComparisonRow) -> str:
    before, after = (_per_cent(v) for v in (change.first_value, change.second_value))
    values = f"(right answers: {before} on the plain expansion, {after} on the released dataset)"
    if change.low is None or change.high is None:
        return (
            f"{who}: accuracy changes by {_points(change.difference)} points on the released dataset "
            f"{values}; there is no interval."
        )
    if change.low <= 0 <= change.high:
        ends = _ends(change.low, change.high)
        return (
            f"{who}: no difference in accuracy was found between the plain expansion and the released "
            f"dataset ({_points(change.difference)} points {ends}, an interval that contains 0)."
        )
    verb, size = ("loses", -1) if change.difference < 0 else ("gains", 1)
    low, high = sorted((size * change.low, size * change.high))
    ends = _ends(low, high)
    size_shown = _points(size * change.difference)
    return f"{who} {verb} {size_shown} points {ends} of accuracy on the released dataset {values}."


def _right(who: str, accuracy: MeasureRow) -> str:
    where = SET_NAMES.get(accuracy.items, accuracy.items)
    return f"{who} gives the right answer to {_with_ends(estimate(accuracy))} of the items in the {where}."


def _lean(own: dict[str, MeasureRow]) -> str | None:
    pro, anti, lean = (own.get(name) for name in ("pro", "anti", "aggregate"))
    if not pro or not anti or pro.value is None or anti.value is None:
        return None
    where = SET_NAMES.get(pro.items, pro.items)
    shares = (
        f"On the {where} it answers with the stereotype in {_with_ends(estimate(pro))} of the items and "
        f"against it in {_with_ends(estimate(anti))}"
    )
    if lean is None or lean.value is None or lean.low is None or lean.high is None:
        return f"{shares}; the difference has no interval."
    if lean.low <= 0 <= lean.high:
        ends = f"{_points(lean.value)} points {_ends(lean.low, lean.high)}"
        return f"{shares}: no lean to either side was found ({ends}, an interval that contains 0)."
    side, sign = ("towards", 1) if lean.value > 0 else ("against", -1)
    ends = _ends(*sorted((sign * lean.low, sign * lean.high)))
    return f"{shares}: it leans {side} the stereotypes by {_points(sign * lean.value)} points {ends}."


def _quads(audit: AuditTables, form: FormName) -> list[str]:
    """Return sentences about preferences with an interval only: the largest of many values are also large by
    chance."""
    every = [r for r in audit.measures if (r.form, r.selection, r.by) == (form, "all", "all")]
    main = measured_set(every)
    rows = [r for r in every if r.items == main and r.value is not None]
    if not rows:
        return []
    first = next(iter(_of_headline_model(rows).values()))
    own = [r for r in rows if r.model == first.model]
    who = f"{_ROLES.get(first.role, '')}{first.model}"
    things = "questions" if form == "question" else "masked statements"
    strongest = _largest(own, "mu")
    sentences: list[str] = []
    if strongest:
        about = f" about {strongest.subject_class}" if strongest.subject_class else ""
        sentences.append(
            f"{who} has its strongest preferences between subjects in the {strongest.n:,} quads of "
            f"{things}{about}: "
            f"μ = {_with_ends(estimate(strongest), 'fraction')} on a scale from 0 to 1."
        )
    classes = [strongest.subject_class] if strongest else list(dict.fromkeys(r.subject_class for r in own))
    linked = [
        r
        for subject_class in classes
        for r in shown_preferences(audit, form, subject_class)
        if r.model == first.model and r.attribute
    ]
    sentences += _preference(linked, "" if strongest else f"{who}: ")
    if not sentences:
        sentences.append(
            f"{who}: there are too few {things} for each subject and attribute to say which of its "
            "preferences are real."
        )
    sentences += _position(own, strongest)
    return sentences + (_released(every, strongest) if strongest else [])


def _largest(rows: Sequence[MeasureRow], measure: str) -> MeasureRow | None:
    """Return the row with the largest value of ``measure`` that has an interval."""
    known = [r for r in rows if r.measure == measure and r.low is not None and r.high is not None]
    return max(known, key=lambda r: (r.value or 0.0, r.subject_class), default=None)


def _preference(linked: Sequence[PreferenceRow], who: str) -> list[str]:
    known = [(r, r.gamma_low, r.gamma_high) for r in linked]
    intervals = [(r, low, high) for r, low, high in known if low is not None and high is not None]
    if not intervals:
        return []
    clear = [r for r, low, high in intervals if not low <= 0 <= high]
    expected = 0.05 * len(intervals)
    if not clear:
        all_of_them = "the only interval of a preference contains"
        if len(intervals) > 1:
            all_of_them = f"all {len(intervals):,} intervals of preferences contain"
        text = f"{all_of_them} 0, so no preference was found."
        return [who + text if who else text.capitalize()]
    top = max(clear, key=lambda r: (abs(r.gamma), r.subject, r.attribute))
    gamma = _with_ends(Estimate(top.gamma, top.gamma_low, top.gamma_high), "fraction")
    way = "for" if top.gamma > 0 else "against"
    largest = "only preference" if len(clear) == 1 else f"largest preference of the {len(clear):,}"
    return [
        f"{who or 'Its '}{'its ' if who else ''}{largest} whose interval does not contain 0 is {way} "
        f"“{top.subject}” with the attribute “{top.attribute}”: γ = {gamma}. {len(clear):,} of "
        f"{len(intervals):,} intervals {'does' if len(clear) == 1 else 'do'} not contain 0; about "
        f"{expected:,.0f} would be expected by chance."
    ]


def _position(rows: Sequence[MeasureRow], strongest: MeasureRow | None) -> list[str]:
    """Return a sentence on how much order and subjects change the scores, in the class of ``strongest`` if
    there is one."""
    named = strongest or _largest(rows, "mean_c")
    if named is None:
        return []
    here = {r.measure: r for r in rows if r.subject_class == named.subject_class}
    position, size = here.get("positional_error"), here.get("mean_c")
    if not position or not size:
        return []
    where = (
        f"In the quads about {named.subject_class}, the" if named.subject_class and not strongest else "The"
    )
    text = (
        f"{where} order of the subjects changes its scores by "
        f"{_with_ends(estimate(position), 'fraction')}, "
        f"and the subjects themselves by {_with_ends(estimate(size), 'fraction')} (mean |C|)"
    )
    apart = position.low is not None and size.high is not None and position.low > size.high
    return [text + (": position decides more than the subjects do." if apart else ".")]


def _released(rows: Sequence[MeasureRow], strongest: MeasureRow) -> list[str]:
    """Return a sentence on μ for the released quads, if they are a different set and μ has an interval."""
    place = ("released", strongest.model, strongest.subject_class)
    there = [r for r in rows if (r.items, r.model, r.subject_class) == place and r.items != strongest.items]
    released = _largest(there, "mu")
    if released is None:
        return []
    value = _with_ends(estimate(released), "fraction")
    return [f"On the {released.n:,} of these quads that the filter kept for such preferences, μ = {value}."]


def _of_headline_model(rows: Sequence[MeasureRow]) -> dict[str, MeasureRow]:
    alone = all(r.items == "dataset" for r in rows)  # an audit of a dataset is about the models that it names
    order = {"held_out": 1 if alone else 0, "audit": 0 if alone else 1, "filter": 2}
    known = [r for r in rows if r.value is not None]
    if not known:
        return {}
    first = min(known, key=lambda r: (order.get(r.role, 3), -(r.measure == "mu") * (r.value or 0.0), r.model))
    return {r.measure: r for r in rows if r.model == first.model}


def _with_ends(found: Estimate, unit: str = "per_cent") -> str:
    if unit == "fraction":
        value = shown(found.value, "fraction")
        ends = [shown(v, "fraction") for v in (found.low, found.high) if v is not None]
    else:
        value = _per_cent(found.value)
        ends = [_points(v) for v in (found.low, found.high) if v is not None]
    return f"{value} [{ends[0]},\N{NO-BREAK SPACE}{ends[1]}]" if len(ends) == 2 else f"{value} (no interval)"


def _per_cent(value: float | None) -> str:
    return f"{shown(value, 'per_cent')} %"


def _ends(low: float, high: float) -> str:
    return f"[{_points(low)},\N{NO-BREAK SPACE}{_points(high)}]"


def _points(value: float) -> str:
    return shown(value, "per_cent")
