"""The figures of questions with several right answers: recall by group and order, and of copies."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot, side_colour
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.extensions.ambiguity.selectional.name_matching import Rule
from nextset.extensions.ambiguity.selectional.selectional_findings import HEADLINE
from nextset.extensions.ambiguity.selectional.selectional_records import CopySwap, GroupRecall, OrderRecall
from nextset.html.svg import ANTI, ERROR, INK, PRO
from nextset.word_lists.group_labels import women_first

__all__ = ["order_figure", "recall_figure", "swap_figure"]

_COLOURS = (PRO, ANTI, INK)
_RULES: dict[Rule, str] = {
    "shared_token": "an answer finds a person if they share a word",
    "family_name": "an answer finds a person if it gives the family name",
}
_READINGS: dict[Rule, str] = {
    "shared_token": (
        "Each row is the share of a group's right answers that the model finds. A question has several right "
        "answers, and a model that gives one of them is right, so 100 % cannot be expected. Equal shares can."
    ),
    "family_name": (
        "An answer must give the whole family name, and the name of the law or effect in the question does "
        "not count. If this figure differs from the figure by shared words, some answers give only "
        "fragments of names."
    ),
}
_SHOWN = 8
"""The largest number of groups in a figure: those with the most answers; the table has all."""


def recall_figure(recall: Sequence[GroupRecall], rule: Rule) -> Figure | None:
    """Return the figure of the recall of each group, by model; None without answers."""
    own = [r for r in recall if r.rule == rule and r.answers]
    if not own:
        return None
    names = short_names(list(dict.fromkeys(r.model for r in own)), 40)
    colours = group_colours([r.group for r in own])
    groups = [
        PlotGroup(
            names[model],
            tuple(
                PlotRow(r.group, Estimate(r.recall, r.low, r.high), colours[r.group], n=r.answers)
                for r in _largest([r for r in own if r.model == model])
            ),
        )
        for model in names
    ]
    title = "Right answers that are found" if rule == HEADLINE else "Right answers found, by family name"
    subtitle = [_RULES[rule].capitalize() + "."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "right answers", (0.0, 1.0))
    columns = (
        Column("Model"), Column("Group"), Column("Right answers", "count"), Column("Found", "count"),
        Column("Recall", "per_cent"), Column("Wilson's interval", "per_cent"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            r.model, r.group, r.answers, r.found, Estimate(r.recall, r.low, r.high),
            Estimate(r.recall, r.wilson_low, r.wilson_high),
        )
        for r in own
    )  # fmt: skip
    return Figure(
        _READINGS[rule], svg, NumberTable(f"recall-{rule.replace('_', '-')}", title, columns, lines)
    )


def order_figure(order: Sequence[OrderRecall]) -> Figure | None:
    """Return the figure of the recall of people mentioned first and later, by model and group; None without
    answers."""
    own = [r for r in order if r.rule == HEADLINE and (r.first_answers or r.later_answers)]
    if not own:
        return None
    names = short_names(list(dict.fromkeys(r.model for r in own)), 40)
    groups = []
    for model in names:
        mine = [r for r in own if r.model == model]
        shown = [mine[0], *sorted(mine[1:], key=_size, reverse=True)[:_SHOWN]] if len(mine) > _SHOWN else mine
        marks: list[PlotRow] = []
        for r in shown:
            what = r.group or "all"
            first = Estimate(r.first_recall, r.first_low, r.first_high)
            later = Estimate(r.later_recall, r.later_low, r.later_high)
            marks += [
                PlotRow(f"{what}, first", first, n=r.first_answers),
                PlotRow(f"{what}, later", later, ERROR, "ring", r.later_answers),
            ]
        groups.append(PlotGroup(names[model], tuple(marks)))
    title = "Recall by order of mention"
    subtitle = ["Black: mentioned first; grey: mentioned later."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "right answers", (0.0, 1.0))
    columns = (
        Column("Model"), Column("Group"), Column("First", "count"), Column("Found", "count"),
        Column("Recall", "per_cent"), Column("Later", "count"), Column("Found later", "count"),
        Column("Recall later", "per_cent"), Column("Difference", "per_cent"), Column("p, corrected", "p"),
        Column("Not mentioned", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            r.model, r.group or "all", r.first_answers, r.first_found,
            Estimate(r.first_recall, r.first_low, r.first_high), r.later_answers, r.later_found,
            Estimate(r.later_recall, r.later_low, r.later_high), Estimate(r.difference, r.low, r.high),
            Estimate(r.p_corrected), r.unmentioned,
        )
        for r in own
    )  # fmt: skip
    reading = (
        "People whom the context mentions first are compared with those it mentions later. If one group is "
        "mentioned first more often, a model that prefers the first person also seems to prefer that "
        "group: compare groups among people in the same place (table “Groups in the same place”)."
    )
    return Figure(reading, svg, NumberTable("order", title, columns, lines))


def swap_figure(swaps: Sequence[CopySwap]) -> Figure | None:
    """Return the figure of the paired differences of copies whose names have other groups; None without
    copies."""
    own = [r for r in swaps if r.rule == HEADLINE]
    if not own:
        return None
    names = short_names(list(dict.fromkeys(r.model for r in own)), 40)
    groups = [
        PlotGroup(
            names[model],
            tuple(
                PlotRow(f"{r.first} − {r.second}", change, side_colour(change, r.p_corrected), n=r.pairs)
                for r in own
                if r.model == model
                for change in [Estimate(r.difference, r.low, r.high)]
            ),
        )
        for model in names
    ]
    title = "The same person with a name of either group"
    subtitle = ["Left of 0: the second group is found more."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "pairs")
    columns = (
        Column("Model"), Column("Groups"), Column("Pairs", "count"), Column("Both", "count"),
        Column("Only first", "count"), Column("Only second", "count"), Column("Neither", "count"),
        Column("Difference", "per_cent"), Column("p", "p"), Column("p, corrected", "p"),
        Column("McNemar's p", "p"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            r.model, f"{r.first}, {r.second}", r.pairs, r.both, r.only_first, r.only_second, r.neither,
            Estimate(r.difference, r.low, r.high), Estimate(r.p), Estimate(r.p_corrected),
            Estimate(r.exact_p),
        )
        for r in own
    )  # fmt: skip
    reading = (
        "Copies of a question differ only in the people's names. A pair is one person, once with a name of "
        "the first group and once with a name of the second. The difference is the share of pairs found "
        "only with a name of the first group minus the share found only with a name of the second. Grey: no "
        "clear difference, or none after correction."
    )
    return Figure(reading, svg, NumberTable("swaps", title, columns, lines))


def group_colours(groups: Sequence[str]) -> dict[str, str]:
    """Return a colour for each of two or three groups; black for more, grey for unknown."""
    known = women_first(set(groups) - {"unknown"})
    colours = {group: _COLOURS[i] if len(known) <= len(_COLOURS) else INK for i, group in enumerate(known)}
    return {**colours, "unknown": ERROR}


def _largest(rows: Sequence[GroupRecall]) -> list[GroupRecall]:
    """Return the rows of the groups with the most answers, in their order."""
    if len(rows) <= _SHOWN:
        return list(rows)
    kept = {r.group for r in sorted(rows, key=lambda r: (-r.answers, r.group))[:_SHOWN]}
    return [r for r in rows if r.group in kept]


def _size(row: OrderRecall) -> int:
    return row.first_answers + row.later_answers
