"""What an audit of interventions found, in plain sentences: does telling the model help?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.interventions.intervention_records import InterventionChange
from nextset.auditing.interventions.twin_series import TWIN_ACCURACY
from nextset.auditing.report.intervention_figures import HEADLINE, kinds_of, part_name, place_text
from nextset.auditing.report.number_table import Estimate, estimate_text
from nextset.auditing.report.result_tables import measure_name, measure_unit

__all__ = ["intervention_findings"]

_READS = 0.6
"""A model that answers fewer of its twins rightly is said not to read the contexts; chance is 0.5."""
_FORMS = {"question": "Questions", "statement": "Masked statements", "nli": "Premises and hypotheses"}


def intervention_findings(rows: Sequence[InterventionChange]) -> list[str]:
    """Return a few sentences on the headline measure for each form, class, model and place."""
    own = [r for r in rows if not r.intervention and r.selection == "all" and r.measure == HEADLINE[r.form]]
    groups: dict[tuple[str, ...], dict[str, InterventionChange]] = {}
    for row in own:
        if row.change is not None:
            key = (row.form, row.language, row.part, row.model, row.place)
            groups.setdefault(key, {})[row.kind] = row
    found = [" ".join(_sentences(kinds, rows)) for kinds in groups.values()]
    return found or ["No measure is defined on these rows."]


def _sentences(kinds: dict[str, InterventionChange], rows: Sequence[InterventionChange]) -> Iterator[str]:
    order = [kind for kind, _ in kinds_of(kinds.values())]
    first = kinds[order[0]]
    measure = measure_name(first.measure)
    unit = measure_unit(first.form)
    yield f"{_FORMS[first.form]} on {part_name(first)}, {first.model}, told {place_text(first.place)}:"
    yield f"{_verdict(kinds)}."
    without = estimate_text(Estimate(first.value_without), unit)
    changes = ", ".join(f"{kind} {estimate_text(_change(kinds[kind]), unit)}" for kind in order)
    yield f"{measure} is {without} without any; change: {changes}."
    if "ethical" in kinds and kinds["ethical"].beyond is not None:
        row = kinds["ethical"]
        more = estimate_text(Estimate(row.beyond, row.beyond_low, row.beyond_high), unit)
        yield f"Ethical beyond irrelevant: {more}."
    yield from _twins([kinds[kind] for kind in order], rows)


def _verdict(kinds: dict[str, InterventionChange]) -> str:
    """The answer to the question of the page, from the intervals."""
    parts = []
    for kind, helps in (("ethical", True), ("trigger", True), ("adversarial", False)):
        row = kinds.get(kind)
        if row is None:
            continue
        direction = _better(row, row.low, row.high)
        beyond = None if row.beyond is None else _better(row, row.beyond_low, row.beyond_high)
        words = {"ethical": "ethical sentences", "trigger": "triggers", "adversarial": "adversarial ones"}[
            kind
        ]
        if direction is None:
            parts.append(f"{words} make no clear difference")
        elif beyond is None and row.beyond is not None:
            parts.append(f"{words} change it, but no more than irrelevant ones do")
        elif (beyond if row.beyond is not None else direction) == helps:
            parts.append(f"{words} help" if helps else f"{words} hurt")
        else:
            parts.append(f"{words} make it worse" if helps else f"{words} do not hurt, they help")
    return "; ".join(parts) or "only irrelevant sentences were added"


def _better(row: InterventionChange, low: float | None, high: float | None) -> bool | None:
    """Whether an interval lies on the side of less bias; None if it holds 0, or is missing."""
    if low is None or high is None or low <= 0 <= high:
        return None
    return (high < 0) == (row.form != "nli")


def _twins(kinds: Sequence[InterventionChange], rows: Sequence[InterventionChange]) -> Iterator[str]:
    twins = [t for row in kinds for t in rows if _is_twin(t, row)]
    if not twins:
        return
    without = twins[0].value_without
    if without is not None and without < _READS:
        share = estimate_text(Estimate(without), "per_cent")
        yield f"It answers {share} % of specified twins rightly, near chance: it hardly reads contexts."
        return
    for twin in twins:
        if twin.high is not None and twin.high < 0:
            lost = estimate_text(Estimate(twin.change, twin.low, twin.high), "per_cent")
            yield f"With {twin.kind} ones it answers twins worse, by {lost} points: they break the reading."


def _is_twin(twin: InterventionChange, row: InterventionChange) -> bool:
    same = ("form", "language", "part", "model", "kind", "place", "intervention")
    return twin.measure == TWIN_ACCURACY and all(getattr(twin, n) == getattr(row, n) for n in same)


def _change(row: InterventionChange) -> Estimate:
    return Estimate(row.change, row.low, row.high)
