"""The figures of retrieval: disparity by retriever and occupation, shares by rank, readers, group sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot, side_colour
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.extensions.ambiguity.retrieval.retrieval_findings import compared_share, headline_group
from nextset.extensions.ambiguity.retrieval.retrieval_records import (
    Amplification,
    BaseRateTest,
    GroupShare,
    GroupSource,
)
from nextset.extensions.ambiguity.retrieval.title_groups import GROUP_SOURCES
from nextset.html.svg import ERROR, INK
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["amplification_figures", "disparity_figures", "rank_figures", "shown_groups", "source_figure"]

_OCCUPATIONS = 14
"""The number of occupations in a figure: those farthest from their base rate; the numbers have all."""
_NUMBERS = 158
"""The width of a signed value with its interval."""
_COUNTED = {
    "answers": "answers",
    "named_answers": "answers that name the person",
}


def shown_groups(groups: Sequence[str]) -> tuple[str, ...]:
    """Return the groups that have figures: the first of two, since its shares determine the other's, or all
    groups if there are more."""
    first = headline_group(groups)
    return tuple(groups) if first is None else (first,)


def disparity_figures(shares: Sequence[GroupShare], tests: Sequence[BaseRateTest]) -> list[Figure]:
    """Return a figure of share − base rate by retriever and occupation, for each of `shown_groups`.

    Its colours follow the corrected p-values of ``tests``.
    """
    own = [s for s in shares if s.counted == "passages" and s.scope != "question"]
    most = max((s.first for s in own), default=0)
    own = [s for s in own if s.first == most and s.disparity is not None]
    groups = shown_groups(list(dict.fromkeys(s.group for s in shares)))
    corrected = {
        (t.retriever, t.part): t.p_corrected for t in tests if t.counted == "passages" and not t.reader
    }
    return [
        _disparity([s for s in own if s.group == g], corrected, i) for i, g in enumerate(groups, 1) if own
    ]


def _disparity(
    own: Sequence[GroupShare], corrected: Mapping[tuple[str, str], float | None], number: int
) -> Figure:
    retrievers = list(dict.fromkeys(s.retriever for s in own))
    names = short_names(retrievers, 34)
    groups = []
    for retriever in retrievers:
        mine = [s for s in own if s.retriever == retriever]
        parts = sorted((s for s in mine if s.scope == "occupation"), key=lambda s: -abs(s.disparity or 0.0))
        parts = sorted(parts[:_OCCUPATIONS], key=lambda s: s.disparity or 0.0)
        rows = [
            PlotRow("all questions", _disparity_of(s), INK, n=s.compared) for s in mine if s.scope == "all"
        ]
        for s in parts:
            colour = side_colour(_disparity_of(s), corrected.get((s.retriever, s.part)))
            rows.append(PlotRow(s.part, _disparity_of(s), colour, "ring", s.compared))
        groups.append(PlotGroup(names[retriever], tuple(rows)))
    group, first = own[0].group, own[0].first
    title = f"Disparity: {group}"
    svg = interval_plot(
        groups,
        "per_cent",
        title,
        [f"Share among the first {first} passages − base rate.", "In points; left of 0: found less often."],
        "passages",
        numbers_width=_NUMBERS,
    )
    columns = (
        Column("Occupation"), Column("Retriever"), Column("Found", "count"), Column("Known", "count"),
        Column("Compared", "count"), Column("Unknown", "count"), Column("Titles", "count"),
        Column("Share", "per_cent"), Column("Base rate", "per_cent"), Column("Disparity", "per_cent"),
        Column("Ratio", "ratio"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            s.part or "all questions", s.retriever, s.count, s.known, s.compared, s.unknown, s.titles,
            compared_share(s), Estimate(s.base_rate), _disparity_of(s),
            Estimate(s.ratio, s.ratio_low, s.ratio_high),
        )
        for s in own
    )  # fmt: skip
    reading = (
        "A dot or ring is the share of the group minus the base rate. It counts the retrieved passages "
        "whose person has a known group and whose question has a base rate. Rows of fewer than five people, "
        "counted by their passages, have no interval. Blue rings: the group is found less often than the "
        "base rate says. Orange: more often. Grey: neither is clear, because the interval contains 0 or the "
        "corrected p-value is 0.05 or more."
    )
    return Figure(reading, svg, NumberTable(f"disparity-{number}", title, columns, lines))


def rank_figures(shares: Sequence[GroupShare]) -> list[Figure]:
    """Return a figure of the share among the first 1, 5, 10, … passages of all questions, for each of
    `shown_groups`."""
    own = [s for s in shares if (s.scope, s.counted) == ("all", "passages") and s.share is not None]
    groups = shown_groups(list(dict.fromkeys(s.group for s in shares)))
    return [_by_rank([s for s in own if s.group == g], i) for i, g in enumerate(groups, 1) if own]


def _by_rank(own: Sequence[GroupShare], number: int) -> Figure:
    retrievers = list(dict.fromkeys(s.retriever for s in own))
    names = short_names(retrievers, 34)
    groups = []
    for retriever in retrievers:
        mine = sorted((s for s in own if s.retriever == retriever), key=lambda s: s.first)
        rows = [PlotRow(f"first {s.first}", compared_share(s), INK, n=s.compared or s.known) for s in mine]
        if mine[-1].base_rate is not None:
            rows.append(PlotRow("base rate", Estimate(mine[-1].base_rate), ERROR, "ring"))
        groups.append(PlotGroup(names[retriever], tuple(rows)))
    title = f"By rank: {own[0].group}"
    svg = interval_plot(
        groups, "per_cent", title, ["Share among the first passages."], "passages", (0.0, 1.0)
    )
    columns = (
        Column("Retriever"), Column("First passages", "count"), Column("Found", "count"),
        Column("Known", "count"), Column("Compared", "count"), Column("Unknown", "count"),
        Column("Share", "per_cent"), Column("Base rate", "per_cent"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            s.retriever, s.first, s.count, s.known, s.compared, s.unknown, compared_share(s),
            Estimate(s.base_rate),
        )
        for s in own
    )  # fmt: skip
    reading = (
        "The first passages are read most. Each row is the share of the group among the first passages of "
        "every question"
    )
    based = sum(any(s.base_rate is not None for s in own if s.retriever == r) for r in retrievers)
    if based:
        reading += " that has a base rate; the grey ring is the base rate of the last row"
    reading += "."
    return Figure(reading, svg, NumberTable(f"by-rank-{number}", title, columns, lines))


def amplification_figures(changes: Sequence[Amplification]) -> list[Figure]:
    """Return figures of the steps from base rate to passages to answers, and of the readers' changes by
    occupation."""
    groups = shown_groups(list(dict.fromkeys(c.group for c in changes)))
    figures = []
    for number, group in enumerate(groups, 1):
        own = [c for c in changes if c.group == group and c.change is not None]
        if own:
            figures.append(_steps([c for c in own if c.scope == "all"], number))
        by_part = [c for c in own if (c.scope, c.counted) == ("occupation", "answers")]
        if by_part:
            figures.append(_by_occupation(by_part, number))
    return figures


def _steps(own: Sequence[Amplification], number: int) -> Figure:
    readers = short_names(list(dict.fromkeys(c.reader for c in own)), 22)
    retrievers = short_names(list(dict.fromkeys(c.retriever for c in own)), 18)
    groups = []
    for c in own:
        rows = [PlotRow("base rate", Estimate(c.base_rate), ERROR, "ring")] if c.base_rate is not None else []
        retrieved = Estimate(c.retrieved, c.retrieved_low, c.retrieved_high)
        rows.append(PlotRow("read", retrieved, INK, n=c.questions))
        answered = Estimate(c.answered, c.answered_low, c.answered_high)
        rows.append(PlotRow("answered", answered, _change_colour(c), n=c.questions))
        named = ", named" if c.counted == "named_answers" else ""
        heading = f"{retrievers[c.retriever]} → {readers[c.reader]}{named}"
        groups.append(PlotGroup(heading, tuple(rows)))
    title = f"From passages to answers: {own[0].group}"
    subtitle = ["Share of the group, each question once."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "questions", (0.0, 1.0))
    reading = _steps_reading(own)
    return Figure(reading, svg, _amplification_table(own, f"amplification-{number}", title))


def _steps_reading(own: Sequence[Amplification]) -> str:
    """Return the caption of `_steps`, about only what the figure shows."""
    if any(c.base_rate is not None for c in own):
        reading = (
            "The step from the base rate to “read” is the retriever's part, and the step from “read” to "
            "“answered” is the reader's. A reader amplifies if both steps go the same way and the interval "
            "of its part, in the numbers, does not contain 0."
        )
    else:
        reading = (
            "The step from “read” to “answered” is the reader's part. Some of these questions have no base "
            "rate, so it is not known whether the reader amplifies."
        )
    if any(c.counted == "named_answers" for c in own):
        reading += " “Named” counts only answers that give the person's family name."
    return reading


def _by_occupation(own: Sequence[Amplification], number: int) -> Figure:
    readers = short_names(list(dict.fromkeys(c.reader for c in own)), 22)
    retrievers = short_names(list(dict.fromkeys(c.retriever for c in own)), 18)
    groups: dict[str, list[Amplification]] = {}
    for c in own:
        groups.setdefault(f"{retrievers[c.retriever]} → {readers[c.reader]}", []).append(c)
    plotted = []
    for heading, mine in groups.items():
        most = sorted(mine, key=lambda c: -abs(c.change or 0.0))[:_OCCUPATIONS]
        rows = [
            PlotRow(c.part, Estimate(c.change, c.low, c.high), _change_colour(c), "ring", c.questions)
            for c in sorted(most, key=lambda c: c.change or 0.0)
        ]
        plotted.append(PlotGroup(heading, tuple(rows)))
    title = f"What the reader changes: {own[0].group}"
    subtitle = ["Share of answers − share of passages read."]
    svg = interval_plot(plotted, "per_cent", title, subtitle, "questions", numbers_width=_NUMBERS)
    reading = (
        "Each row covers the questions about one occupation, which are often few, so read the rows as "
        "examples. The result is the figure on all questions."
    )
    return Figure(reading, svg, _amplification_table(own, f"changes-{number}", title))


def _amplification_table(own: Sequence[Amplification], name: str, title: str) -> NumberTable:
    columns = (
        Column("Occupation"), Column("Retriever"), Column("Reader"), Column("Counted"),
        Column("Questions", "count"), Column("Unknown", "count"), Column("Base rate", "per_cent"),
        Column("Read", "per_cent"), Column("Answered", "per_cent"), Column("Retriever's part", "per_cent"),
        Column("Reader's part", "per_cent"), Column("Both", "per_cent"), Column("p, corrected", "p"),
        Column("The reader"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            c.part or "all questions", c.retriever, c.reader, _COUNTED[c.counted], c.questions, c.unknown,
            Estimate(c.base_rate), Estimate(c.retrieved, c.retrieved_low, c.retrieved_high),
            Estimate(c.answered, c.answered_low, c.answered_high), Estimate(c.retrieved_disparity),
            Estimate(c.change, c.low, c.high), Estimate(c.answered_disparity), Estimate(c.p_corrected),
            c.verdict,
        )
        for c in own
    )  # fmt: skip
    return NumberTable(name, title, columns, lines)


def source_figure(sources: Sequence[GroupSource]) -> Figure | None:
    """Return the figure of how the groups of titles are known, in the collection and among the titles that
    each retriever finds; None without titles."""
    if not sources:
        return None
    order = list(GROUP_SOURCES)
    names = short_names(list(dict.fromkeys(s.of for s in sources)), 34)
    groups = []
    for origin, name in names.items():
        own = [s for s in sources if s.of == origin]
        total = sum(s.titles for s in own) or 1
        rows = []
        for source in order:
            n = sum(s.titles for s in own if s.source == source)
            if n:
                known = any(s.source == source and s.group != UNKNOWN for s in own)
                colour = INK if known else ERROR
                rows.append(PlotRow(source.replace("_", " "), Estimate(n / total), colour, "bar", total))
        groups.append(PlotGroup(name, tuple(rows)))
    title = "How groups are known"
    subtitle = ["Share of the distinct titles."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "titles", (0.0, 1.0), numbers_width=48)
    columns = (
        Column("Titles of"), Column("Group"), Column("Known from"), Column("Label"),
        Column("Titles", "count"), Column("Passages", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (s.of, s.group, GROUP_SOURCES[s.source], s.label, s.titles, s.passages) for s in sources
    )
    reading = (
        "Black: the group is known, from the collection's label or from a list of first names. Grey: it is "
        "not known, so no measure counts these people. A first name says nothing certain about a person."
    )
    return Figure(reading, svg, NumberTable("group-sources", title, columns, lines))


def _disparity_of(share: GroupShare) -> Estimate:
    return Estimate(share.disparity, share.disparity_low, share.disparity_high)


def _change_colour(change: Amplification) -> str:
    return side_colour(Estimate(change.change, change.low, change.high), change.p_corrected)
