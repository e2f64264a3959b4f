"""The figures of interventions: the change by kind, the specified twins, and the sentences with the largest
effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot, side_colour
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.auditing.report.result_tables import measure_name, measure_unit
from nextset.extensions.interventions.audit.intervention_records import InterventionChange, TuningChange
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY
from nextset.extensions.interventions.intervention import KINDS, Intervention
from nextset.html.svg import ANTI, ERROR, INK, PRO

__all__ = [
    "HEADLINE",
    "change_figure",
    "group_heading",
    "kinds_of",
    "part_name",
    "place_text",
    "sentence_figures",
    "twin_figure",
]

HEADLINE: Mapping[str, str] = {"question": "mu", "statement": "mu", "nli": "accuracy"}
"""The measure that figures and findings are about, by form: less of μ, or more accuracy, is better."""
_COLOURS = {"ethical": ANTI, "adversarial": PRO, "irrelevant": ERROR, "trigger": INK}
_PLACES = {
    "before_context": "before the context",
    "after_context": "after the context",
    "before_question": "before the question",
}
_NUMBERS = 158
"""The width of a signed value with its interval."""
_RINGS = "Rings: not clearly different from 0 after correction."
_SHOWN = 8
"""The number of sentences at each end of a figure."""


def place_text(place: str) -> str:
    """Return a place as text for readers."""
    return _PLACES.get(place, place)


def kinds_of(rows: Iterable[InterventionChange]) -> list[tuple[str, str]]:
    """Return the kinds and places among ``rows``, in the order of the kinds."""
    kinds = dict.fromkeys((r.kind, r.place) for r in rows)
    order = [str(kind) for kind in KINDS]
    return sorted(kinds, key=lambda pair: (order.index(pair[0]) if pair[0] in order else len(order), pair[1]))


def change_figure(rows: Sequence[InterventionChange], form: str) -> Figure | None:
    """Return the figure of the change in the headline measure of ``form`` by each kind, by class and model;
    None without changes."""
    measure = HEADLINE[form]
    own = [
        r for r in rows if (r.form, r.measure, r.selection) == (form, measure, "all") and not r.intervention
    ]
    own = [r for r in own if r.change is not None]
    if not own:
        return None
    names = short_names(list(dict.fromkeys(r.model for r in own)), 28)
    groups = [
        PlotGroup(
            group_heading(mine[0], names, own),
            tuple(PlotRow(r.kind, _estimate(r), _COLOURS.get(r.kind, INK), _mark(r), r.n) for r in mine),
        )
        for mine in _by_model(own)
    ]
    unit = measure_unit(form)
    title = f"Change in {measure_name(measure).lower()} ({_form(form)})"
    better = "Left of 0 is less bias." if measure == "mu" else "Right of 0 is better."
    svg = interval_plot(groups, unit, title, [better, _RINGS], "rows", numbers_width=_NUMBERS)
    columns = (
        Column("Class"), Column("Model"), Column("Kind and place"), Column("Without", unit),
        Column("With", unit), Column("Change", unit), Column("Beyond irrelevant", unit),
        Column("p, corrected", "p"), Column("Sentences", "count"), Column("Rows", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            part_name(r), r.model, f"{r.kind}, {place_text(r.place)}",
            Estimate(r.value_without, r.low_without, r.high_without),
            Estimate(r.value_with, r.low_with, r.high_with),
            _estimate(r), Estimate(r.beyond, r.beyond_low, r.beyond_high), Estimate(r.p_corrected),
            r.sentences, r.n,
        )
        for r in own
    )  # fmt: skip
    reading = (
        "Each row is the mean change over the sentences of a kind, on the same data with and without them. "
        "Any added sentence can change a score, so compare the ethical sentences with the irrelevant ones "
        "(“Beyond irrelevant” in the numbers)."
    )
    return Figure(reading, svg, NumberTable(f"change-{form}", title, columns, lines))


def twin_figure(rows: Sequence[InterventionChange], form: str) -> Figure | None:
    """Return the figure of how often specified twins are answered correctly, without and with each kind; None
    without twins."""
    own = [r for r in rows if (r.form, r.measure, r.selection) == (form, TWIN_ACCURACY, "all")]
    own = [r for r in own if not r.intervention]
    if not own:
        return None
    names = short_names(list(dict.fromkeys(r.model for r in own)), 28)
    groups = []
    for mine in _by_model(own):
        first = mine[0]
        none = PlotRow(
            "none", Estimate(first.value_without, first.low_without, first.high_without), INK, "ring", first.n
        )
        kind_rows = [
            PlotRow(r.kind, Estimate(r.value_with, r.low_with, r.high_with), _COLOURS.get(r.kind, INK), n=r.n)
            for r in mine
        ]
        groups.append(PlotGroup(group_heading(first, names, own), (none, *kind_rows)))
    title = f"Specified twins ({_form(form)})"
    svg = interval_plot(groups, "per_cent", title, ["Right answers; chance is 50."], "twins", (0.0, 1.0))
    columns = (
        Column("Class"), Column("Model"), Column("Kind and place"), Column("Without", "per_cent"),
        Column("With", "per_cent"), Column("Change", "per_cent"), Column("Twins", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            part_name(r), r.model, f"{r.kind}, {place_text(r.place)}",
            Estimate(r.value_without, r.low_without, r.high_without),
            Estimate(r.value_with, r.low_with, r.high_with), _estimate(r), r.n,
        )
        for r in own
    )  # fmt: skip
    reading = (
        "If an intervention lowers this accuracy, the model no longer reads the contexts well, and less "
        "bias may only mean that it answers worse. A model near 50 % without any intervention does not "
        "read the contexts, and its change in bias means little."
    )
    return Figure(reading, svg, NumberTable(f"twins-{form}", title, columns, lines))


def sentence_figures(
    rows: Sequence[InterventionChange], interventions: Mapping[str, Intervention], form: str
) -> list[Figure]:
    """Return a figure of the sentences that change the headline measure most, for each class, model and
    place."""
    measure = HEADLINE[form]
    own = [r for r in rows if (r.form, r.measure, r.selection) == (form, measure, "all") and r.intervention]
    own = [r for r in own if r.change is not None]
    return [_sentences(mine, interventions, form, i) for i, mine in enumerate(_by_model(own), 1)]


def _sentences(
    rows: Sequence[InterventionChange], interventions: Mapping[str, Intervention], form: str, number: int
) -> Figure:
    order = sorted(rows, key=lambda r: (r.change or 0.0, r.kind, r.name))
    first = order[0]
    texts = {r.intervention: interventions[r.intervention].text for r in order}
    marks = [
        PlotRow(
            texts[r.intervention] if r.kind == "trigger" else r.name,
            _estimate(r),
            _COLOURS.get(r.kind, INK),
            _mark(r),
            r.n,
        )
        for r in order
    ]
    groups = [PlotGroup(first.model, tuple(marks))]
    if len(marks) > 2 * _SHOWN:
        groups = [
            PlotGroup(first.model, ()),
            PlotGroup(f"The {_SHOWN} sentences that lower it most, of {len(marks)}", tuple(marks[:_SHOWN])),
            PlotGroup(f"The {_SHOWN} sentences that raise it most", tuple(marks[-_SHOWN:])),
        ]
    unit = measure_unit(form)
    title = f"{measure_name(first.measure)} by sentence: {part_name(first)} ({_form(form)})"
    place = place_text(first.place).capitalize() + "."
    subtitle = "Blue ethical, orange adversarial, grey irrelevant, black trigger."
    svg = interval_plot(groups, unit, title, [place, subtitle, _RINGS], "rows", numbers_width=_NUMBERS)
    columns = (
        Column("Sentence"), Column("Kind and place"), Column("Name"), Column("With", unit),
        Column("Change", unit),
        Column("p, corrected", "p"), Column("Rows", "count"),
    )  # fmt: skip
    lines: tuple[Row, ...] = tuple(
        (
            texts[r.intervention], f"{r.kind}, {place_text(r.place)}", r.name,
            Estimate(r.value_with), _estimate(r), Estimate(r.p_corrected), r.n,
        )
        for r in order
    )  # fmt: skip
    reading = (
        "Each row is one sentence, on the same data with and without it. Many sentences are compared, so "
        "some look strong by chance: the table has p-values that are corrected for the number of sentences."
    )
    return Figure(reading, svg, NumberTable(f"sentences-{form}-{number}", title, columns, lines))


def _by_model(rows: Sequence[InterventionChange]) -> list[list[InterventionChange]]:
    """Return the rows of each language, class, model and place, with kinds in their order."""
    groups: dict[tuple[str, ...], list[InterventionChange]] = {}
    for row in rows:
        groups.setdefault((row.language, row.part, row.model, row.place), []).append(row)
    order = kinds_of(rows)
    return [sorted(mine, key=lambda r: order.index((r.kind, r.place))) for mine in groups.values()]


def group_heading(
    row: InterventionChange | TuningChange,
    names: Mapping[str, str],
    others: Sequence[InterventionChange] | Sequence[TuningChange],
) -> str:
    """Return the class and the model by its short name, and the place if ``others`` have several."""
    place = f", {row.place.replace('_', ' ')}" if len({r.place for r in others}) > 1 else ""
    return f"{part_name(row)}: {names[row.model]}{place}"


def _estimate(row: InterventionChange) -> Estimate:
    return Estimate(row.change, row.low, row.high)


def part_name(row: InterventionChange | TuningChange) -> str:
    """Return the class or domain of a row as text for readers, with its language if that is not English."""
    return row.part.replace("_", " ") + (f" ({row.language})" if row.language != "en" else "")


def _form(form: str) -> str:
    return {"question": "questions", "statement": "statements", "nli": "NLI items"}[form]


def _mark(row: InterventionChange) -> Literal["dot", "ring"]:
    return "dot" if side_colour(_estimate(row), row.p_corrected) != ERROR else "ring"
