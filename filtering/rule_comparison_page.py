"""The page of the comparison of rules: one self-contained HTML page, without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.bootstrap_intervals import FEW
from nextset.counted import per_cent_text
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.plots import gap_plot
from nextset.filtering.rule_comparison import HeldOutDropRow, RuleRow
from nextset.forms import NLI, FormName
from nextset.html.page import page
from nextset.records.filter_tables import GapRow

__all__ = ["RuleComparison", "render"]


@dataclass(frozen=True, slots=True)
class RuleComparison:
    """The data of the page."""

    study: str
    """The study's name."""
    pairs: str
    """whole or apart."""
    rules: Sequence[RuleRow]
    """One row of means per rule."""
    cases: Sequence[HeldOutDropRow]
    """One row per rule and held-out model."""
    form: FormName = NLI.name
    """The form of the candidates."""


def render(data: RuleComparison) -> str:
    """Return the page as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    models = list(dict.fromkeys(case.held_out for case in data.cases))
    return page(
        Path(__file__).parent / "rule_comparison.html.j2",
        per_cent_text,
        data=data,
        form=FILTERING_FORMS[data.form],
        models=models,
        needed=FEW,
        builtin=[model for model in models if model.startswith("builtin:")],
        plots=[markupsafe.Markup(svg) for svg in _plots(data)],
        compared=[rule for rule in data.rules if rule.drop is not None],
        left_out=[rule for rule in data.rules if rule.note is not None],
        cases=[(rule, [c for c in data.cases if c.rule == rule.rule]) for rule in data.rules if rule.kept],
    )


def _plots(data: RuleComparison) -> list[str]:
    drawn = data.cases[0].drawn if data.cases else "items"
    n = data.cases[0].n if data.cases else 0
    compared = [rule for rule in data.rules if rule.drop is not None]
    means = [GapRow(r.rule, r.drop, r.low, r.high, drawn, n) for r in compared]
    least = [GapRow(r.rule, r.hardest_drop, r.hardest_low, r.hardest_high, drawn, n) for r in compared]
    names = {r.rule: f"{r.rule} ({per_cent_text(r.kept)} %)" for r in compared}
    return [
        gap_plot(means, names, "Fall of the held-out models' accuracy, mean"),
        gap_plot(least, names, "Fall of accuracy for the model that is hardest to fool"),
    ]
