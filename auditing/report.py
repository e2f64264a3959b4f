"""The audit report: one self-contained HTML page, without scripts or requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from nextset.auditing.examples import AuditedModel, Example
from nextset.auditing.plots import (
    StageCount,
    accuracy_by_domain,
    accuracy_plain_and_new,
    bias_by_model,
    survival_by_stage,
)
from nextset.auditing.report_grids import KEPT_BY_RULE, grid, notes, results, survival_grid
from nextset.html.page import page

__all__ = ["ReportData", "render"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """The contents of a report."""

    study: str
    """The study's name."""
    about: str
    """The study's description of itself; may be empty."""
    dataset_name: str
    """The released dataset's name."""
    dataset_version: str
    """Its version."""
    dataset_path: str
    """Its path, as shown on the page."""
    judge: Literal["people", "rule"]
    """Who judged the items; rule: nobody, which a note at the top says."""
    stages: tuple[StageCount, ...]
    """The items that each stage kept and dropped, in the order of the stages."""
    survival: pa.Table
    """Columns domain, model, candidates, survived, from the filter's report by domain."""
    models: tuple[AuditedModel, ...]
    """The models, in the order of the tables; builtin: models put a note at the top."""
    plain: pa.Table
    """`nextset.auditing.nli.measure_table.measure` over the templates' plain expansion."""
    new: pa.Table
    """`nextset.auditing.nli.measure_table.measure` over the released dataset."""
    new_by_domain: pa.Table
    """The same by domain."""
    new_by_stereotype: pa.Table
    """The same by stereotype."""
    examples: tuple[Example, ...]
    """Released items to show, closed at first; may be empty."""
    versions: tuple[tuple[str, str], ...]
    """Programs and libraries, with their versions."""


def render(data: ReportData) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    return page(
        Path(__file__).parent / "report.html.j2",
        per_cent,
        data=data,
        builtin=[m.model for m in data.models if m.model.startswith("builtin:")],
        results=results(data.models, data.plain, data.new),
        notes=[*notes(data.plain, "Plain expansion"), *notes(data.new, "Released dataset")],
        survival=survival_grid(data.survival),
        kept_by_rule=KEPT_BY_RULE,
        by_domain=grid(data.new_by_domain, "accuracy"),
        by_stereotype=[(name, grid(data.new_by_stereotype, measure)) for name, measure in _BY_STEREOTYPE],
        plots=_plots(data),
    )


_BY_STEREOTYPE = (
    ("Accuracy", "accuracy"),
    ("Pro", "counterfactual_pro"),
    ("Anti", "counterfactual_anti"),
    ("Error", "counterfactual_error"),
)


def per_cent(value: float | None) -> str:
    """Return a fraction in per cent with two decimals and a true minus sign; a dash if it is undefined."""
    return "–" if value is None else f"{100 * value:.2f}".replace("-", "−")


def _plots(data: ReportData) -> dict[str, object]:
    """Return the plots as markup that is not escaped again: the renderer already escaped their texts."""
    import markupsafe

    drawn = {
        "survival": survival_by_stage(data.stages),
        "accuracy": accuracy_plain_and_new(data.plain, data.new),
        "bias": bias_by_model(data.new),
        "domains": accuracy_by_domain(data.new_by_domain),
    }
    return {name: markupsafe.Markup(svg) for name, svg in drawn.items()}
