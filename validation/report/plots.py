"""The plots of the report on a validation, each an SVG string with its numbers written beside its marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nextset.marks import Mark, draw, labels, points, rectangles, rules
from nextset.svg import ANTI, ERROR, INK, WIDTH
from validation.report.records import Confusion, Course, DomainProgress, GoldAccuracy, UnitsWith

__all__ = ["confusion_plot", "coverage_plot", "domain_plot", "drift_plot", "gold_plot", "speed_plot"]

_MOST = 12
"""Domains or people that a plot has room for; the tables have them all."""


def coverage_plot(rows: Sequence[UnitsWith]) -> str:
    """How many units have how many judgments: a bar a number."""
    texts = [f"{_judgments(row.judgments)}: {row.units:,}" for row in rows]
    most = max((row.units for row in rows), default=0)
    return _bar_plot(
        [(text, row.units / most if most else 0.0, "") for text, row in zip(texts, rows, strict=True)],
        "Units by number of judgments",
        ["Judgments that count."],
        texts,
    )


def domain_plot(rows: Sequence[DomainProgress]) -> str:
    """The share of each domain's units that nobody else has to judge."""
    shown = rows[:_MOST]
    bars = [(r.domain, r.enough / max(1, r.units), _of(r.enough, r.units)) for r in shown]
    return _bar_plot(
        bars,
        "Done, by domain",
        ["Units that nobody else has to judge."],
        [f"{name} {text}" for name, _, text in bars],
    )


def gold_plot(rows: Sequence[GoldAccuracy]) -> str:
    """Each person's accuracy on gold items."""
    bars = [(r.person, r.right / max(1, r.items), _of(r.right, r.items)) for r in rows[:_MOST]]
    return _bar_plot(
        bars,
        "Right on gold items",
        ["Items whose verdict is known beforehand."],
        [f"{name} {text}" for name, _, text in bars],
    )


def confusion_plot(found: Confusion) -> str:
    """A heat map: what one says, down, and what another says of the same unit, across."""
    n = len(found.labels)
    left, top, tall = 96, 42, 52
    wide = (WIDTH - left) / max(1, n)
    cells: list[Mark] = []
    texts: list[Mark] = []
    light: list[Mark] = []
    names = [
        {"x": left + wide * (i + 0.5), "y": top - 12, "text": label} for i, label in enumerate(found.labels)
    ]
    side = [{"x": 0, "y": top + tall * (i + 0.5), "text": label} for i, label in enumerate(found.labels)]
    said = []
    for i, (label, row) in enumerate(zip(found.labels, found.counts, strict=True)):
        for j, count in enumerate(row):
            share = count / max(1, sum(row))
            x, y = left + wide * j, top + tall * i
            cells.append(
                {"x": x + 1, "x2": x + wide - 1, "y": y + 1, "y2": y + tall - 1, "colour": _shade(share)}
            )
            middle = {
                "x": x + wide / 2,
                "y": y + tall / 2,
                "text": f"{100 * share:.0f}%" if sum(row) else "–",
            }
            (light if share > 0.6 else texts).append(middle)
            said.append(f"{label} and {found.labels[j]}: {count:,}")
    height = top + tall * n + 4
    who = f"{found.person} and the others" if found.person else "What people say of the same unit"
    return draw(
        height,
        [
            rectangles(cells, height),
            labels(names, height, "center"),
            labels(side, height, "left"),
            labels(texts, height, "center"),
            labels(light, height, "center", colour="#ffffff"),
            labels([{"x": 0, "y": 10, "text": "one says ↓   another says →"}], height, "left", colour=ERROR),
        ],
        who,
        ["Each row sums to 100 %; agreement is on the diagonal."],
        f"{who}: pairs of verdicts on the same unit. {'; '.join(said)}",
    )


def drift_plot(rows: Sequence[Course], stretch: int) -> str:
    """Each person's agreement with the others, from stretch to stretch."""
    return _courses(
        rows,
        "Agreement with the others, in time",
        [f"Share of others' verdicts on the same units, every {stretch} items."],
        lambda value: f"{100 * value:.0f}%",
        1.0,
    )


def speed_plot(rows: Sequence[Course], stretch: int) -> str:
    """Each person's median seconds an item, from stretch to stretch."""
    most = max((v for row in rows for v in row.values if v is not None), default=0.0)
    return _courses(
        rows,
        "Seconds an item, in time",
        [f"Median of every {stretch} items."],
        lambda value: f"{value:.0f} s",
        most or 1.0,
    )


def _bar_plot(
    bars: Sequence[tuple[str, float, str]], title: str, subtitle: list[str], said: Sequence[str]
) -> str:
    """A bar a row with its name over it and its number beside it; lengths are shares of the longest there can be."""
    marks: list[Mark] = []
    names: list[Mark] = []
    texts: list[Mark] = []
    for i, (name, share, text) in enumerate(bars):
        y, end = 46 * i, 210 * share
        names.append({"x": 0, "y": y + 10, "text": name})
        marks.append({"x": 0, "x2": 210, "y": y + 20, "y2": y + 36, "colour": "#e3e3dd"})
        marks.append({"x": 0, "x2": end, "y": y + 20, "y2": y + 36, "colour": ANTI})
        texts.append({"x": 216, "y": y + 28, "text": text})
    height = 46 * len(bars) + 4
    return draw(
        height,
        [rectangles(marks, height), labels(names, height, "left", bold=True), labels(texts, height, "left")],
        title,
        subtitle,
        f"{title}. {', '.join(said)}",
    )


def _courses(
    rows: Sequence[Course], title: str, subtitle: list[str], shown: Callable[[float], str], most: float
) -> str:
    """A line a person, one under the other: with several over each other nobody could be followed."""
    tall, left, right = 74, 46, 46
    names: list[Mark] = []
    lines: list[Mark] = []
    dots: list[Mark] = []
    first: list[Mark] = []
    last: list[Mark] = []
    floor: list[Mark] = []
    longest = max((len(row.values) for row in rows), default=1)
    step = (WIDTH - left - right) / max(1, longest - 1)
    people = rows[:_MOST]
    said = []
    for i, row in enumerate(people):
        base = tall * i + 66
        at = [(left + step * k, base - 38 * v / most, v) for k, v in enumerate(row.values) if v is not None]
        names.append({"x": 0, "y": tall * i + 10, "text": row.person})
        floor.append({"x": left, "x2": WIDTH - right, "y": base, "y2": base + 1, "colour": "#cccccc"})
        lines += [
            {"x": a[0], "y": a[1], "x2": b[0], "y2": b[1], "colour": ANTI}
            for a, b in zip(at, at[1:], strict=False)
        ]
        dots += [{"x": x, "y": y, "colour": ANTI} for x, y, _ in at]
        if at:
            first.append({"x": at[0][0] - 9, "y": at[0][1], "text": shown(at[0][2])})
        if len(at) > 1:
            last.append({"x": at[-1][0] + 9, "y": at[-1][1], "text": shown(at[-1][2])})
        said.append(f"{row.person}: {', '.join(shown(v) for _, _, v in at) or 'nothing yet'}")
    height = tall * len(people) + 4
    return draw(
        height,
        [
            rectangles(floor, height),
            rules(lines, height),
            points(dots, height),
            labels(names, height, "left", bold=True),
            labels(first, height, "right"),
            labels(last, height, "left"),
        ],
        title,
        subtitle,
        f"{title}. {'; '.join(said)}",
    )


def _shade(share: float) -> str:
    """From white to the blue of the bars."""
    ends = [(255, int(ANTI[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)


def _judgments(n: int) -> str:
    return "no judgment" if n == 0 else f"{n} judgment{'s' * (n > 1)}"


def _of(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f}% ({part:,} of {whole:,})"
