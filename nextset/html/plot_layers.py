"""Layers of a plot with fixed positions: rectangles, lines, points and text, in the plot's units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nextset.html.svg import FONT, HOLLOW, INK, WIDTH, to_svg

__all__ = ["Mark", "draw", "labels", "points", "rectangles", "rules"]

Mark = dict[str, Any]
"""A mark with its position: x from 0 to WIDTH, y from 0 at the top to the plot's height."""


def draw(height: int, layers: Sequence[Any], title: str, subtitle: list[str], alt_text: str) -> str:
    """Return the layers on top of each other as an SVG."""
    import altair as alt

    chart = alt.layer(*layers).properties(height=max(1, height))
    return to_svg(chart, title=title, subtitle=subtitle, alt_text=alt_text)


def rectangles(marks: Sequence[Mark], height: int) -> Any:
    """Return rectangles from x, y to x2, y2 in their colour."""
    return _base(marks, height).mark_rect().encode(x2="x2:Q", y2="y2:Q", color=_colour("color"))


def rules(marks: Sequence[Mark], height: int, *, width: float = 2, dash: Sequence[int] = ()) -> Any:
    """Return straight lines from x, y to x2, y2 in their colour; ``dash`` is the length of dash and gap."""
    import altair as alt

    drawn = _base(marks, height).mark_rule(strokeWidth=width, strokeDash=list(dash) or alt.Undefined)
    return drawn.encode(x2="x2:Q", y2="y2:Q", color=_colour("color"))


def points(marks: Sequence[Mark], height: int, *, hollow: bool = False, size: float = 90) -> Any:
    """Return points at x, y in their colour, or rings; ``size`` is their area."""
    import altair as alt

    base = _base(marks, height).mark_point(size=size, opacity=1, strokeWidth=2).encode(color=_colour("color"))
    return base.encode(fill=alt.value(HOLLOW) if hollow else _colour("fill"))


def labels(
    marks: Sequence[Mark], height: int, align: str, *, bold: bool = False, colour: str = INK, angle: int = 0
) -> Any:
    """Return text at x, y, turned by ``angle`` degrees."""
    return _base(marks, height).mark_text(
        align=align, baseline="middle", fontSize=FONT, color=colour, limit=WIDTH - 8, angle=angle,
        fontWeight=600 if bold else 400,
    ).encode(text="text:N")  # fmt: skip


def _base(marks: Sequence[Mark], height: int) -> Any:
    import altair as alt

    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, WIDTH], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[max(1, height), 0], nice=False))
    return alt.Chart({"values": list(marks)}).encode(x=x, y=y)


def _colour(channel: str) -> Any:
    import altair as alt

    made = alt.Color if channel == "color" else alt.Fill
    return made("colour:N", scale=None, legend=None)
