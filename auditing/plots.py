"""The plots of the audit report, as SVG strings with the numbers next to the marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.auditing.nli.measure_table import NEEDS_CONTRADICTION
from nextset.html.svg import (
    ANTI,
    CELL_INK,
    ERROR,
    FONT,
    HOLLOW,
    INK,
    PALE,
    PRO,
    QUIET,
    WIDTH,
    to_svg,
)

__all__ = ["StageCount", "accuracy_by_domain", "accuracy_plain_and_new", "bias_by_model", "survival_by_stage"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StageCount:
    """The items that a stage kept and dropped."""

    stage: str
    """The stage's name."""
    kept: int
    """Items that it passed on."""
    dropped: tuple[tuple[str, int], ...] = ()
    """Each reason for dropping items, with their number; empty if the stage drops none."""


def survival_by_stage(stages: Sequence[StageCount]) -> str:
    """Plot how many items each stage passed on: one bar per stage, the first at the top."""
    import altair as alt

    rows = [{"stage": s.stage, "items": s.kept, "text": f"{s.kept:,}"} for s in stages]
    most = max((s.kept for s in stages), default=0) or 1
    y = alt.Y(
        "stage:N",
        sort=None,
        title=None,
        axis=alt.Axis(ticks=False, labelLimit=110, labelPadding=4, labelColor=INK),
    )
    x = alt.X("items:Q", title=None, axis=None, scale=alt.Scale(domain=[0, most * 1.45], nice=False))
    base = alt.Chart({"values": rows}).encode(x=x, y=y)
    bars = base.mark_bar(color=ANTI, height=18)
    numbers = base.mark_text(align="left", dx=5, fontSize=FONT, color=INK).encode(text="text:N")
    return to_svg(
        (bars + numbers).properties(height=30 * len(rows)),
        title="Items that each stage passed on",
        subtitle=["Some stages add items of their own."],
        alt_text="Items that each stage passed on. " + ", ".join(f"{s.stage}: {s.kept:,}" for s in stages),
    )


def accuracy_plain_and_new(plain: pa.Table, new: pa.Table) -> str:
    """Plot each model's accuracy on the plain expansion and on the released dataset, joined by a line.

    Both tables come from `nextset.auditing.nli.measure_table.measure` without ``by``.
    """
    import altair as alt

    before, after = _by_model(plain), _by_model(new)
    rows: list[Row] = []
    for model, values in after.items():
        ends = {"plain": before.get(model, {}).get("accuracy"), "new": values["accuracy"]}
        rows += _ends(model, {k: v for k, v in ends.items() if v is not None})
    # room on both sides for the numbers outside the ends
    scale = alt.Scale(domain=[-0.22, 1.26], nice=False)
    axis = alt.Axis(values=[0, 0.5, 1], format=".0%", grid=True, gridColor=PALE, ticks=False)
    x = alt.X("value:Q", title=None, scale=scale, axis=axis)
    base = alt.Chart({"values": rows}).encode(x=x, y=_rows_of_models())
    line = base.mark_line(color=QUIET, strokeWidth=2).encode(detail="model:N")
    point = base.mark_point(size=90, strokeWidth=2, color=ANTI, opacity=1)
    hollow = point.transform_filter("datum.set == 'plain'").encode(fill=alt.value(HOLLOW))
    filled = point.transform_filter("datum.set == 'new'").encode(fill=alt.value(ANTI))
    number = base.encode(text="text:N")
    left = number.transform_filter("datum.side < 0").mark_text(align="right", dx=-9, fontSize=FONT, color=INK)
    right = number.transform_filter("datum.side > 0").mark_text(align="left", dx=9, fontSize=FONT, color=INK)
    shown = [f"{r['model']} {r['set']} {r['text']}" for r in rows]
    return to_svg(
        alt.layer(line, hollow, filled, left, right, _names(rows, 24)).properties(height=54 * len(after)),
        title="Accuracy by model",
        subtitle=["Hollow: plain expansion. Filled: released dataset."],
        alt_text="Accuracy on the plain expansion and on the released dataset. " + ", ".join(shown),
    )


def bias_by_model(new: pa.Table) -> str:
    """Plot the counterfactual pro, anti and error of each model on the released dataset: three bars each.

    The table comes from `nextset.auditing.nli.measure_table.measure` without ``by``.
    A model with two labels has no bars.
    """
    import altair as alt

    rows: list[Row] = []
    two_way = {_shown(r) for r in new.to_pylist() if (r["note"] or "").startswith(NEEDS_CONTRADICTION)}
    for model, values in _by_model(new).items():
        for kind in ("pro", "anti", "error"):
            value = values[f"counterfactual_{kind}"]
            unknown = "not measured" if model in two_way else "undefined"
            text = f"{kind} {unknown if value is None else _per_cent(value)}"
            rows.append({"model": model, "kind": kind, "value": value or 0.0, "text": text})
    most = max((r["value"] for r in rows), default=0.0) or 1.0
    x = alt.X("value:Q", title=None, axis=None, scale=alt.Scale(domain=[0, most * 1.45], nice=False))
    # the model's name is on a separate line above its bars
    offset = alt.YOffset("kind:N", sort=["name", "pro", "anti", "error"])
    base = alt.Chart({"values": rows}).encode(x=x, y=_rows_of_models(), yOffset=offset)
    colour = alt.Color(
        "kind:N", legend=None, scale=alt.Scale(domain=["pro", "anti", "error"], range=[PRO, ANTI, ERROR])
    )
    bars = base.mark_bar(height=15).encode(color=colour)
    numbers = base.mark_text(align="left", dx=5, fontSize=FONT, color=INK).encode(text="text:N")
    return to_svg(
        alt.layer(_names(rows, 0).encode(yOffset=offset), bars, numbers).properties(
            height=90 * len(rows) // 3
        ),
        title="Pro, anti and error by model",
        subtitle=[
            "Wrong answers with, against or ignoring the stereotype,",
            "as shares of the released dataset's items in pairs.",
        ],
        alt_text="Counterfactual measures. " + ", ".join(f"{r['model']} {r['text']}" for r in rows),
    )


def accuracy_by_domain(new_by_domain: pa.Table) -> str:
    """Plot each model's accuracy on each domain of the released dataset: one cell per model and domain.

    The table comes from `nextset.auditing.nli.measure_table.measure` with ``by="domain"``.
    """
    import altair as alt

    found = [r for r in new_by_domain.to_pylist() if r["measure"] == "accuracy" and r["value"] is not None]
    rows = [
        {"model": _shown(r), "domain": r["part"], "value": r["value"], "text": _per_cent(r["value"])}
        for r in found
    ]
    domains = sorted({r["domain"] for r in rows})
    models = {r["model"] for r in rows}
    room = (WIDTH - 8) // max(1, len(domains)) - 4
    axis = alt.Axis(
        orient="top", labelAngle=0, ticks=False, labelColor=INK, labelLimit=room, labelOverlap=False
    )
    x = alt.X("domain:N", sort=domains, title=None, axis=axis)
    base = alt.Chart({"values": rows}).encode(x=x, y=_rows_of_models())
    shade = alt.Color(
        "value:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=["#ffffff", ANTI], interpolate="rgb")
    )
    cells = base.mark_rect(height=28, yOffset=9, stroke="#999999").encode(color=shade)
    ink = alt.condition("datum.value > 0.95", alt.value("#ffffff"), alt.value(CELL_INK))
    numbers = base.mark_text(fontSize=FONT, yOffset=9).encode(text="text:N", color=ink)
    return to_svg(
        alt.layer(cells, numbers, _names(rows, 16)).properties(height=58 * len(models)),
        title="Released dataset: accuracy by domain",
        subtitle=["Darker is more accurate."],
        alt_text="Released dataset: accuracy by domain. "
        + ", ".join(f"{r['model']} {r['domain']} {r['text']}" for r in rows),
    )


def _by_model(table: pa.Table) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for row in table.to_pylist():
        found.setdefault(_shown(row), {})[row["measure"]] = row["value"]
    return found


def _shown(row: Row) -> str:
    return f"{row['model']} (held out)" if row["role"] == "held_out" else str(row["model"])


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _ends(model: str, ends: dict[str, float]) -> list[Row]:
    """Return one row per end of a model's line, with the side of its number."""
    lowest = min(ends, key=lambda name: ends[name], default="")
    return [
        {
            "model": model, "set": name, "value": value, "text": _per_cent(value),
            "side": -1 if name == lowest and len(ends) > 1 else 1,
        }
        for name, value in ends.items()
    ]  # fmt: skip


def _rows_of_models() -> Any:
    import altair as alt

    return alt.Y("model:N", sort=None, title=None, axis=None)


def _names(rows: Sequence[Row], above: int) -> Any:
    """Return a layer with each model's name above its marks: on a phone a name has no space next to them."""
    import altair as alt

    data = [{"model": name, "kind": "name"} for name in dict.fromkeys(r["model"] for r in rows)]
    text = alt.Chart({"values": data}).encode(y=_rows_of_models(), text="model:N", x=alt.value(0))
    return text.mark_text(
        align="left", yOffset=-above, fontSize=FONT, color=INK, limit=WIDTH - 8, fontWeight=600
    )
