"""The findings about questions and masked statements as sentences with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.audit_records import MeasureRow, PreferenceRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.finding_text import ROLES, of_headline_model, with_ends
from nextset.auditing.report.item_figures import estimate, measured_set
from nextset.auditing.report.number_table import Estimate, shown
from nextset.auditing.report.quad_figures import shown_preferences
from nextset.forms import FORMS, FormName

__all__ = ["quad_findings"]


def quad_findings(audit: AuditTables, form: FormName) -> list[str]:
    """Return sentences about preferences with an interval only: the largest of many values are also large by
    chance."""
    every = [r for r in audit.measures if (r.form, r.selection, r.by) == (form, "all", "all")]
    main = measured_set(every)
    rows = [r for r in every if r.items == main and r.value is not None]
    if not rows:
        return []
    first = next(iter(of_headline_model(rows).values()))
    own = [r for r in rows if r.model == first.model]
    who = f"{ROLES.get(first.role, '')}{first.model}"
    things = FORMS[form].noun
    strongest = _largest(own, "mu")
    sentences: list[str] = []
    if strongest:
        about = f" about {strongest.subject_class}" if strongest.subject_class else ""
        sentences.append(
            f"{who} has its strongest preferences between subjects in the {strongest.n:,} quads of "
            f"{things}{about}: "
            f"μ = {with_ends(estimate(strongest), 'fraction')} on a scale from 0 to 1."
            f"{_either_way(strongest)}"
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


def _either_way(row: MeasureRow) -> str:
    """Return a sentence on the bounds of a measure, if they lie outside its interval."""
    low, high = row.bound_low, row.bound_high
    if low is None or high is None or row.low is None or row.high is None:
        return ""
    if row.low <= low and high <= row.high:
        return ""
    ends = f"{shown(low, 'fraction')} and {shown(high, 'fraction')}"
    return f" With the quads that it did not answer counted either way, it lies between {ends}."


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
    gamma = with_ends(Estimate(top.gamma, top.gamma_low, top.gamma_high), "fraction")
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
        f"{with_ends(estimate(position), 'fraction')}, "
        f"and the subjects themselves by {with_ends(estimate(size), 'fraction')} (mean |C|)"
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
    value = with_ends(estimate(released), "fraction")
    return [f"On the {released.n:,} of these quads that the filter kept for such preferences, μ = {value}."]
