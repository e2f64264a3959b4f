"""The share of fills that readers find valid, and with, against or beside the claim, from their judgments."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.figures import figure
from nextset.interval import wilson

__all__ = ["reading_figures"]

FILE = Path(__file__).parents[1] / "studies" / "hard_and_valid" / "judgments" / "2026-11-29.csv"
RECIPE = "anchors, best 8 of 20"
BEFORE = "anchors, before the filter, "


def reading_figures() -> None:
    """Print the figures of each reader, each in per cent with Wilson's interval."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for judge in sorted({row["judge"] for row in rows}):
        own = [row for row in rows if row["judge"] == judge]
        kept = [row for row in own if row["setting"] == RECIPE]
        valid = [row for row in kept if row["verdict"] == "valid"]
        opposite = sum(row["stance"] != row["stance_design"] for row in valid)
        _share(f"valid of the kept items, {judge}", len(valid), len(kept), 75, least=True)
        _share(f"opposite of their stance, of the valid ones, {judge}", opposite, len(valid), 3, least=False)
        fills = [row for row in own if row["setting"].startswith(BEFORE)]
        agreed = sum(row["setting"] == BEFORE + _claim(row) for row in fills)
        _share(f"agreement on with, against and beside, {judge}", agreed, len(fills), 85, least=True)


def _claim(row: dict[str, str]) -> str:
    """Return the claim of a fill by its reader; the stance that it was made for has the fill's own claim."""
    if row["verdict"] != "valid":
        return "beside"
    made = row["setting"].removeprefix(BEFORE)
    if row["stance"] == row["stance_design"] and made != "beside":
        return made
    return "another"


def _share(name: str, hits: int, n: int, goal: float, *, least: bool) -> None:
    interval = wilson(hits, n)
    assert interval is not None
    low, share, high = (100 * end for end in (interval.low, interval.point, interval.high))
    ok = share >= goal if least else share <= goal
    goal_text = f"{'at least' if least else 'at most'} {goal:g}"
    figure(name, f"{share:.1f} [{low:.1f}, {high:.1f}] of {n}", goal_text, ok)
