"""Rows with an intervention: its sentence is added when the rows are read, and the rows keep their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.extensions.interventions.intervention import Intervention
from nextset.forms import FORMS, FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.records.question_quads import Span
from nextset.scoring.row_chunks import Readable

__all__ = [
    "INTERVENTION",
    "IntervenedRows",
    "applies",
    "class_column",
    "property_columns",
    "with_intervention",
]

INTERVENTION = "intervention"
"""The column with the id of a row's intervention; empty without one."""
_CONTEXTS = ("context_12", "context_21")
_SPANS = tuple(f"subject{subject}_in_{order}" for order in ("12", "21") for subject in (1, 2))
_ASKED: dict[FormName, tuple[str, ...]] = {
    "question": ("question", "question_negated"),
    "statement": ("statement", "statement_negated"),
}


@dataclass(frozen=True)
class IntervenedRows:
    """The rows that an intervention applies to, with its sentence; or rows without it, for comparison."""

    rows: Readable
    form: FormName
    interventions: tuple[Intervention, ...]
    """The one intervention; if ``without`` is True, all interventions that the rows are compared with."""
    without: bool = False
    """True if no sentence is added."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return the rows with ``columns``, which may hold `INTERVENTION`; raises DamagedShard."""
        own = tuple(name for name in columns if name != INTERVENTION)
        table = self.rows.read(tuple(dict.fromkeys((*own, *property_columns(self.form)))))
        mask = pa.array([False] * table.num_rows)
        for intervention in self.interventions:
            mask = pc.or_(mask, applies(intervention, table, self.form))
        table, name = table.filter(mask), ""
        if not self.without:
            (intervention,) = self.interventions
            table, name = with_intervention(intervention, table, self.form), intervention.id
        table = table.append_column(INTERVENTION, pa.repeat(pa.scalar(name), table.num_rows))
        return table.select(list(columns))


def class_column(form: FormName) -> str:
    """Return the column that divides the rows of ``form``: the class of quads, or the domain of NLI items."""
    return "subject_class" if FORMS[form].quads else "domain"


def property_columns(form: FormName) -> tuple[str, ...]:
    """Return the columns of rows of ``form`` that `applies` reads."""
    clusters = ("attribute_cluster",) if FORMS[form].quads else ()
    return ("language", class_column(form), *clusters)


def applies(intervention: Intervention, rows: pa.Table, form: FormName) -> pa.Array:
    """Return True for each of ``rows`` that ``intervention`` applies to.

    ``rows`` have the columns `property_columns`.
    """
    mask = pc.equal(rows["language"], intervention.language)
    if not FORMS[form].quads:
        mask = pc.and_(mask, _among(rows["domain"], intervention.domains))
        return _plain(mask) if not intervention.attribute_clusters else pa.array([False] * rows.num_rows)
    mask = pc.and_(mask, _among(rows["subject_class"], intervention.classes))
    if intervention.attribute_clusters:
        mask = pc.and_(mask, _among(rows["attribute_cluster"], intervention.attribute_clusters))
    return _plain(mask)


def with_intervention(intervention: Intervention, rows: pa.Table, form: FormName) -> pa.Table:
    """Return ``rows``, with any columns, with ``intervention`` added to their texts and their spans moved."""
    text, join, place = intervention.text, intervention.join, intervention.place
    if not FORMS[form].quads:
        named = {"premise": _added(rows["premise"], text, join, first=place == "before_context")}
        return _replaced(rows, named)
    contexts = [name for name in _CONTEXTS if name in rows.column_names]
    asked = [name for name in _ASKED[form] if name in rows.column_names]
    if place == "before_question":
        return _replaced(rows, {name: _added(rows[name], text, join, first=True) for name in asked})
    first = place == "before_context"
    columns = {name: _added(rows[name], text, join, first=first) for name in contexts}
    if first:
        spans = [name for name in _SPANS if name in rows.column_names]
        columns |= {name: _moved(rows[name], len(text + join)) for name in spans}
    return _replaced(rows, columns)


def _among(column: pa.ChunkedArray, names: Sequence[str]) -> pa.ChunkedArray:
    return pc.is_in(_decoded(column), value_set=pa.array(list(names), pa.string()))


def _added(column: pa.ChunkedArray, text: str, join: str, *, first: bool) -> pa.ChunkedArray:
    parts = (pa.scalar(text), _decoded(column)) if first else (_decoded(column), pa.scalar(text))
    return pc.binary_join_element_wise(*parts, pa.scalar(join))


def _moved(spans: pa.ChunkedArray, by: int) -> pa.Array:
    whole = spans.combine_chunks()
    ends = [pc.cast(pc.add(pc.struct_field(whole, name), by), pa.int32()) for name in ("start", "end")]
    return pa.StructArray.from_arrays(ends, fields=list(arrow_schema(Span)))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(column, pa.string()) if pa.types.is_dictionary(column.type) else column


def _plain(found: pa.ChunkedArray) -> pa.Array:
    return pc.fill_null(found, False).combine_chunks()


def _replaced(rows: pa.Table, columns: dict[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    for name, column in columns.items():
        field = rows.schema.field(name).with_type(column.type)
        rows = rows.set_column(rows.column_names.index(name), field, column)
    return rows
