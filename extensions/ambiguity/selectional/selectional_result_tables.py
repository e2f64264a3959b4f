"""The tables of questions with several right answers on the page: models, tests, odds ratios."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.extensions.ambiguity.ambiguous_questions import RefusedQuestion
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    GroupDifference,
    GroupTest,
)
from nextset.extensions.ambiguity.unanswered_groups import UnansweredGroup

__all__ = [
    "adjusted_table",
    "difference_table",
    "model_table",
    "refused_table",
    "selectional_notes",
    "silent_table",
    "test_table",
]

_RULES = {"shared_token": "shared word", "family_name": "family name"}


def model_table(models: Sequence[AnsweringModel]) -> NumberTable | None:
    """Return the models with the numbers of questions that they answer; None without models."""
    columns = (
        Column("Model"), Column("Answers from"), Column("Questions", "count"), Column("Answered", "count"),
        Column("Empty", "count"), Column("Missing", "count"), Column("Unknown ids", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            m.model, "nextset" if m.source == "asked" else "a file of predictions", m.questions, m.answered,
            m.empty, m.missing, m.unknown,
        )
        for m in models
    )  # fmt: skip
    return NumberTable("models", "Models and their answers", columns, lines) if lines else None


def refused_table(refused: Sequence[RefusedQuestion]) -> NumberTable | None:
    """Return the questions that balance excludes, with the reason; None without such questions."""
    columns = (Column("Question about"), Column("Id"), Column("Why names cannot be replaced"))
    lines: tuple[Row, ...] = tuple((r.item, r.key, r.reason) for r in refused)
    return NumberTable("refused", "Excluded questions", columns, lines) if lines else None


def silent_table(silent: Sequence[UnansweredGroup]) -> NumberTable | None:
    """Return the refused and cut-off answers by group; None if there are none."""
    columns = (
        Column("Model"), Column("Group"), Column("People asked about", "count"), Column("Refused", "count"),
        Column("Cut off", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple((s.model, s.group, s.answers, s.refused, s.cut_off) for s in silent)
    return (
        NumberTable("unanswered", "Refused and cut-off answers, by group", columns, lines) if lines else None
    )


def test_table(tests: Sequence[GroupTest]) -> NumberTable | None:
    """Return the chi-squared tests; None without tests."""
    columns = (
        Column("Model"), Column("Found by"), Column("Groups"), Column("Right answers", "count"),
        Column("χ²", "ratio"), Column("Degrees of freedom", "count"), Column("p", "p"),
        Column("p, corrected", "p"), Column("Cramér's V", "ratio"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            t.model, _RULES[t.rule], _groups(t), t.answers, Estimate(t.chi_squared), t.degrees,
            Estimate(t.p), Estimate(t.p_corrected), Estimate(t.cramers_v, t.low, t.high),
        )
        for t in tests
    )  # fmt: skip
    return NumberTable("tests", "Chi-squared tests between groups", columns, lines) if lines else None


def difference_table(differences: Sequence[GroupDifference]) -> NumberTable | None:
    """Return the differences between groups, with odds ratios; None without differences."""
    columns = (
        Column("Model"), Column("Found by"), Column("Groups"), Column("Difference in recall", "per_cent"),
        Column("p", "p"), Column("p, corrected", "p"), Column("Odds ratio", "ratio"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            d.model, _RULES[d.rule], f"{d.first} − {d.second}", Estimate(d.difference, d.low, d.high),
            Estimate(d.p), Estimate(d.p_corrected), Estimate(d.odds_ratio, d.odds_low, d.odds_high),
        )
        for d in differences
    )  # fmt: skip
    return NumberTable("differences", "Differences between groups", columns, lines) if lines else None


def adjusted_table(adjusted: Sequence[AdjustedOdds]) -> NumberTable | None:
    """Return the odds ratios among people in the same place, and of the same question; None without odds
    ratios."""
    columns = (
        Column("Model"), Column("Found by"), Column("Groups"), Column("Among people"),
        Column("Strata", "count"), Column("Right answers", "count"), Column("Odds ratio", "ratio"),
        Column("Interval of Robins et al.", "ratio"), Column("p", "p"), Column("p, corrected", "p"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            a.model, _RULES[a.rule], f"{a.first}, {a.second}",
            "in the same place" if a.strata == "position" else "of the same question", a.used, a.answers,
            Estimate(a.odds_ratio, a.low, a.high), Estimate(a.odds_ratio, a.odds_low, a.odds_high),
            Estimate(a.p), Estimate(a.p_corrected),
        )
        for a in adjusted
    )  # fmt: skip
    return (
        NumberTable("adjusted", "Groups in the same place, and within questions", columns, lines)
        if lines
        else None
    )


def selectional_notes(
    tests: Sequence[GroupTest], differences: Sequence[GroupDifference], adjusted: Sequence[AdjustedOdds]
) -> list[str]:
    """Return the notes on values, each listed once with its models."""
    by_note: dict[tuple[str, str], dict[str, None]] = {}
    for t in tests:
        by_note.setdefault((f"χ² of {_groups(t)}, {_RULES[t.rule]}", t.note or ""), {})[t.model] = None
    for d in differences:
        key = f"{d.first} − {d.second}, {_RULES[d.rule]}"
        by_note.setdefault((key, d.note or ""), {})[d.model] = None
    for a in adjusted:
        key = f"{a.first} and {a.second} by {a.strata}, {_RULES[a.rule]}"
        by_note.setdefault((key, a.note or ""), {})[a.model] = None
    return [f"{what}: {note} ({', '.join(models)})." for (what, note), models in by_note.items() if note]


def _groups(test: GroupTest) -> str:
    if len(test.groups) <= 4:
        return ", ".join(test.groups)
    return f"{len(test.groups)} groups{', with unknown' if test.with_unknown else ''}"
