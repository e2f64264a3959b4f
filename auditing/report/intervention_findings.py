"""What an audit of interventions found, in plain sentences: does telling the model help?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.interventions.intervention_records import InterventionChange
from nextset.auditing.interventions.twin_series import TWIN_ACCURACY
from nextset.auditing.report.intervention_figures import HEADLINE, place_text
from nextset.auditing.report.number_table import Estimate, estimate_text
from nextset.auditing.report.result_tables import measure_name, measure_unit

__all__ = ["intervention_findings"]

_READS = 0.6
"""A model whose twins are answered less often than this is said not to read the contexts."""


def intervention_findings(rows: Sequence[InterventionChange]) -> list[str]:
    """Return a sentence for each form, class, model, kind and place on the headline measure."""
    found = []
    for row in rows:
        if row.intervention or row.selection != "all" or row.measure != HEADLINE[row.form]:
            continue
        if row.change is not None:
            found.append(" ".join(_sentence(row, rows)))
    return found or ["No measure is defined on these rows."]


def _sentence(row: InterventionChange, rows: Sequence[InterventionChange]) -> Iterator[str]:
    unit, measure = measure_unit(row.form), measure_name(row.measure)
    change = estimate_text(Estimate(row.change, row.low, row.high), unit)
    who = f"{row.part.replace('_', ' ')}, {row.model}: {_kind(row)} {place_text(row.place)}"
    verb = _verb(row.low, row.high)
    yield (
        f"{who} {verb} {measure} by {change}."
        if verb
        else f"{who} give no clear change of {measure}: {change}."
    )
    if row.beyond is not None and verb:
        more = estimate_text(Estimate(row.beyond, row.beyond_low, row.beyond_high), unit)
        if _verb(row.beyond_low, row.beyond_high):
            yield f"That is {more} beyond what irrelevant sentences do."
        else:
            yield f"Irrelevant sentences do about the same (difference {more}): it is not what they say."
    twins = next((t for t in rows if _is_twin(t, row)), None)
    if twins is not None and twins.value_without is not None and twins.value_without < _READS:
        share = estimate_text(Estimate(twins.value_without), "per_cent")
        yield f"Without any, it answers {share} % of specified twins, and chance is 50 %: it hardly reads."
    elif twins is not None and twins.high is not None and twins.high < 0:
        lost = estimate_text(Estimate(twins.change, twins.low, twins.high), "per_cent")
        yield f"It also answers specified twins worse, by {lost} points: it breaks the reading."


def _is_twin(twin: InterventionChange, row: InterventionChange) -> bool:
    same = ("form", "language", "part", "model", "kind", "place", "intervention")
    return twin.measure == TWIN_ACCURACY and all(getattr(twin, n) == getattr(row, n) for n in same)


def _verb(low: float | None, high: float | None) -> str:
    if low is None or high is None or low <= 0 <= high:
        return ""
    return "lower" if high < 0 else "raise"


def _kind(row: InterventionChange) -> str:
    if row.kind == "trigger":
        return "a trigger" if row.sentences == 1 else f"{row.sentences} triggers"
    article = "an" if row.sentences == 1 else str(row.sentences)
    return f"{article} {row.kind} sentence{'s' * (row.sentences != 1)}"
