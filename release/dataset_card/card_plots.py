"""The plots of a dataset card, as PNG images with a text alternative for readers who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.html.plot_layers import Mark, draw, labels, points, rectangles
from nextset.html.svg import ANTI, PRO, QUIET, WIDTH
from nextset.release.dataset_card.card_facts import CardImage
from nextset.release.dataset_card.paper_tables import ModelShift, PartStages

__all__ = ["CardPlot", "card_plots", "part_plot", "shift_plot", "stage_plot"]

MOST = 12
"""The most stereotypes, classes or models in a plot; the table has all of them."""
SCALE = 2.0
"""Pixels per unit of the plot."""
BARS = ("#B3B3B3", "#56B4E9", ANTI, PRO)
"""Colours of candidates, kept, checked and released rows: Okabe and Ito's palette, and a grey."""
BAR, GAP = 15, 4


@dataclass(frozen=True)
class CardPlot:
    """A plot as a PNG image."""

    image: CardImage
    """Its path in the dataset's folder, and its content as text."""
    png: bytes
    """The file."""


def card_plots(
    parts: Sequence[PartStages],
    totals: Sequence[PartStages],
    shifts: Sequence[ModelShift],
    noun: str = "stereotype",
) -> tuple[CardPlot, ...]:
    """Return the plots that have facts to show. The same facts give the same bytes.

    ``totals`` are the rows by domain (`totals_by_domain`); for quads give the parts themselves. ``noun`` is
    what a part is called: stereotype, or class of subjects.
    """
    shown = [shift for shift in shifts if shift.before is not None or shift.after is not None]
    return (
        *((stage_plot(totals),) if totals else ()),
        *((shift_plot(shown),) if shown else ()),
        *((part_plot(parts, noun),) if len(parts) > 1 else ()),
    )


def stage_plot(rows: Sequence[PartStages]) -> CardPlot:
    """Draw the rows of each domain, or of each part, after each stage; one bar per stage."""
    largest = _largest(rows, [row.candidates for row in rows])
    most = max((n or 0 for row in largest for _, n, _ in _stages(row)), default=0) or 1
    bars: list[Mark] = []
    names: list[Mark] = []
    numbers: list[Mark] = []
    y = 0
    for row in largest:
        names.append({"x": 0, "y": y + 8, "text": row.name})
        y += 20
        for stage, n, colour in _stages(row):
            if n is None:
                continue
            end = (WIDTH - 150) * n / most
            bars.append({"x": 0, "x2": max(end, 1), "y": y, "y2": y + BAR, "colour": colour})
            numbers.append({"x": max(end, 1) + 5, "y": y + BAR / 2, "text": f"{n:,} {stage}"})
            y += BAR + GAP
        y += 12
    listed = "; ".join(
        f"{row.name}: {', '.join(f'{n:,} {s}' for s, n, _ in _stages(row) if n is not None)}"
        for row in largest
    )
    return _plot(
        "images/stages.png",
        max(y - 12, 1),
        [rectangles(bars, y), labels(names, y, "left", bold=True), labels(numbers, y, "left")],
        "From candidates to the release",
        _subtitle("Rows after each stage", rows, largest),
        f"Rows after each stage. {listed}.",
    )


def shift_plot(rows: Sequence[ModelShift]) -> CardPlot:
    """Draw each model's measure among the candidates and among the kept rows, joined by a line."""
    shown = rows[:MOST]
    lines: list[Mark] = []
    rings: list[Mark] = []
    dots: list[Mark] = []
    left: list[Mark] = []
    right: list[Mark] = []
    names: list[Mark] = []
    height = 50 * len(shown)
    for i, row in enumerate(shown):
        y = 50 * i + 30
        names.append({"x": 0, "y": y - 22, "text": f"{row.model} ({row.role})"})
        values = sorted(v for v in (row.before, row.after) if v is not None)
        rings += [{"x": _place(v), "y": y, "colour": ANTI} for v in (row.before,) if v is not None]
        dots += [{"x": _place(v), "y": y, "colour": ANTI} for v in (row.after,) if v is not None]
        if values:
            ends = {"x": _place(values[0]), "x2": _place(values[-1])}
            lines.append({**ends, "y": y - 1, "y2": y + 1, "colour": QUIET})
            right.append({"x": _place(values[-1]) + 9, "y": y, "text": _per_cent(values[-1])})
        if len(values) == 2:
            left.append({"x": _place(values[0]) - 9, "y": y, "text": _per_cent(values[0])})
    measure = rows[0].measure
    listed = "; ".join(
        f"{r.model} ({r.role}): {_per_cent(r.before)} among the candidates, "
        f"{_per_cent(r.after)} among the kept rows"
        for r in shown
    )
    return _plot(
        "images/models.png",
        height,
        [
            rectangles(lines, height),
            points(rings, height, hollow=True),
            points(dots, height),
            labels(names, height, "left", bold=True),
            labels(right, height, "left"),
            labels(left, height, "right"),
        ],
        f"{measure[:1].upper()}{measure[1:]} before and after the filter",
        [
            "Ring: all candidates. Dot: kept rows.",
            *([f"{len(rows) - MOST} more models are in the table."] if len(rows) > MOST else []),
        ],
        f"{measure[:1].upper()}{measure[1:]} of each model before and after the filter. {listed}.",
    )


def part_plot(rows: Sequence[PartStages], noun: str = "stereotype") -> CardPlot:
    """Draw the released rows of each part, a ``noun``: originals, and counterfactuals after them."""
    largest = _largest(rows, [row.released for row in rows])
    most = max((row.released for row in largest), default=0) or 1
    height = 44 * len(largest)
    bars: list[Mark] = []
    names: list[Mark] = []
    numbers: list[Mark] = []
    paired = any(row.counterfactuals for row in rows)
    for i, row in enumerate(largest):
        y, step = 44 * i, (WIDTH - 130) / most
        names.append({"x": 0, "y": y + 8, "text": row.name})
        middle, end = step * row.originals, step * row.released
        bars.append({"x": 0, "x2": middle, "y": y + 19, "y2": y + 35, "colour": ANTI})
        bars.append({"x": middle, "x2": end, "y": y + 19, "y2": y + 35, "colour": "#E69F00"})
        text = f"{row.originals:,} + {row.counterfactuals:,}" if paired else f"{row.released:,}"
        numbers.append({"x": end + 5, "y": y + 27, "text": text})
    listed = "; ".join(
        f"{row.name}: {row.originals:,} originals, {row.counterfactuals:,} counterfactuals"
        if paired
        else f"{row.name}: {row.released:,}"
        for row in largest
    )
    return _plot(
        "images/parts.png",
        height,
        [rectangles(bars, height), labels(names, height, "left", bold=True), labels(numbers, height, "left")],
        f"The release by {noun}",
        _subtitle("Originals (blue) + counterfactuals (orange)" if paired else "Rows", rows, largest),
        f"Released rows by {noun}. {listed}.",
    )


def _stages(row: PartStages) -> list[tuple[str, int | None, str]]:
    checked = ("valid", row.valid) if row.form_ok is None else ("form ok", row.form_ok)
    counts = (("candidates", row.candidates), ("kept", row.kept), checked, ("released", row.released))
    return [(name, n, colour) for (name, n), colour in zip(counts, BARS, strict=True)]


def _largest(rows: Sequence[PartStages], sizes: Sequence[int]) -> list[PartStages]:
    """Return the rows with the largest sizes, in their original order."""
    order = sorted(range(len(rows)), key=lambda i: (-sizes[i], i))[:MOST]
    return [rows[i] for i in sorted(order)]


def _subtitle(text: str, rows: Sequence[PartStages], shown: Sequence[PartStages]) -> list[str]:
    more = len(rows) - len(shown)
    return [f"{text}.", *([f"The {len(shown)} largest; {more} more are in the table."] if more else [])]


def _place(value: float) -> float:
    """Return the position of a share, with space on both sides for the numbers."""
    return 60 + (WIDTH - 120) * value


def _per_cent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}%"


def _plot(
    path: str, height: int, layers: Sequence[object], title: str, subtitle: list[str], alt: str
) -> CardPlot:
    """Return the layers as a PNG on white, which is legible on dark pages too."""
    import vl_convert

    svg = draw(height, layers, title, subtitle, alt)
    head, _, body = svg.partition(">")
    white = f'{head}><rect width="100%" height="100%" fill="#ffffff"/>{body}'
    png = bytes(vl_convert.svg_to_png(white, scale=SCALE))
    return CardPlot(CardImage(path, alt), png)
