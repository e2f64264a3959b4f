"""The words or tokens of a row that can be erased, and the row without one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from nextset.extensions.interventions.intervention import Intervention
from nextset.extensions.interventions.occlusion.erasable_units import gaps
from nextset.extensions.interventions.occlusion.erased_text import erased
from nextset.extensions.interventions.occlusion.unit_alignment import counterparts
from nextset.forms import FORMS, FormName
from nextset.records.question_quads import Span

__all__ = ["Part", "RowUnit", "RowUnits", "UnitsInGap", "changed_columns", "row_units", "without_unit"]

Part = Literal["context", "intervention", "premise"]
"""A text of a row: its context or premise, or the sentence that is added to it."""
UnitsInGap = Callable[[str, Span], Sequence[Span]]
"""A function that returns the words or tokens of a text within a span of it."""

_ASKED: dict[FormName, tuple[str, ...]] = {
    "question": ("question", "question_negated"),
    "statement": ("statement", "statement_negated"),
}


@dataclass(frozen=True, slots=True)
class _Column:
    """A part of a row's text in one column."""

    name: str
    region: Span
    """The span of the part in it."""
    fixed: Mapping[str, Span] = field(default_factory=dict)
    """The spans of the column's text that are kept, those of the subjects, by their columns."""


@dataclass(frozen=True, slots=True)
class _Position:
    """A unit in one column."""

    column: _Column
    span: Span
    gap: Span


@dataclass(frozen=True, slots=True)
class RowUnit:
    """A word or token of a row, in all columns that have it."""

    part: Part
    place: int
    """Its number among the units of its part, from 0, in context_12."""
    units: int
    """The number of units of its part."""
    text: str
    """Its text, as context_12 has it."""
    before: str
    """The text between the previous unit that can be erased, or the beginning of the part, and this unit."""
    after: str
    """The rest of the part if this is the last unit; else empty."""
    positions: tuple[_Position, ...]
    """Its position in each column."""


@dataclass(frozen=True, slots=True)
class RowUnits:
    """The units of a row."""

    units: tuple[RowUnit, ...]
    """The units that can be erased, in reading order."""
    unaligned: int
    """The number of units in one order of the subjects that have no counterpart in the other order."""


def row_units(
    row: Mapping[str, Any], form: FormName, intervention: Intervention | None, find: UnitsInGap
) -> RowUnits:
    """Return the units of ``row``, which already has ``intervention``; ``find`` returns the units in a span.

    A quad has two contexts, and a unit is a place in both, between the same slots of the subjects.
    """
    erasable: list[RowUnit] = []
    unaligned = 0
    for part, columns in _parts(row, form, intervention):
        units, without = _part_units(row, part, columns, find)
        erasable += units
        unaligned += without
    return RowUnits(tuple(erasable), unaligned)


def without_unit(row: Mapping[str, Any], unit: RowUnit, instead: str = "") -> dict[str, Any] | None:
    """Return the columns of ``row`` that change without ``unit``, or with ``instead`` in its place.

    Return None if a text would have no letters or digits left.
    """
    changed: dict[str, Any] = {}
    for position in unit.positions:
        column = position.column
        done = erased(row[column.name], position.span, position.gap, instead)
        if not any(map(str.isalnum, done.text)):
            return None
        changed[column.name] = done.text
        for name, span in column.fixed.items():
            moved = done.moved(span)
            changed[name] = {"start": moved.start, "end": moved.end}
    return changed


def changed_columns(form: FormName) -> tuple[str, ...]:
    """Return the columns of rows of ``form`` that may change without a unit."""
    if not FORMS[form].quads:
        return ("premise",)
    spans = (name for order in ("12", "21") for name in _spans(order))
    return ("context_12", "context_21", *_ASKED[form], *spans)


def _parts(
    row: Mapping[str, Any], form: FormName, intervention: Intervention | None
) -> list[tuple[Part, list[_Column]]]:
    """Return the parts of ``row`` in reading order."""
    items = not FORMS[form].quads
    names = ("premise",) if items else ("context_12", "context_21")
    first = intervention is not None and intervention.place == "before_context"
    beside = intervention is None or (intervention.place == "before_question" and not items)
    main: list[_Column] = []
    added: list[_Column] = []
    for name in names:
        whole = Span(0, len(row[name]))
        own, sentence = (
            (whole, None) if beside or intervention is None else _split(whole, intervention, first)
        )
        fixed = {} if items else {span: Span(**row[span]) for span in _spans(name[-2:])}
        main.append(_Column(name, own, fixed))
        if sentence is not None:
            added.append(_Column(name, sentence, fixed))
    if intervention is not None and beside:
        added = [_Column(name, Span(0, len(intervention.text))) for name in _ASKED[form]]
    parts: list[tuple[Part, list[_Column]]] = [("premise" if items else "context", main)]
    if added:
        parts.insert(0 if first else 1, ("intervention", added))
    return parts


def _split(whole: Span, intervention: Intervention, first: bool) -> tuple[Span, Span]:
    """Return the span of the text, and the span of the intervention that was added to it."""
    sentence, joined = len(intervention.text), len(intervention.text) + len(intervention.join)
    if first:
        return Span(joined, whole.end), Span(0, sentence)
    return Span(0, whole.end - joined), Span(whole.end - sentence, whole.end)


def _spans(order: str) -> tuple[str, str]:
    return f"subject1_in_{order}", f"subject2_in_{order}"


def _part_units(
    row: Mapping[str, Any], part: Part, columns: Sequence[_Column], find: UnitsInGap
) -> tuple[list[RowUnit], int]:
    """Return the units of a part, and the number of units without a counterpart."""
    by_column = [
        [
            [_Position(c, span, gap) for span in find(row[c.name], gap)]
            for gap in gaps(c.region, c.fixed.values())
        ]
        for c in columns
    ]
    total = sum(map(len, by_column[0]))
    known: list[tuple[int, tuple[_Position, ...]]] = []
    number, unaligned = 0, 0
    for in_gap in zip(*by_column, strict=True):
        texts = [[row[p.column.name][p.span.start : p.span.end] for p in positions] for positions in in_gap]
        others = [counterparts(texts[0], other) for other in texts[1:]]
        for i, position in enumerate(in_gap[0]):
            places = [other[i] for other in others]
            if None in places:
                unaligned += 1
            else:
                beside = (
                    positions[k] for positions, k in zip(in_gap[1:], places, strict=True) if k is not None
                )
                known.append((number + i, (position, *beside)))
        unaligned += sum(
            len(t) - sum(k is not None for k in o) for t, o in zip(texts[1:], others, strict=True)
        )
        number += len(in_gap[0])
    return _numbered(row, part, columns[0], known, total), unaligned


def _numbered(
    row: Mapping[str, Any],
    part: Part,
    column: _Column,
    known: Sequence[tuple[int, tuple[_Position, ...]]],
    total: int,
) -> list[RowUnit]:
    text, at = row[column.name], column.region.start
    units = []
    for i, (place, positions) in enumerate(known):
        span = positions[0].span
        after = text[span.end : column.region.end] if i == len(known) - 1 else ""
        unit = RowUnit(
            part, place, total, text[span.start : span.end], text[at : span.start], after, positions
        )  # fmt: skip
        units.append(unit)
        at = span.end
    return units
