"""Rows that are read whole and then without each of their words; they keep their ids."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.errors import ModelError
from nextset.extensions.interventions.intervened_rows import INTERVENTION, class_column, with_intervention
from nextset.extensions.interventions.intervention import Intervention
from nextset.extensions.interventions.occlusion.erasable_units import tokens_in, words_in_gap
from nextset.extensions.interventions.occlusion.row_units import (
    RowUnit,
    UnitsInGap,
    changed_columns,
    row_units,
    without_unit,
)
from nextset.forms import FORMS, FormName
from nextset.records.question_quads import Span
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.models.own_tokenizer import own_tokenizer
from nextset.scoring.models.sources import ModelSource

__all__ = ["OCCLUDED", "OccludedRow", "OccludedRows", "occluded_key", "row_columns", "tokenizer_of"]

OCCLUDED = "occluded"
"""The column that says which unit of a row is erased: its part and place; empty for the whole row."""


@dataclass(frozen=True, slots=True)
class OccludedRow:
    """A row with the units that are erased from it, one at a time."""

    row: dict[str, Any]
    """The row, with its intervention."""
    units: tuple[RowUnit, ...]
    changes: tuple[dict[str, Any], ...]
    """For each unit, the columns that change without it."""
    unaligned: int
    """The number of units that are skipped because the other order of the subjects does not have them."""
    empty: int
    """The number of units that are skipped because no text would be left."""


@dataclass(frozen=True)
class OccludedRows:
    """Rows that are read whole and without each of their units."""

    rows: pa.Table
    """The rows without an intervention, with the columns `row_columns`."""
    form: FormName
    intervention: Intervention | None
    """The intervention that is added to them; None for no intervention."""
    instead: str
    """The text in the place of a unit; empty if units are erased."""
    tokens_of: ModelSource | None
    """The model whose tokens are the units; None if units are words."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return each row and then the row without each of its units, with ``columns``.

        ``columns`` may include `INTERVENTION` and `OCCLUDED`. Raises ModelError for a model without a
        tokenizer.
        """
        table = self._with_intervention()
        from_row: list[int] = []
        changes: list[dict[str, Any]] = []
        occluded: list[str] = []
        for place, one in enumerate(self._occluded(table)):
            from_row += [place] * (1 + len(one.units))
            changes += [{}, *one.changes]
            occluded += ["", *map(occluded_key, one.units)]
        expanded = table.take(pa.array(from_row, pa.int64()))
        for name in changed_columns(self.form):
            at, known = expanded.column_names.index(name), expanded[name].to_pylist()
            values = [change.get(name, value) for change, value in zip(changes, known, strict=True)]
            expanded = expanded.set_column(
                at, table.schema.field(name), pa.array(values, table.schema.field(name).type)
            )
        sentence = self.intervention.id if self.intervention is not None else ""
        expanded = expanded.append_column(INTERVENTION, pa.repeat(pa.scalar(sentence), expanded.num_rows))
        expanded = expanded.append_column(OCCLUDED, pa.array(occluded, pa.string()))
        return expanded.select(list(columns))

    def occluded(self) -> Iterator[OccludedRow]:
        """Return the rows with their units; raises ModelError for a model without a tokenizer."""
        return self._occluded(self._with_intervention())

    def _with_intervention(self) -> pa.Table:
        if self.intervention is None:
            return self.rows
        return with_intervention(self.intervention, self.rows, self.form)

    def _occluded(self, table: pa.Table) -> Iterator[OccludedRow]:
        find = _tokens(self.tokens_of) if self.tokens_of is not None else words_in_gap
        for row in table.to_pylist():
            erasable = row_units(row, self.form, self.intervention, find)
            pairs = [(unit, without_unit(row, unit, self.instead)) for unit in erasable.units]
            done = [(unit, change) for unit, change in pairs if change is not None]
            units, changes = tuple(unit for unit, _ in done), tuple(change for _, change in done)
            yield OccludedRow(row, units, changes, erasable.unaligned, len(pairs) - len(done))


def row_columns(form: FormName) -> tuple[str, ...]:
    """Return the columns that rows of ``form`` need to be sampled, asked and reported."""
    own = (*SCORED_FORMS[form].columns, "language", class_column(form), "template_id")
    if FORMS[form].quads:
        own = (*own, "attribute_cluster")
    return tuple(dict.fromkeys((*own, *changed_columns(form))))


def occluded_key(unit: RowUnit) -> str:
    """Return the value of the column `OCCLUDED` for ``unit``."""
    return f"{unit.part} {unit.place}"


@functools.lru_cache(maxsize=16)
def tokenizer_of(source: ModelSource) -> Any:
    """Return the tokenizer of ``source``; raises ModelError if it has none."""
    tokenizer = own_tokenizer(source)
    if tokenizer is None:
        raise ModelError(
            f"{source.name} has no tokenizer that gives the positions of its tokens",
            remedy="set interventions.occlusion.unit: word and by: erase, or remove the model from "
            "interventions.models",
        )
    return tokenizer


def _tokens(source: ModelSource) -> UnitsInGap:
    backend = tokenizer_of(source).backend_tokenizer

    @functools.lru_cache(maxsize=64)
    def tokens(text: str) -> list[Span]:
        return [Span(*ends) for ends in backend.encode(text, add_special_tokens=False).offsets]

    return lambda text, gap: tokens_in(text, gap, tokens(text))
