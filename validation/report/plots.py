"""The plots of the validation report: SVG strings with the numbers written next to the marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from nextset.counted import counted
from nextset.html.plot_layers import Mark, draw, labels, points, rectangles, rules
from nextset.html.svg import ANTI, CELL_INK, PALE, QUIET, WIDTH
from nextset.validation.agreement.annotator_quality import JudgeRow, SpeedRow
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.report.report_records import DomainProgress, UnitsWith
from nextset.validation.verdict_model.prediction_records import VERDICTS

__all__ = ["confusion_plot", "coverage_plot", "domain_plot", "drift_plot", "gold_plot", "speed_plot"]

_MOST = 12
"""The most domains or people in a plot; the tables have all of them."""
_BAR = 210
"""The length of a bar of 100 %."""


def coverage_plot(rows: Sequence[UnitsWith]) -> str:
    """Return a plot of the units by number of judgments, with one bar per number."""
    most = max((row.units for row in rows), default=0) or 1
    bars = [(_judgments(row.judgments), row.units / most, counted(row.units, "units")) for row in rows]
    return _bar_plot(bars, "Units by number of judgments", "Judgments that count.")


def domain_plot(rows: Sequence[DomainProgress]) -> str:
    """Return a plot of the share of each domain's units that need no further judgments."""
    bars = [(r.domain, r.enough / max(1, r.units), _of(r.enough, r.units)) for r in rows[:_MOST]]
    return _bar_plot(bars, "Done, by domain", "Units that need no further judgments.")


def gold_plot(rows: Sequence[JudgeRow]) -> str:
    """Return a plot of each person's accuracy on gold items."""
    known = [(r.judge, r.gold.point, r.gold_n) for r in rows if r.gold is not None]
    bars = [(judge, share, _of(round(share * n), n)) for judge, share, n in known[:_MOST]]
    return _bar_plot(bars, "Correct on gold items", "Gold items have a known verdict.")


def confusion_plot(found: Sequence[ConfusionRow], who: str) -> str:
    """Return a heat map of the others' majority on a unit (rows) and the verdict of ``who`` (columns)."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in found:
        counts[row.reference, row.said] += row.n
    left, top, tall = 96, 42, 52
    wide = (WIDTH - left) / len(VERDICTS)
    cells: list[Mark] = []
    shares: list[Mark] = []
    names: list[Mark] = []
    for i, reference in enumerate(VERDICTS):
        total = sum(counts[reference, verdict] for verdict in VERDICTS)
        names.append({"x": 0, "y": top + tall * (i + 0.5), "text": reference})
        for j, verdict in enumerate(VERDICTS):
            share = counts[reference, verdict] / max(1, total)
            x, y = left + wide * j, top + tall * i
            place = {"x": x + 1, "x2": x + wide - 1, "y": y + 1, "y2": y + tall - 1}
            cells.append({**place, "colour": _shade(share)})
            text = f"{100 * share:.0f}%" if total else "–"
            shares.append({"x": x + wide / 2, "y": y + tall / 2, "text": text})
    across = [
        {"x": left + wide * (j + 0.5), "y": top - 12, "text": verdict} for j, verdict in enumerate(VERDICTS)
    ]
    arrows = [
        {"x": 0, "y": 8, "text": "the others ↓    " + ("one person" if not who else "this person") + " →"}
    ]
    height = top + tall * len(VERDICTS) + 4
    title = f"{who} and the others" if who else "One person and the others"
    said_aloud = "; ".join(f"{r} and {s}: {counts[r, s]:,}" for r in VERDICTS for s in VERDICTS)
    return draw(
        height,
        [
            rectangles(cells, height),
            labels(across, height, "center"),
            labels(shares, height, "center", colour=CELL_INK),
            labels(names, height, "left"),
            labels(arrows, height, "left", colour=QUIET),
        ],
        title,
        ["Each row sums to 100 %; agreement is on the diagonal."],
        f"{title}: the majority of the others on a unit, and the person's verdict. {said_aloud}",
    )


def drift_plot(rows: Sequence[JudgeRow]) -> str:
    """Return a plot of each person's agreement with the others in the first and last third of the answers."""
    return _courses(
        [(r.judge, [v for v in (r.first, r.last) if v is not None]) for r in rows],
        "Agreement with the others, over time",
        "The first and the last third of the answers.",
        lambda value: f"{100 * value:.0f}%",
        1.0,
    )


def speed_plot(rows: Sequence[SpeedRow]) -> str:
    """Return a plot of each person's median seconds per item, for each tenth of the answers."""
    people: dict[str, list[float]] = {}
    for row in rows:
        people.setdefault(row.judge, []).append(row.seconds_median)
    most = max((row.seconds_median for row in rows), default=0.0) or 1.0
    title, subtitle = "Seconds per item, over time", "Median of each tenth of a person's answers."
    return _courses(list(people.items()), title, subtitle, lambda value: f"{value:.0f} s", most)


def _bar_plot(bars: Sequence[tuple[str, float, str]], title: str, subtitle: str) -> str:
    """Return one bar per row, as long as its share, with its name above it and its number next to it."""
    marks: list[Mark] = []
    names: list[Mark] = []
    texts: list[Mark] = []
    for i, (name, share, text) in enumerate(bars):
        y = 46 * i
        names.append({"x": 0, "y": y + 10, "text": name})
        marks.append({"x": 0, "x2": _BAR, "y": y + 20, "y2": y + 36, "colour": PALE})
        marks.append({"x": 0, "x2": _BAR * share, "y": y + 20, "y2": y + 36, "colour": ANTI})
        texts.append({"x": _BAR + 6, "y": y + 28, "text": text})
    height = 46 * len(bars) + 4
    return draw(
        height,
        [rectangles(marks, height), labels(names, height, "left", bold=True), labels(texts, height, "left")],
        title,
        [subtitle],
        f"{title}. " + ", ".join(f"{name}: {text}" for name, _, text in bars),
    )


def _courses(
    rows: Sequence[tuple[str, Sequence[float]]],
    title: str,
    subtitle: str,
    shown: Callable[[float], str],
    most: float,
) -> str:
    """Return one line per person, below each other, since overlaid lines are hard to follow."""
    people = [(person, values) for person, values in rows if values][:_MOST]
    tall, side = 78, 46
    step = (WIDTH - 2 * side) / max(1, max((len(values) for _, values in people), default=1) - 1)
    floors: list[Mark] = []
    lines: list[Mark] = []
    dots: list[Mark] = []
    names: list[Mark] = []
    first: list[Mark] = []
    last: list[Mark] = []
    for i, (person, values) in enumerate(people):
        floor = tall * i + 70
        names.append({"x": 0, "y": tall * i + 10, "text": person})
        floors.append({"x": side, "x2": WIDTH - side, "y": floor, "y2": floor + 1, "colour": PALE})
        at: list[Mark] = [
            {"x": side + step * k, "y": floor - 36 * v / most, "colour": ANTI} for k, v in enumerate(values)
        ]
        dots += at
        lines += [{**a, "x2": b["x"], "y2": b["y"]} for a, b in pairwise(at)]
        first.append({"x": side - 9, "y": at[0]["y"], "text": shown(values[0])})
        if len(at) > 1:
            last.append({"x": at[-1]["x"] + 9, "y": at[-1]["y"], "text": shown(values[-1])})
    height = tall * len(people) + 4
    return draw(
        height,
        [
            rectangles(floors, height),
            rules(lines, height),
            points(dots, height),
            labels(names, height, "left", bold=True),
            labels(first, height, "right"),
            labels(last, height, "left"),
        ],
        title,
        [subtitle],
        f"{title}. " + "; ".join(f"{person}: {', '.join(map(shown, values))}" for person, values in people),
    )


def _shade(share: float) -> str:
    """Return a colour from white to the bars' blue, but never too dark for black text."""
    ends = [(255, int(ANTI[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * 0.8 * share):02x}" for a, b in ends)


def _judgments(n: int) -> str:
    return counted(n, "judgments") if n else "no judgment"


def _of(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f}% ({part:,} of {whole:,})"
