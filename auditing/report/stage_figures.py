"""The figures of a study's stages: items that were passed on, candidates kept by model, agreement of
annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from nextset.auditing.report.figure import Figure
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row, Unit
from nextset.auditing.report.report_data import AgreementLine, StageCount
from nextset.html.plot_layers import draw, labels, rectangles
from nextset.html.svg import ANTI, WIDTH

__all__ = ["KEPT_BY_RULE", "agreement_figure", "stage_figure", "survival_table"]

KEPT_BY_RULE = "any"
"""The name in a survival table for the candidates that the filter's rule keeps, regardless of the model."""
_COEFFICIENTS = {
    "per_cent": ("agree", "Judgments that agree, %"),
    "alpha": ("α", "Krippendorff's α"),
    "fleiss": ("κ", "Fleiss' κ"),
}
"""The name of each coefficient in the figure and in its table."""
_ROW, _LABEL, _NUMBER = 28, 116, 72


def stage_figure(stages: Sequence[StageCount]) -> Figure | None:
    """Return the figure of the items that each stage passed on, one bar per stage; None without stages."""
    if not stages:
        return None
    most = max(s.kept for s in stages) or 1
    scale = (WIDTH - _LABEL - _NUMBER) / most
    height = _ROW * len(stages)
    middle = [(i + 0.5) * _ROW for i in range(len(stages))]
    bars = [
        {"x": _LABEL, "x2": _LABEL + s.kept * scale, "y": y - 9, "y2": y + 9, "colour": ANTI}
        for s, y in zip(stages, middle, strict=True)
    ]
    names = [{"x": 0, "y": y, "text": s.stage} for s, y in zip(stages, middle, strict=True)]
    numbers = [
        {"x": _LABEL + s.kept * scale + 5, "y": y, "text": f"{s.kept:,}"}
        for s, y in zip(stages, middle, strict=True)
    ]
    title = "Items that each stage passed on"
    description = ", ".join(f"{s.stage}: {s.kept:,}" for s in stages)
    layers = [rectangles(bars, height), labels(names, height, "left"), labels(numbers, height, "left")]
    svg = draw(height, layers, title, ["Some stages also add items."], f"{title}. {description}")
    columns = (Column("Stage"), Column("Passed on", "count"), Column("Dropped", "count"), Column("Reasons"))
    lines = tuple(
        (s.stage, s.kept, sum(n for _, n in s.dropped), "; ".join(f"{why}: {n:,}" for why, n in s.dropped))
        for s in stages
    )
    reading = (
        "Each bar is the number of items that a stage passed on to the next one. The table has the reasons "
        "why items were dropped."
    )
    return Figure(reading, svg, NumberTable("stages", "Items by stage", columns, lines))


def survival_table(survival: pa.Table | None) -> NumberTable | None:
    """Return the share of candidates that are hard for each filter model, by part; None without candidates.

    The last row shows what the rule kept. Shares count all candidates of this run, which are not a sample, so
    shares have no interval.
    """
    if survival is None or not survival.num_rows:
        return None
    candidates: Counter[tuple[str, str]] = Counter()
    survived: Counter[tuple[str, str]] = Counter()
    for row in survival.to_pylist():
        for part in (row["part"], "all"):
            candidates[row["model"], part] += row["candidates"]
            survived[row["model"], part] += row["survived"]
    parts = (*sorted({part for _, part in candidates} - {"all"}), "all")
    models = sorted({model for model, _ in candidates}, key=lambda m: (m == KEPT_BY_RULE, m))
    lines = tuple(
        (
            "kept by the rule" if model == KEPT_BY_RULE else model,
            part,
            Estimate(survived[model, part] / candidates[model, part]) if candidates[model, part] else None,
            candidates[model, part],
        )
        for model in models
        for part in parts
        if (model, part) in candidates
    )
    columns = (
        Column("Model"), Column("Part"), Column("Hard or kept", "per_cent"), Column("Candidates", "count")
    )  # fmt: skip
    caption = "Candidates that are hard for each filter model, and that the rule kept, in per cent"
    return NumberTable("survival", caption, columns, lines)


def agreement_figure(lines: Sequence[AgreementLine]) -> Figure | None:
    """Return the figure of the agreement of annotators, overall and by domain; None if no coefficient is
    defined."""
    known = {
        (r.of, r.part, r.coefficient): r
        for r in lines
        if r.value is not None and r.by in ("all", "domain") and r.coefficient in _COEFFICIENTS
    }
    if not known:
        return None
    headings = dict.fromkeys((of, part) for of, part, _ in known)
    # percentages and coefficients that are corrected for chance have different scales: one kind per figure
    drawn = [c for c in ("alpha", "fleiss") if any(c == coefficient for *_, coefficient in known)] or [
        "per_cent"
    ]
    groups = [
        PlotGroup(
            f"{of}, {part}" if part else of,
            tuple(
                PlotRow(_COEFFICIENTS[c][0], _agreement(known[of, part, c]), ANTI, n=known[of, part, c].units)
                for c in drawn
                if (of, part, c) in known
            ),
        )
        for of, part in headings
    ]
    title = "Agreement of annotators"
    corrected = drawn != ["per_cent"]
    subtitle = "α: Krippendorff; κ: Fleiss. 1 is perfect, 0 is chance." if corrected else "In per cent."
    rows_drawn = [g for g in groups if g.rows]
    unit: Unit = "ratio" if corrected else "per_cent"
    svg = interval_plot(rows_drawn, unit, title, [subtitle], "units", (0.0, 1.0))
    named = [name for name in _COEFFICIENTS if any(name == coefficient for *_, coefficient in known)]
    units = {(of, part): r.units for (of, part, _), r in known.items()}
    columns = (
        Column("Ratings"), Column("Part"),
        *(Column(_COEFFICIENTS[c][1], "per_cent" if c == "per_cent" else "ratio") for c in named),
        Column("Units", "count"),
    )  # fmt: skip
    rows: tuple[Row, ...] = tuple(
        (of, part or "all", *(_agreement(known.get((of, part, c))) for c in named), units[of, part])
        for of, part in headings
    )
    reading = (
        "α and κ are corrected for chance; the per cent of judgments that agree, in the table, is not. Low "
        "agreement means that the verdicts are uncertain, and with them the items that the models are "
        "measured on."
    )
    caption = "Agreement of annotators, in per cent and as coefficients"
    return Figure(reading, svg, NumberTable("agreement", caption, columns, rows))


def _agreement(line: AgreementLine | None) -> Estimate:
    """Return a coefficient with its interval; a percentage as a fraction, for a column in per cent."""
    if line is None:
        return Estimate(None)
    scale = 100 if line.coefficient == "per_cent" else 1
    value, low, high = (None if v is None else v / scale for v in (line.value, line.low, line.high))
    return Estimate(value, low, high)
