"""A plot of values with their intervals: one row per value, with the numbers next to the marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.auditing.report.number_table import Estimate, Unit, estimate_text, shown
from nextset.html.plot_layers import Mark, draw, labels, points, rectangles, rules
from nextset.html.svg import ANTI, ERROR, INK, PALE, PRO, QUIET, WIDTH
from nextset.html.text_width import shortened, text_width

__all__ = ["PlotGroup", "PlotRow", "counts_text", "interval_plot", "side_colour"]

_ROW, _HEADING, _AXIS = 24, 30, 26
_LABEL, _NUMBER = 112, 128
"""The largest width of the labels on the left, and the width of the numbers on the right."""
_CHARACTER = 7.4
"""The width of a character, on average."""
_DIGIT = 6.4
"""The width of a character of a number with its interval, on average."""


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A value with its mark."""

    label: str
    """The text on its left."""
    estimate: Estimate
    """The value with its interval."""
    colour: str = INK
    """The colour of the mark."""
    mark: Literal["dot", "ring", "bar"] = "dot"
    """The shape of the mark."""
    n: int | None = None
    """The number of rows that the value is based on; None for a value that is not estimated."""


@dataclass(frozen=True, slots=True)
class PlotGroup:
    """Rows under a heading."""

    heading: str
    """The heading; may be empty."""
    rows: tuple[PlotRow, ...]


def interval_plot(
    groups: Sequence[PlotGroup],
    unit: Unit,
    title: str,
    subtitle: list[str],
    noun: str,
    ends: tuple[float, float] | None = None,
    numbers_width: int = _NUMBER,
) -> str:
    """Return the plot as SVG; screen readers read the numbers.

    Below ``subtitle``, it says how many of ``noun`` the values are based on, and that lines are intervals if
    there are any. The scale includes all values and ``ends``, and begins and ends at round values. Without
    ``ends``, 0 is in its middle. ``numbers_width`` is the least width of the numbers on the right.
    """
    rows = [row for group in groups for row in group.rows]
    known = [v for r in rows for v in (r.estimate.value, r.estimate.low, r.estimate.high) if v is not None]
    most = max((abs(v) for v in known), default=0.0)
    low, high = ends or (-most, most)
    low, high = min([low, *known]), max([high, *known])
    if unit != "rank":
        low, high = _round_ends(low, high)
    longest = max((text_width(row.label) for row in rows), default=0)
    widest = max((text_width(estimate_text(row.estimate, unit)) for row in rows), default=0)
    right = max(numbers_width, round(widest * _DIGIT))
    scale = _Scale(low, high, min(_LABEL, round(longest * _CHARACTER)), right)
    headings: list[Mark] = []
    names: list[Mark] = []
    numbers: list[Mark] = []
    whiskers: list[Mark] = []
    shapes: dict[str, list[Mark]] = {"dot": [], "ring": [], "bar": []}
    lines: list[Mark] = []
    y = 0.0
    for group in groups:
        if group.heading:
            headings.append({"x": 0, "y": y + _HEADING / 2 + 3, "text": shortened(group.heading, 46)})
            y += _HEADING
        lines += _grid(scale, y, y + _ROW * len(group.rows))
        for row in group.rows:
            middle = y + _ROW / 2
            names.append({"x": 0, "y": middle, "text": shortened(row.label, int(_LABEL / _CHARACTER))})
            numbers.append({"x": WIDTH, "y": middle, "text": estimate_text(row.estimate, unit)})
            whiskers += _whisker(row, scale, middle)
            if row.estimate.value is not None:
                shapes[row.mark].append(_shape(row, scale, middle))
            y += _ROW
    height = round(y) + _AXIS
    layers = [
        rules(lines, height, width=1),
        rectangles(shapes["bar"], height),
        rules(whiskers, height, width=1.5),
        points(shapes["ring"], height, hollow=True, size=40),
        points(shapes["dot"], height, size=40),
        labels(headings, height, "left", bold=True),
        labels(names, height, "left"),
        labels(numbers, height, "right"),
        labels(_ticks(scale, y, unit), height, "center", colour=QUIET),
    ]
    description = ", ".join(
        f"{group.heading} {row.label} {estimate_text(row.estimate, unit)}".strip()
        for group in groups
        for row in group.rows
    )
    drawn_from = counts_text([row.n for row in rows], noun)
    if whiskers and unit != "rank":
        drawn_from += " Lines:\N{NO-BREAK SPACE}95\N{NO-BREAK SPACE}%\N{NO-BREAK SPACE}intervals."
    return draw(height, layers, title, [*subtitle, drawn_from], f"{title}. {description}")


def counts_text(counts: Sequence[int | None], noun: str) -> str:
    """Return the number, or the range of numbers, of ``noun`` that a figure is drawn from; "" without any."""
    known = [n for n in counts if n is not None]
    ends = sorted({min(known), max(known)}) if known else []
    return f"n = {' to '.join(f'{n:,}' for n in ends)} {noun}." if known else ""


def side_colour(estimate: Estimate, p: float | None) -> str:
    """Return blue for an interval left of 0 and orange for one right of it; grey if it contains 0 or is
    missing, or if the corrected p-value ``p`` is not below 0.05."""
    if estimate.low is None or estimate.high is None or p is None or p >= 0.05:
        return ERROR
    return ANTI if estimate.high < 0 else PRO if estimate.low > 0 else ERROR


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return multiples of a power of ten, or of half of it, at or beyond the ends; at least of 0.001."""
    span = high - low or 1.0
    step = 10.0 ** math.floor(math.log10(span))
    step = max(0.001, step if span >= 5 * step else step / 2)
    return step * math.floor(round(low / step, 9)), step * math.ceil(round(high / step, 9))


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    label: int
    """The width of the labels on the left."""
    numbers: int
    """The width of the numbers on the right."""

    def x(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.label + 10 + share * (WIDTH - self.label - self.numbers - 20)


def _places(scale: _Scale) -> list[float]:
    """Return the values with a vertical line: both ends, and 0 if it is between them."""
    return sorted({scale.low, scale.high, *([0.0] if scale.low < 0 < scale.high else [])})


def _grid(scale: _Scale, top: float, bottom: float) -> list[Mark]:
    places = [scale.x(value) for value in _places(scale)]
    return [{"x": x, "x2": x, "y": top, "y2": bottom, "colour": PALE} for x in places]


def _ticks(scale: _Scale, bottom: float, unit: Unit) -> list[Mark]:
    """Return the numbers under the lines; 0 is omitted if it is close to an end."""
    span = scale.high - scale.low
    values = [
        v for v in _places(scale) if v in (scale.low, scale.high) or min(-scale.low, scale.high) > span / 3
    ]
    return [{"x": scale.x(v), "y": bottom + 13, "text": _tick(v, unit)} for v in values]


def _tick(value: float, unit: Unit) -> str:
    text = shown(value, unit)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _whisker(row: PlotRow, scale: _Scale, y: float) -> list[Mark]:
    low, high = row.estimate.low, row.estimate.high
    if low is None or high is None:
        return []
    ends = [scale.x(low), scale.x(high)]
    colour = INK if row.mark == "bar" else row.colour
    line = {"x": ends[0], "x2": ends[1], "y": y, "y2": y, "colour": colour}
    return [line, *({"x": x, "x2": x, "y": y - 4, "y2": y + 4, "colour": colour} for x in ends)]


def _shape(row: PlotRow, scale: _Scale, y: float) -> Mark:
    value = row.estimate.value or 0.0
    if row.mark == "bar":
        x = sorted((scale.x(0.0), scale.x(value)))
        return {"x": x[0], "x2": x[1], "y": y - 7, "y2": y + 7, "colour": row.colour}
    return {"x": scale.x(value), "y": y, "colour": row.colour, "fill": row.colour}
