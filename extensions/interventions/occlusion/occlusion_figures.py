"""The figures of occlusion: texts with each word in the colour of the change without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nextset.auditing.report.figure import Figure
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row, shown
from nextset.extensions.interventions.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.forms import FORMS
from nextset.html.coloured_text import ColouredText, ColouredWord, coloured_texts

__all__ = ["OcclusionFigures", "occlusion_figures"]

_SINGLE = 3
"""The number of single rows that are drawn for each form and model."""
_TOLD = 5
"""The number of words in the text for screen readers."""

Unit = TypeVar("Unit", OcclusionRow, TemplateOcclusionRow)


@dataclass(frozen=True, slots=True)
class OcclusionFigures:
    """The figures of all models."""

    templates: tuple[Figure, ...]
    """One for each template and model: the means over its rows."""
    rows: tuple[Figure, ...]
    """For each model, the single rows with the largest change by one word, of different templates."""


def occlusion_figures(
    rows: Iterable[OcclusionRow], averages: Iterable[TemplateOcclusionRow]
) -> OcclusionFigures:
    """Return the figures of the tables occlusion and occlusion_by_template."""
    of_template = _grouped(averages, _template)
    templates = [
        _template_figure(own, f"occlusion-{own[0].form}-{i}") for i, own in enumerate(of_template.values(), 1)
    ]
    of_row = _grouped(rows, lambda row: (*_template(row), row.item_id))
    singles = [
        _row_figure(own, f"occlusion-row-{own[0].form}-{i}")
        for i, own in enumerate(_strongest(list(of_row.values())), 1)
    ]
    return OcclusionFigures(tuple(templates), tuple(singles))


def _template(row: OcclusionRow | TemplateOcclusionRow) -> tuple[str, ...]:
    return row.form, row.model, row.role, row.language, row.subject_class, row.template_id


def _grouped(
    rows: Iterable[Unit], key: Callable[[Unit], tuple[str, ...]]
) -> dict[tuple[str, ...], list[Unit]]:
    groups: dict[tuple[str, ...], list[Unit]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _strongest(rows: Sequence[list[OcclusionRow]]) -> list[list[OcclusionRow]]:
    """Return the rows with the largest change by one word by form and model, at most one per template."""
    order = sorted(rows, key=lambda own: (-max(abs(unit.change_of_size) for unit in own), own[0].item_id))
    by_model: dict[tuple[str, ...], dict[tuple[str, ...], list[OcclusionRow]]] = {}
    for own in order:
        templates = by_model.setdefault(_template(own[0])[:3], {})
        if len(templates) < _SINGLE:
            templates.setdefault(_template(own[0]), own)
    return [
        own for model in dict.fromkeys(_template(r[0])[:3] for r in rows) for own in by_model[model].values()
    ]


def _template_figure(units: Sequence[TemplateOcclusionRow], name: str) -> Figure:
    """Draw a template without an intervention and with the one of each kind that the most rows have."""
    texts: list[tuple[str, list[TemplateOcclusionRow]]] = []
    for kind, own in _grouped(units, lambda unit: (unit.kind,)).items():
        sentences = _grouped(own, lambda unit: (unit.intervention,))
        best = max(sentences.values(), key=lambda some: max(unit.n for unit in some))
        parts = [
            unit
            for part in _grouped(best, lambda unit: (unit.part,)).values()
            for unit in max(_grouped(part, lambda u: (str(u.units),)).values(), key=lambda some: some[0].n)
        ]
        n = max(unit.n for unit in parts)
        size = f"{_measure(parts[0])} {shown(parts[0].mean_size, 'fraction')}"
        texts.append((f"{_kind(*kind)}: {size}, {n} {'row' if n == 1 else 'rows'}", parts))
    first = units[0]
    title = f"{first.subject_class}: {first.template_id}" if first.template_id else first.subject_class
    return _figure(name, title, "means over rows", texts)


def _row_figure(units: Sequence[OcclusionRow], name: str) -> Figure:
    texts = []
    for (kind, _), own in _grouped(units, lambda unit: (unit.kind, unit.intervention)).items():
        texts.append((f"{_kind(kind)}: {_symbol(own[0])} {shown(own[0].value, 'fraction')}", own))
    return _figure(name, f"{units[0].subject_class}: row {units[0].item_id[:8]}", "one row", texts)


def _figure(name: str, title: str, of: str, texts: Sequence[tuple[str, Sequence[Unit]]]) -> Figure:
    units = [unit for _, own in texts for unit in own]
    first = units[0]
    most = sorted(units, key=lambda unit: -abs(unit.change_of_size))[:_TOLD]
    spoken = ", ".join(f"{unit.text} {shown(unit.change_of_size, 'fraction')}" for unit in most)
    measure = _measure(first)
    svg = coloured_texts(
        [ColouredText(heading, _paragraphs(own), first.language) for heading, own in texts],
        title=title,
        subtitle=[first.model, f"Change in {measure} in hundredths, {of}."],
        ends=("smaller", "larger"),
        alt_text=f"{title}, {first.model}. Change in {measure} without a word: {spoken}",
    )
    reading = (
        f"Blue and negative: without the word, {measure} is smaller, so the word adds to it. Orange and "
        f"positive: without the word, {measure} is larger. White, or no number: the word changes nothing. "
        "Words without a box, such as the subjects, were never removed."
    )
    caption = f"Change in {measure} without each word ({of}): {title}, {first.model}"
    return Figure(reading, svg, NumberTable(name, caption, _columns(first), tuple(map(_line, units))))


def _paragraphs(units: Sequence[Unit]) -> tuple[tuple[ColouredWord, ...], ...]:
    """Return the words of ``units``, part by part."""
    return tuple(
        tuple(
            word
            for unit in part
            for word in (
                ColouredWord(unit.before),
                ColouredWord(unit.text, unit.change_of_size),
                ColouredWord(unit.after),
            )
            if word.text
        )
        for part in _grouped(units, lambda unit: (unit.part,)).values()
    )


def _columns(unit: OcclusionRow | TemplateOcclusionRow) -> tuple[Column, ...]:
    named = (Column("Sentence"), Column("Text"), Column("Word"))
    change = Column(f"Change in {_measure(unit)}", "fraction")
    if isinstance(unit, TemplateOcclusionRow):
        return (*named, change, Column("Rows", "count"))
    return (*named, change, Column(f"{_symbol(unit)} without it", "fraction"))


def _line(unit: OcclusionRow | TemplateOcclusionRow) -> Row:
    last = Estimate(unit.occluded_value) if isinstance(unit, OcclusionRow) else unit.n
    return (_kind(unit.kind), unit.part, unit.text, Estimate(unit.change_of_size), last)


def _measure(unit: OcclusionRow | TemplateOcclusionRow) -> str:
    return f"|{_symbol(unit)}|" if FORMS[unit.form].quads else _symbol(unit)


def _symbol(unit: OcclusionRow | TemplateOcclusionRow) -> str:
    return "C" if FORMS[unit.form].quads else "1 − p(neutral)"


def _kind(kind: str) -> str:
    if not kind:
        return "No intervention"
    return "Trigger" if kind == "trigger" else f"{kind.capitalize()} sentence"
