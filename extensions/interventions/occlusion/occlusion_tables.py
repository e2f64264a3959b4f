"""Scores of rows without one of their words become the tables of occlusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.extensions.interventions.intervened_rows import INTERVENTION, class_column
from nextset.extensions.interventions.occlusion.occluded_rows import (
    OCCLUDED,
    OccludedRow,
    OccludedRows,
    occluded_key,
)
from nextset.extensions.interventions.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.extensions.interventions.occlusion.occlusion_requests import OcclusionRequest
from nextset.extensions.interventions.occlusion.template_averages import template_averages
from nextset.forms import FORMS, FormName
from nextset.records.arrow_schema import table_of
from nextset.scoring.outcome_shares import answered_quads, missing_shares
from nextset.scoring.subjects.quad_bias import comparative, subject_scores

__all__ = ["TABLES", "OcclusionTables", "occlusion_tables"]

TABLES: dict[str, type] = {"occlusion": OcclusionRow, "occlusion_by_template": TemplateOcclusionRow}
"""The tables of occlusion, with their records."""

Key = tuple[str, str, str]
"""An item, an intervention, and the unit that is erased."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A model's measure of a row."""

    value: float
    """The value; NaN if the model gives none."""
    truncated: bool
    """True if its texts were truncated."""
    answered: bool
    """True if the model answered all prompts; else the value would count prompts without an answer."""


@dataclass(frozen=True)
class OcclusionTables:
    """The results of occlusion."""

    occlusion: list[OcclusionRow]
    """The rows without one word each, in reading order of the words."""
    occlusion_by_template: list[TemplateOcclusionRow]
    """The means over the rows of each template."""
    skipped: Mapping[str, int]
    """The numbers of words that were not erased and of rows that do not count, by reason, summed over
    models."""

    def table(self, name: str) -> pa.Table:
        """Return one of `TABLES`."""
        return table_of(getattr(self, name), TABLES[name])


def occlusion_tables(
    requests: Sequence[OcclusionRequest],
    scores: Sequence[pa.Table],
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> OcclusionTables:
    """Return the tables from the ``scores`` of each of ``requests``, in their order.

    Raises ArtifactError if the scores belong to other rows.
    """
    rows: list[OcclusionRow] = []
    skipped = Counter[str]()
    for done, (request, table) in enumerate(zip(requests, scores, strict=True)):
        tick(done, len(requests))
        models = _values(table, request.form)
        for part in request.parts():
            for occluded in part.occluded():
                for (model, role), values in models.items():
                    rows += _rows(occluded, part, model, role, values, skipped)
    tick(len(requests), len(requests))
    return OcclusionTables(rows, template_averages(rows), dict(+skipped))


def _values(scores: pa.Table, form: FormName) -> dict[tuple[str, str], dict[Key, _Value]]:
    """Return the measure of each row by model and role."""
    if not FORMS[form].quads:
        known = [np.nan if p is None else 1 - p for p in scores["neutral"].to_pylist()]
        answered = missing_shares(scores) == 0
    else:
        known = comparative(*subject_scores(scores)).c.tolist()
        answered = answered_quads(scores)
    names = ("model", "role", "item_id", INTERVENTION, OCCLUDED, "truncated")
    values: dict[tuple[str, str], dict[Key, _Value]] = {}
    columns = (scores[name].to_pylist() for name in names)
    for value, whole, model, role, *key, truncated in zip(known, answered.tolist(), *columns, strict=True):
        item, sentence, occluded = key
        values.setdefault((model, role), {})[item, sentence, occluded] = _Value(value, truncated, whole)
    return values


def _rows(
    occluded: OccludedRow,
    part: OccludedRows,
    model: str,
    role: str,
    values: Mapping[Key, _Value],
    skipped: Counter[str],
) -> Iterator[OcclusionRow]:
    row, sentence = occluded.row, part.intervention
    head = row["id"], sentence.id if sentence is not None else ""
    asked = [_known(values, (*head, key)) for key in ("", *map(occluded_key, occluded.units))]
    if any(value.truncated for value in asked):
        skipped["rows whose texts were truncated"] += 1
        return
    if not all(value.answered for value in asked):
        skipped["rows that the model did not answer, whole or without a word"] += 1
        return
    if any(np.isnan(value.value) for value in asked):
        skipped["rows without a probability of neutral by the model"] += 1
        return
    skipped["words that occur in only one order of the subjects"] += occluded.unaligned
    skipped["words that are the whole text"] += occluded.empty
    whole, *others = (value.value for value in asked)
    for unit, value in zip(occluded.units, others, strict=True):
        yield OcclusionRow(
            form=part.form,
            model=model,
            role=role,
            language=row["language"],
            subject_class=row[class_column(part.form)],
            template_id=row["template_id"] or "",
            intervention=head[1],
            kind=sentence.kind if sentence is not None else "",
            part=unit.part,
            place=unit.place,
            units=unit.units,
            text=unit.text,
            before=unit.before,
            after=unit.after,
            item_id=row["id"],
            value=whole,
            occluded_value=value,
            change=value - whole,
            change_of_size=abs(value) - abs(whole),
        )


def _known(values: Mapping[Key, _Value], key: Key) -> _Value:
    if key not in values:
        raise ArtifactError(
            f"the scores of occlusion have no row for the item {key[0]}, {key[2] or 'whole'}",
            remedy="run `nextset interventions STUDY` again",
        )
    return values[key]
