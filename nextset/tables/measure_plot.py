"""A plot of measures with their intervals, as a chart that can be saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nextset.errors import InputError
from nextset.html.svg import ANTI, INK, PALE, PRO, QUIET
from nextset.tables.given_tables import TableLike, given_table

if TYPE_CHECKING:
    from altair import VConcatChart

__all__ = ["plot"]

_NEEDED = ("model", "measure", "part", "value", "low", "high")
_COLOURS = (ANTI, PRO, "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK, QUIET)
"""Okabe and Ito's palette, for models."""
_WIDTH, _ROW = 420, 18
"""The width of a plot and the height of a model's row in a part, in pixels."""


def plot(measures: TableLike) -> VConcatChart:
    """Return a chart of ``measures``: one plot per measure, one row per part and model, with its interval.

    ``measures`` have the columns of the result of ``nextset.measure``. ``chart.save(FILE)`` writes SVG, PNG,
    PDF or HTML, by the file's ending. Raises InputError if a column or every value is missing.
    """
    import altair as alt

    from nextset.auditing.measures.measure import titled

    table = given_table(measures, "measures")
    missing = [name for name in _NEEDED if name not in table.column_names]
    if missing:
        raise InputError(
            f"the measures have no column {missing[0]!r}", remedy="give the result of nextset.measure"
        )
    rows = [row for row in table.to_pylist() if row["value"] is not None]
    if not rows:
        raise InputError("no measure has a value", remedy="read the column note of the measures")
    named = dict.fromkeys((row["measure"], row.get("subject_class") or "") for row in rows)
    models = list(dict.fromkeys(row["model"] for row in rows))
    charts = [
        _one_measure(
            [row for row in rows if (row["measure"], row.get("subject_class") or "") == name],
            " ".join(filter(None, (titled(name[0]), name[1]))),
            models,
        )
        for name in named
    ]
    chart: VConcatChart = (
        alt.vconcat(*charts, spacing=18)
        .configure_view(stroke=None)
        .configure_axis(domainColor=QUIET, gridColor=PALE, labelColor=INK, tickColor=QUIET, titleColor=INK)
        .configure_title(anchor="start", color=INK, fontSize=13)
    )
    return chart


def _one_measure(rows: list[dict[str, Any]], title: str, models: list[str]) -> Any:
    import altair as alt

    parts = list(dict.fromkeys(row["part"] for row in rows))
    shown = [{name: row[name] for name in _NEEDED} for row in rows]
    colour = alt.Color("model:N", sort=models, scale=alt.Scale(domain=models, range=list(_COLOURS)),
                       legend=alt.Legend(title=None, orient="top") if len(models) > 1 else None)  # fmt: skip
    base = alt.Chart({"values": shown}).encode(
        y=alt.Y("part:N", sort=parts, title=None, axis=alt.Axis(labelLimit=300)),
        yOffset=alt.YOffset("model:N", sort=models),
        color=colour,
    )
    ends = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=6)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("value:Q", title=None), tooltip=["model:N", "part:N", "value:Q", "low:Q", "high:Q"]
    )
    height = _ROW * len(parts) * max(1, len(models)) + 8
    return alt.layer(ends, points).properties(title=title, width=_WIDTH, height=height)
