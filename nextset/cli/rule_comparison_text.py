"""The comparison of filter rules as text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.artifacts.artifact import Artifact
from nextset.counted import per_cent_text
from nextset.filtering.rule_comparison import RuleRow

__all__ = ["comparison_text"]


def comparison_text(found: Artifact) -> str:
    """Return one line per rule, the meaning of the columns, and the page's path."""
    rules = [RuleRow(**row) for row in found.table("rules").to_pylist()]
    models = len(set(found.table("held_out")["held_out"].to_pylist()))
    return "\n".join(
        [
            *_lines([row for row in rules if row.drop is not None]),
            *(f"not compared: {row.rule}: {row.note}" for row in rules if row.note is not None),
            f"\nEach of {models} models is held out once, and the others choose; means are over these cases.",
            "The filter's report has only the study's own case, so its numbers differ. Numbers are falls of",
            "accuracy from all candidates to the kept ones, in points with 95 % intervals.",
            "* the rule of this study",
            f"page     {found.folder / 'index.html'}",
        ]
    )


def _lines(rules: Sequence[RuleRow]) -> list[str]:
    table = [("rule", "kept, mean", "choosers, mean", "held out, mean", "hardest to fool", "")]
    for row in rules:
        assert row.kept is not None
        table.append(
            (
                f"{row.rule} *" if row.own else row.rule,
                f"{100 * row.kept:.1f}%",
                per_cent_text(row.chooser_drop),
                _with_interval(row.drop, row.low, row.high),
                _with_interval(row.hardest_drop, row.hardest_low, row.hardest_high),
                row.hardest or "",
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i in (0, 5) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]


def _with_interval(value: float | None, low: float | None, high: float | None) -> str:
    return (
        per_cent_text(value)
        if low is None
        else f"{per_cent_text(value)} [{per_cent_text(low)}, {per_cent_text(high)}]"
    )
