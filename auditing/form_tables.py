"""The tables of an audit in one form: of NLI items, asked as pairs or as questions, or of quads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pyarrow as pa

from nextset.auditing.audit_records import AuditedModel, MeasureRow
from nextset.auditing.audit_tables import AuditTables, design_of
from nextset.auditing.model_comparisons import compare_models
from nextset.auditing.nli.contrast_sets import contrast_sets
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measure_rows
from nextset.auditing.nli.nli_audit import audit_items
from nextset.auditing.nli.outcome_rates import GROUPINGS, outcome_rows
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.own_measures.function_tables import (
    audit_functions,
    function_changes,
    of_form,
    own_measures,
)
from nextset.auditing.own_measures.item_rows import item_rows
from nextset.auditing.own_measures.quad_rows import quad_rows
from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_columns import QuadSet
from nextset.auditing.quads.quad_tables import LengthsOf, quad_classes, quad_set, scores_by_model
from nextset.forms import FormName

__all__ = ["item_tables", "quad_tables", "question_tables"]

Tick = Callable[[int, int], None]


def item_tables(
    sets: Sequence[ItemSet],
    judged: ItemSet | None,
    scores: Iterable[pa.Table],
    form: FormName,
    tick: Tick,
    functions: Sequence[FunctionMeasure] = (),
) -> AuditTables:
    """Return the tables of NLI items; ``judged`` are measured by their verdicts, without comparisons.

    ``functions`` are further measures of ``sets``. ``scores`` can be read several times. ``tick`` gets the
    number of sets counted so far, and of all sets.
    Raises the same errors as `nextset.auditing.nli.item_counts.count_items`.
    """
    total = len(sets) + (judged is not None)
    counts = []
    for items in sets:
        counts.append(count_items(items, scores))
        tick(len(counts), total)
    own = of_form(functions, form)
    rows = [item_rows(items, scores, form) for items in sets] if own else []
    of_functions = [audit_functions(of_set, own) for of_set in rows]
    changes = [list(function_changes(first, second, own)) for first, second in pairwise(rows)]
    audit = audit_items(counts, form, [f.compared for f in of_functions], changes)
    measures = [*audit.measures, *(row for f in of_functions for row in f.measures)]
    measures += [row for items in sets for row in _contrast_rows(items, scores, form)]
    if judged is not None:
        of_judged = count_items(judged, scores)
        for by in ("all", "domain", "stereotype"):
            measures += measure_rows(of_judged, form, by)
        for grouping in GROUPINGS:
            measures += outcome_rows(of_judged, form, grouping)
        tick(total, total)
    models = {m.model: AuditedModel(model=m.model, role=m.role, revision=m.revision)
              for c in counts for m in c.models}  # fmt: skip
    return AuditTables(
        measures=measures,
        comparisons=audit.comparisons,
        sensitivity=[*audit.sensitivity, *(row for f in of_functions for row in f.sensitivity)],
        models=list(models.values()),
        design=[design_of(form, "templates, each within its stereotype")],
        own_measures=own_measures(own),
    )


def _contrast_rows(items: ItemSet, scores: Iterable[pa.Table], form: FormName) -> Iterator[MeasureRow]:
    """Yield the measures by pair of groups, for stereotypes that compare their target with several groups."""
    for name, of_pair in contrast_sets(items).items():
        for row in measure_rows(count_items(of_pair, scores), form, "all"):
            yield replace(row, by="contrast", part=name)


def question_tables(
    sets: Mapping[str, Callable[[], Iterable[pa.Table]]],
    scores: Iterable[pa.Table],
    form: FormName,
    lengths_of: LengthsOf,
    tick: Tick,
    functions: Sequence[FunctionMeasure] = (),
) -> AuditTables:
    """Return the tables of quads; ``sets`` has the quads of each set in pieces, by the set's name.

    ``tick`` gets the number of steps done, and of all steps. Raises MissingStage if a score is missing,
    ArtifactError if scores are inconsistent.
    """
    by_model = scores_by_model(scores)
    quad_sets = [
        quad_set(name, quads, by_model, lengths_of)
        for name, pieces in sets.items()
        for quads in quad_classes(pieces(), form)
    ]
    return quad_tables(quad_sets, tick, functions)


def quad_tables(
    sets: Sequence[QuadSet], tick: Tick, functions: Sequence[FunctionMeasure] = ()
) -> AuditTables:
    """Return the tables of quads in sets of one form; the models are those that have scores.

    ``functions`` are further measures of all quads.
    """
    audited = audit_quads(sets, tick)
    own = of_form(functions, sets[0].columns.form) if sets else ()
    of_functions = [audit_functions(quad_rows(quads), own) for quads in sets] if own else []
    models = sorted({model for quads in sets for model in quads.scores})
    return AuditTables(
        measures=[*audited.measures, *(row for f in of_functions for row in f.measures)],
        preferences=audited.preferences,
        comparisons=compare_models([*audited.compared, *(c for f in of_functions for c in f.compared)]),
        sensitivity=[*audited.sensitivity, *(row for f in of_functions for row in f.sensitivity)],
        models=[AuditedModel(model=m.model, role=m.role, revision=m.revision) for m in models],
        design=[design_of(sets[0].columns.form, "templates, and pairs of subjects")] if sets else [],
        own_measures=own_measures(own),
    )
