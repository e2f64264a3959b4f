"""The findings of an audit of interventions, as sentences: does telling the model help?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.report.number_table import Estimate, estimate_text
from nextset.auditing.report.result_tables import measure_name, measure_unit
from nextset.counted import counted
from nextset.extensions.interventions.audit.intervention_figures import (
    HEADLINE,
    kinds_of,
    part_name,
    place_text,
)
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, TuningChange
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY
from nextset.forms import FORMS
from nextset.records.clear_questions import ClearQuestions, enough_right

__all__ = ["intervention_answer", "intervention_findings", "spoilt_readers", "tuning_findings"]

_READS = 0.6
"""A model that answers a smaller share of its twins correctly than this is said to hardly read contexts;
chance is 0.5."""
_KINDS = {"ethical": "ethical sentences", "trigger": "triggers", "adversarial": "adversarial sentences"}
_NOTHING = "No measure is defined on these rows."
_FORMS = {"question": "Questions", "statement": "Masked statements", "nli": "Premises and hypotheses"}


def intervention_answer(rows: Sequence[InterventionChange]) -> str:
    """Return one sentence on the first form, class, model and place, with the change by its first kind."""
    for kinds in _by_place(rows)[:1]:
        first = kinds[kinds_of(kinds.values())[0][0]]
        change = estimate_text(_change(first), measure_unit(first.form))
        missing = " (no interval)" if first.low is None else ""
        words = _KINDS.get(first.kind, f"{first.kind} sentences")
        return (
            f"{first.model}, {part_name(first)}: {_verdict(kinds)} (change of {measure_name(first.measure)} "
            f"with {words}: {change}{missing})."
        )
    return _NOTHING


def intervention_findings(rows: Sequence[InterventionChange]) -> list[str]:
    """Return a few sentences on the headline measure for each form, class, model and place."""
    return [" ".join(_sentences(kinds, rows)) for kinds in _by_place(rows)] or [_NOTHING]


def _by_place(rows: Sequence[InterventionChange]) -> list[dict[str, InterventionChange]]:
    """Return the changes of the headline measure by kind, for each form, class, model and place."""
    own = [r for r in rows if not r.intervention and r.selection == "all" and r.measure == HEADLINE[r.form]]
    groups: dict[tuple[str, ...], dict[str, InterventionChange]] = {}
    for row in own:
        if row.change is not None:
            key = (row.form, row.language, row.part, row.model, row.place)
            groups.setdefault(key, {})[row.kind] = row
    return list(groups.values())


def spoilt_readers(clear: Sequence[ClearQuestions]) -> list[str]:
    """Return a sentence on each tuned reader that would be refused elsewhere because it cannot read."""
    return [
        f"{c.model} answers {c.after} of {c.questions} canaries correctly, and {c.before} before "
        "tuning: tuning has spoilt it as a reader. Lower tuning.rate or tuning.steps."
        for c in clear
        if not enough_right(c.after, c.questions)
    ]


def tuning_findings(rows: Sequence[TuningChange]) -> list[str]:
    """Return a few sentences on how tuning changed μ, for each class, model and place."""
    groups: dict[tuple[str, ...], list[TuningChange]] = {}
    for row in rows:
        groups.setdefault((row.language, row.part, row.tuned, row.place), []).append(row)
    return [" ".join(_tuned(own)) for own in groups.values()]


def _tuned(rows: Sequence[TuningChange]) -> Iterator[str]:
    mine = {r.kind: r for r in rows if r.measure == HEADLINE["question"]}
    first = mine.get("ethical") or next(iter(mine.values()), None)
    if first is None:
        return
    yield f"{first.model} tuned on interventions, {part_name(first)}, sentences {place_text(first.place)},"
    yield f"on held-out sentences, templates and subjects ({counted(first.n, 'questions')}):"
    unit = measure_unit("question")
    change = Estimate(first.change, first.low, first.high)
    none = Estimate(first.change_without, first.low_without, first.high_without)
    with_sentences, without = (
        f"{estimate_text(Estimate(before), unit)} before tuning and {estimate_text(Estimate(after), unit)} "
        f"after it (change {estimate_text(changed, unit)})"
        for before, after, changed in (
            (first.before_with, first.after_with, change),
            (first.before_without, first.after_without, none),
        )
    )
    yield f"with {first.kind} sentences, {measure_name(first.measure)} is {with_sentences};"
    yield f"without a sentence, it is {without}."
    if first.low is None and first.note:
        yield f"Nothing follows from this change: {first.note}."
    for row in rows:
        if row.measure == TWIN_ACCURACY and row.kind == first.kind:
            before, after = (
                estimate_text(Estimate(v), "per_cent") for v in (row.before_with, row.after_with)
            )
            twins = counted(row.n, "specified twins", "specified twin")
            shares = f"{before} % of {twins} are right before tuning and {after} % after it"
            yield f"With {row.kind} sentences, {shares}."


def _sentences(kinds: dict[str, InterventionChange], rows: Sequence[InterventionChange]) -> Iterator[str]:
    order = [kind for kind, _ in kinds_of(kinds.values())]
    first = kinds[order[0]]
    measure = measure_name(first.measure)
    unit = measure_unit(first.form)
    rows_named = f"{_FORMS[first.form]} on {part_name(first)}"
    yield f"{rows_named}, {first.model}, interventions {place_text(first.place)}:"
    yield f"{_verdict(kinds)}."
    without = estimate_text(Estimate(first.value_without), unit)
    changes = ", ".join(f"{kind} {estimate_text(_change(kinds[kind]), unit)}" for kind in order)
    yield f"{measure} is {without} without a sentence; change: {changes}."
    if "ethical" in kinds and kinds["ethical"].beyond is not None:
        row = kinds["ethical"]
        more = estimate_text(Estimate(row.beyond, row.beyond_low, row.beyond_high), unit)
        yield f"Ethical sentences beyond irrelevant ones: {more}."
    yield from _twins([kinds[kind] for kind in order], rows)


def _verdict(kinds: dict[str, InterventionChange]) -> str:
    """Return the answer to the page's question, from the intervals; the effect beyond irrelevant sentences
    counts if it is known."""
    parts = []
    for kind, helps in (("ethical", True), ("trigger", True), ("adversarial", False)):
        row = kinds.get(kind)
        if row is None:
            continue
        words = _KINDS[kind]
        direction = _better(row, row.low, row.high)
        beyond = _better(row, row.beyond_low, row.beyond_high)
        if row.low is None:
            parts.append(f"nothing can be said about {words} ({row.note or 'no interval'})")
        elif beyond is not None and beyond != direction:
            how = "better" if beyond else "worse"
            parts.append(f"with {words} the model does {how} than with irrelevant ones")
        elif direction is None:
            parts.append(f"{words} make no clear difference")
        elif beyond is None and row.beyond_low is not None:
            parts.append(f"{words} change the measure, but no more than irrelevant ones do")
        elif direction == helps:
            parts.append(f"{words} help" if helps else f"{words} hurt")
        else:
            parts.append(f"{words} make the result worse" if helps else f"{words} do not hurt, they help")
    return "; ".join(parts) or "only irrelevant sentences were added"


def _better(row: InterventionChange, low: float | None, high: float | None) -> bool | None:
    """Return whether an interval is on the side of less bias; None if it contains 0 or is missing."""
    if low is None or high is None or low <= 0 <= high:
        return None
    return (high < 0) == FORMS[row.form].quads


def _twins(kinds: Sequence[InterventionChange], rows: Sequence[InterventionChange]) -> Iterator[str]:
    twins = [t for row in kinds for t in rows if _is_twin(t, row)]
    if not twins:
        return
    without = twins[0].value_without
    if without is not None and without < _READS:
        share = estimate_text(Estimate(without), "per_cent")
        answers = f"answers {share} % of specified twins correctly"
        yield f"The model {answers}, near chance: it hardly reads contexts."
        return
    for twin in twins:
        if twin.high is not None and twin.high < 0:
            lost = estimate_text(Estimate(twin.change, twin.low, twin.high), "per_cent")
            words = _KINDS.get(twin.kind, f"{twin.kind} sentences")
            yield f"With {words}, accuracy on twins changes by {lost} points: the model reads contexts worse."


def _is_twin(twin: InterventionChange, row: InterventionChange) -> bool:
    same = ("form", "language", "part", "selection", "model", "kind", "place", "intervention")
    return twin.measure == TWIN_ACCURACY and all(getattr(twin, n) == getattr(row, n) for n in same)


def _change(row: InterventionChange) -> Estimate:
    return Estimate(row.change, row.low, row.high)
