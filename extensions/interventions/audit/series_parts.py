"""The parts of the artifact of drawn values: one for each form, language, class or domain, and model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.build import Part, PartResult
from nextset.auditing.nli.item_counts import PROPERTIES as ITEM_PROPERTIES
from nextset.auditing.quads.quad_columns import QuadModel
from nextset.auditing.quads.quad_tables import PROPERTIES, LengthsOf, QuadTable, quad_classes
from nextset.extensions.interventions.audit.arm_scores import ArmScores
from nextset.extensions.interventions.audit.found_triggers import FoundTriggers
from nextset.extensions.interventions.audit.held_out_rows import HeldOutRows
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries
from nextset.extensions.interventions.audit.item_series import AskedItems, item_series
from nextset.extensions.interventions.audit.quad_series import AskedQuads, quad_series
from nextset.extensions.interventions.audit.told_rows import ToldTable
from nextset.extensions.interventions.audit.twin_series import PROPERTIES as TWIN_PROPERTIES
from nextset.extensions.interventions.audit.twin_series import AskedTwins, twin_series
from nextset.records.arrow_schema import table_of

__all__ = ["MeasuredOn", "item_parts", "quad_parts", "series_part", "twin_parts"]


def series_part(make: Callable[[], Iterator[InterventionSeries]]) -> Part:
    """Return the part of the table series with the rows that ``make`` yields."""
    return Part("series", lambda: PartResult(table_of(make(), InterventionSeries)))


@dataclass(frozen=True)
class MeasuredOn:
    """The rows that triggers and tuned models are measured on."""

    triggers: FoundTriggers
    """The triggers, which are measured on templates that their search never saw."""
    tuning: HeldOutRows
    """The held-out rows, which tuned models are measured on."""


def quad_parts(
    table: ToldTable, scores: ArmScores, lengths: LengthsOf, measured: MeasuredOn
) -> Iterator[Part]:
    """Yield one part per class of quads, language and model."""
    for language, rows in _by_language(table, (*PROPERTIES, "language")):
        for quads in quad_classes([rows], table.form):
            for model in scores.models:
                yield series_part(
                    functools.partial(_of_quads, quads, language, model, table, scores, lengths, measured)
                )


def _of_quads(
    quads: QuadTable,
    language: str,
    model: str,
    table: ToldTable,
    scores: ArmScores,
    lengths: LengthsOf,
    measured: MeasuredOn,
) -> Iterator[InterventionSeries]:
    columns = quads.columns
    within = {}
    for intervention in table.interventions:
        names = measured.triggers.templates(intervention, table.form, columns.subject_class)
        if names is not None:
            seen = np.isin(np.array(columns.templates, dtype=np.str_), sorted(names))
            within[intervention.id] = seen[columns.template]
    tuned = model in measured.tuning.tuned
    quads_of_model = AskedQuads(
        quads,
        language,
        model,
        None if tuned else lengths(quads, QuadModel("audit", model, "")),
        within,
        measured.tuning.of_quads(language, columns) if table.form == "question" else None,
        tuned,
    )
    return quad_series(quads_of_model, table.interventions, functools.partial(scores.table, model))


def twin_parts(table: ToldTable, scores: ArmScores, measured: MeasuredOn) -> Iterator[Part]:
    """Yield one part per class of twins, language and model."""
    for _, rows in _by_language(table, TWIN_PROPERTIES):
        for name in sorted(pc.unique(rows["subject_class"]).to_pylist()):
            twins = rows.filter(pc.equal(rows["subject_class"], name))
            for model in scores.models:
                yield series_part(functools.partial(_of_twins, twins, model, table, scores, measured))


def _of_twins(
    twins: pa.Table, model: str, table: ToldTable, scores: ArmScores, measured: MeasuredOn
) -> Iterator[InterventionSeries]:
    part = twins["subject_class"][0].as_py()
    templates = {i.id: measured.triggers.templates(i, table.form, part) for i in table.interventions}
    twins_of_model = AskedTwins(
        twins,
        table.form,
        model,
        {intervention: names for intervention, names in templates.items() if names is not None},
        measured.tuning.of_twins(twins) if table.form == "question" else None,
        model in measured.tuning.tuned,
    )
    return twin_series(twins_of_model, table.interventions, functools.partial(scores.table, model))


def item_parts(
    table: ToldTable, scores: ArmScores, patterns: Mapping[str, str], triggers: FoundTriggers
) -> Iterator[Part]:
    """Yield one part per model, language and domain that interventions are added to."""
    artifact = table.artifact
    counted: dict[tuple[str, str], int] = {}
    for shard in artifact.shards_of(table.table):
        named = artifact.piece(shard, ("language", "domain"))
        for row in named.group_by(["language", "domain"]).aggregate([([], "count_all")]).to_pylist():
            key = (row["language"], row["domain"])
            counted[key] = counted.get(key, 0) + row["count_all"]
    for (language, domain), n in sorted(counted.items()):
        interventions = [i for i in table.interventions if i.language == language and domain in i.domains]
        interventions = [i for i in interventions if not i.attribute_clusters]
        sought = [i for i in interventions if triggers.templates(i, "nli", domain) is not None]
        interventions = [i for i in interventions if i not in sought]
        for model in scores.models if interventions else ():
            read = functools.partial(_items, table, language, domain)
            asked = AskedItems(language, domain, n, read, patterns, model)
            yield series_part(
                functools.partial(item_series, asked, interventions, functools.partial(scores.table, model))
            )

        names = triggers.templates(sought[0], "nli", domain) if sought else None
        if names:
            read = functools.partial(_held_out_items, table, language, domain, names)
            n = sum(rows.num_rows for rows in read())
            for model in scores.models:
                asked = AskedItems(language, domain, n, read, patterns, model)
                told_to = functools.partial(scores.table, model)
                yield series_part(functools.partial(item_series, asked, sought, told_to))


def _held_out_items(
    table: ToldTable, language: str, domain: str, names: frozenset[str]
) -> Iterator[pa.Table]:
    """Yield the items of the templates ``names``."""
    for rows in _items(table, language, domain, ("template_id",)):
        there = pc.is_in(rows["template_id"], value_set=pa.array(sorted(names), pa.string()))
        yield rows.filter(there).select(list(ITEM_PROPERTIES))


def _items(table: ToldTable, language: str, domain: str, more: tuple[str, ...] = ()) -> Iterator[pa.Table]:
    for shard in table.artifact.shards_of(table.table):
        columns = dict.fromkeys((*ITEM_PROPERTIES, "language", "domain", *more))
        rows = table.artifact.piece(shard, tuple(columns))
        here = pc.and_(pc.equal(rows["language"], language), pc.equal(rows["domain"], domain))
        yield rows.filter(here).select(list(dict.fromkeys((*ITEM_PROPERTIES, *more))))


def _by_language(table: ToldTable, columns: tuple[str, ...]) -> Iterator[tuple[str, pa.Table]]:
    artifact = table.artifact
    whole = pa.concat_tables(artifact.piece(s, columns) for s in artifact.shards_of(table.table))
    for language in sorted(pc.unique(whole["language"]).to_pylist()):
        yield language, whole.filter(pc.equal(whole["language"], language))
