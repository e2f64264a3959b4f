"""The plots of the filter's report: SVG strings with numbers next to the marks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from nextset.filtering.survival import OverlapRow
from nextset.html.plot_layers import Mark, draw, labels, points, rectangles
from nextset.html.svg import ANTI, ERROR, INK, PALE, QUIET, WIDTH
from nextset.records.filter_tables import GapRow

__all__ = ["Ends", "gap_plot", "overlap_plot", "shift_plot", "survival_plot"]

MOST = 10
"""The maximum number of combinations of models, or of parts of the set, in a plot."""
LINE = 20
"""Height of a line of text."""


@dataclass(frozen=True)
class Ends:
    """A model's value before and after the filter."""

    name: str
    """The model."""
    before: float | None
    """The value before, in [0, 1]; None if it is undefined."""
    after: float | None
    """The value after the filter."""


def overlap_plot(
    rows: Sequence[OverlapRow], models: Sequence[str], held_out: Collection[str] = frozenset()
) -> str:
    """Plot which models find the same candidates hard: a column per combination, a line of dots per model."""
    shown = [r for r in rows if r.models][:MOST]
    step = WIDTH / max(4, len(shown))
    most = max((r.candidates for r in shown), default=0) or 1
    bars, numbers, dots, names = [], [], [], []
    for i, row in enumerate(shown):
        x, top = (i + 0.5) * step, 120 - 95 * row.candidates / most
        bars.append({"x": x - step / 3, "x2": x + step / 3, "y": top, "y2": 120, "colour": ANTI})
        numbers.append({"x": x, "y": top - 9, "text": _short(row.candidates)})
        for m, model in enumerate(models):
            y = 120 + 2 * LINE * (m + 1) - 2
            dots.append({"x": x, "y": y, "colour": INK if model in row.models else PALE})
    for m, model in enumerate(models):
        names.append({"x": 0, "y": 120 + 2 * LINE * m + LINE - 4, "text": _named(model, model in held_out)})
    height = 120 + 2 * LINE * len(models) + 8
    summary = "; ".join(f"{', '.join(r.models)}: {r.candidates:,}" for r in shown)
    more = sum(1 for r in rows if r.models) - len(shown)
    return draw(
        height,
        [
            rectangles(bars, height),
            points(dots, height),
            labels(names, height, "left", bold=True),
            labels(numbers, height, "center"),
        ],
        "Candidates that several models find hard",
        [
            "Candidates that these models find hard and the others do not.",
            f"n = {sum(r.candidates for r in rows):,} candidates.",
            *([f"Rarer combinations that are only in the table: {more}."] if more else []),
        ],
        f"Candidates by the models that find them hard. {summary}",
    )


def survival_plot(rows: Iterable[tuple[str, int, int]], by: str) -> str:
    """Plot the share of each part's candidates that is kept: one bar per part, with its name above it.

    ``rows`` are part, candidates, kept; the largest parts are drawn.
    """
    bars, texts, names = [], [], []
    every = list(rows)
    largest = sorted(every, key=lambda r: -r[1])[:MOST]
    shown = [row for row in every if row in largest]
    for i, (part, candidates, kept) in enumerate(shown):
        y, share = 46 * i, kept / max(1, candidates)
        end = 210 * share
        names.append({"x": 0, "y": y + 10, "text": part})
        bars.append({"x": 0, "x2": end, "y": y + 20, "y2": y + 36, "colour": ANTI})
        text = f"{100 * share:.1f}% ({kept:,} of {candidates:,})"
        texts.append({"x": end + 5, "y": y + 28, "text": text})
    height = 46 * len(shown) + 4
    summary = ", ".join(f"{n['text']} {t['text']}" for n, t in zip(names, texts, strict=True))
    return draw(
        height,
        [rectangles(bars, height), labels(names, height, "left", bold=True), labels(texts, height, "left")],
        f"Share that is kept, by {by}",
        [
            "Shares of the candidates."
            if len(shown) == len(every)
            else "Shares of the candidates, for the largest parts."
        ],
        f"Share that is kept, by {by}. {summary}",
    )


def shift_plot(rows: Sequence[Ends], title: str, candidates: int, kept: int) -> str:
    """Plot each model's value among the candidates and among the kept items, joined by a line."""
    lines: list[Mark] = []
    hollow: list[Mark] = []
    filled: list[Mark] = []
    left: list[Mark] = []
    right: list[Mark] = []
    for i, row in enumerate(rows):
        y = 48 * i + 30
        ends = [(v, side) for v, side in ((row.before, hollow), (row.after, filled)) if v is not None]
        for value, side in ends:
            side.append({"x": _place(value), "y": y, "colour": ANTI})
        values = sorted(value for value, _ in ends)
        if values:
            lines.append({"x": _place(values[0]), "x2": _place(values[-1]), "y": y - 0.5, "y2": y + 0.5})
            right.append({"x": _place(values[-1]) + 9, "y": y, "text": _per_cent(values[-1])})
        if len(values) == 2:
            left.append({"x": _place(values[0]) - 9, "y": y, "text": _per_cent(values[0])})
    names = [{"x": 0, "y": 48 * i + 10, "text": row.name} for i, row in enumerate(rows)]
    height = 48 * len(rows) + 4
    summary = ", ".join(f"{r.name}: {_per_cent(r.before)} before, {_per_cent(r.after)} after" for r in rows)
    return draw(
        height,
        [
            rectangles([{**line, "colour": QUIET} for line in lines], height),
            points(hollow, height, hollow=True),
            points(filled, height),
            labels(names, height, "left", bold=True),
            labels(right, height, "left"),
            labels(left, height, "right"),
        ],
        title,
        [f"Hollow: all {candidates:,} candidates. Filled: the {kept:,} that are kept."],
        f"{title}. {summary}",
    )


def gap_plot(rows: Sequence[GapRow], names: dict[str, str], title: str) -> str:
    """Plot measures of the gap with their intervals; ``names`` has the captions of those to show."""
    shown = [r for r in rows if r.measure in names and r.value is not None]
    ends = [x for r in shown for x in (r.value, r.low, r.high) if x is not None]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    low, high = min(low, 0.0), max(high, 0.0)

    def place(value: float) -> float:
        return 10 + 340 * (value - low) / ((high - low) or 1)

    lines, dots, texts = [], [], []
    height = 48 * len(shown) + 4
    nought = {"x": place(0) - 0.5, "x2": place(0) + 0.5, "colour": QUIET}
    zero = [{**nought, "y": 48 * i + 20, "y2": 48 * i + 40} for i in range(len(shown))]
    for i, row in enumerate(shown):
        assert row.value is not None
        y = 48 * i
        texts.append({"x": 0, "y": y + 10, "text": f"{names[row.measure]}: {_points(row)}"})
        dots.append({"x": place(row.value), "y": y + 30, "colour": ANTI})
        if row.low is not None and row.high is not None:
            span = {"x": place(row.low), "x2": place(row.high)}
            lines.append({**span, "y": y + 29, "y2": y + 31, "colour": ERROR})
    return draw(
        height,
        [rectangles(zero + lines, height), points(dots, height), labels(texts, height, "left", bold=True)],
        title,
        [
            f"In percentage points{', with 95 % intervals' if lines else ''}; the tick is 0.",
            *(f"n = {n:,} {drawn}." for drawn, n in dict.fromkeys((r.drawn, r.n) for r in shown)),
        ],
        f"{title}. " + ", ".join(str(t["text"]) for t in texts),
    )


def _place(value: float) -> float:
    """Return the position of a share, with space on both sides for the numbers."""
    return 60 + (WIDTH - 120) * value


def _named(model: str, held_out: bool) -> str:
    return f"{model} (held out)" if held_out else model


def _per_cent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}%"


def _points(row: GapRow) -> str:
    assert row.value is not None
    interval = "" if row.low is None or row.high is None else f" ({_signed(row.low)} to {_signed(row.high)})"
    return _signed(row.value) + interval


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "−")


def _short(n: int) -> str:
    """Return a count in about four characters, to fit above a narrow bar."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if n >= 10 * size:
            return f"{n / size:.0f}{letter}"
        if n >= size:
            return f"{n / size:.1f}{letter}"
    return str(n)
