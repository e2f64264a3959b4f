"""Measures of predictions in tables, without a study: nextset's own, and functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.choices.choice_arrays import GROUPINGS as CHOICE_BY
from nextset.auditing.choices.choice_arrays import PROPERTIES as CHOICE_PROPERTIES
from nextset.auditing.choices.choice_counts import CHOICE_MEASURES, choice_set, count_choices
from nextset.auditing.choices.choice_measure_rows import choice_rate_rows, choice_rows
from nextset.auditing.choices.choice_series import CHOICE_RATES, part_cells
from nextset.auditing.measures.measure import MEASURES
from nextset.auditing.nli.answer_counts import ITEM_MEASURES
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measure_rows
from nextset.auditing.nli.outcome_rates import GROUPINGS, OUTCOME_MEASURES, outcome_rows
from nextset.auditing.own_measures.choice_item_rows import choice_item_rows
from nextset.auditing.own_measures.function_measure import (
    FunctionMeasure,
    MeasureFunction,
    check_names,
    function_measure,
    packaged_measure,
)
from nextset.auditing.own_measures.function_tables import audit_functions, of_form
from nextset.auditing.own_measures.item_rows import item_rows
from nextset.auditing.own_measures.quad_rows import quad_rows
from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_columns import SCORES
from nextset.auditing.quads.quad_outcomes import RATES
from nextset.auditing.quads.quad_tables import PROPERTIES, quad_classes, quad_set, scores_by_model
from nextset.auditing.quads.quad_values import QUAD_MEASURES
from nextset.errors import InputError, examples
from nextset.forms import CHOICE, NLI
from nextset.records.arrow_schema import table_of
from nextset.records.choice_items import OPTION_SCORES

__all__ = ["AskedMeasure", "measure_table"]

AskedMeasure = str | MeasureFunction | FunctionMeasure
"""The name of a measure in `nextset.auditing.measures.measure.MEASURES`, or a function."""

SET = "dataset"
_ITEM_BY = GROUPINGS
_QUAD_BY = ("all", "subject", "attribute", "attribute_cluster", "cluster", "template")


def measure_table(
    items: pa.Table, scores: pa.Table, measures: Sequence[AskedMeasure] = (), by: str = "all"
) -> pa.Table:
    """Return measures of the ``scores`` of ``items``, one row per model, part and measure, with intervals.

    ``items`` are NLI items (columns id and label; stance_design for measures of bias; template_id, hypothesis
    and premise for the clusters of intervals; domain and stereotype for parts), quads with the columns
    `nextset.auditing.quads.quad_tables.PROPERTIES`, or choice items with the columns
    `nextset.auditing.choices.choice_arrays.PROPERTIES`. ``scores`` have item_id, model, revision, role, and
    the probabilities entailment, neutral and contradiction, each in [0, 1]; for quads the eight scores, for
    choice items the columns `OPTION_SCORES`. Without ``measures``, all of nextset's measures are computed
    that the columns allow. ``by`` is all, domain or stereotype; for quads all, subject, attribute,
    attribute_cluster, cluster or template; for choice items one of
    `nextset.auditing.choices.choice_arrays.GROUPINGS`. The result has the columns of `MeasureRow`. Raises
    InputError for missing columns and unknown names, and for a function that does not return a number.
    """
    kind = next((k for k in _KINDS if set(k.scores) <= set(scores.column_names)), _ITEMS)
    if by not in kind.groupings:
        raise InputError(
            f"by={by!r} is not a grouping of {kind.noun}", remedy=f"use one of {', '.join(kind.groupings)}"
        )
    return table_of(kind.rows(items, scores, measures, by), MeasureRow)


def _functions(measures: Sequence[AskedMeasure], form: str) -> tuple[FunctionMeasure, ...]:
    """Return those of ``measures`` that are functions, and functions that packages register.

    Raises InputError for a function that is not defined for ``form``.
    """
    functions = [
        packaged_measure(measure) if isinstance(measure, str) else function_measure(measure)
        for measure in measures
        if not isinstance(measure, str) or measure not in MEASURES.own_names
    ]
    check_names(functions)
    other = [m.name for m in functions if form not in m.forms]
    if other:
        raise InputError(
            f"{examples(other)} is not defined for these rows",
            remedy=f"omit it, or add {form!r} to the forms of its FunctionMeasure",
        )
    return of_form(functions, form)


def _named(measures: Sequence[AskedMeasure], known: Sequence[str]) -> set[str]:
    """Return the names of nextset's measures that are asked for; raises InputError for other rows' names."""
    names = [m for m in measures if isinstance(m, str) and m in MEASURES.own_names]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise InputError(
            f"{examples(wrong)} is not defined for these rows", remedy=f"use some of {', '.join(known)}"
        )
    return set(names or (() if measures else known))


def _items(items: pa.Table, scores: pa.Table, measures: Sequence[AskedMeasure], by: str) -> list[MeasureRow]:
    outcomes = [m.name for m in OUTCOME_MEASURES]
    named = _named(measures, [m.name for m in ITEM_MEASURES] + outcomes)
    with_stance = "stance_design" in items.column_names
    if not with_stance:
        biased = [m.name for m in ITEM_MEASURES if m.name != "accuracy" and m.name in named]
        if measures and biased:
            raise _lacks_stance(biased)
        named &= {"accuracy", *outcomes}
    functions = _functions(measures, NLI.name)
    tested = [m.name for m in functions if m.rows == "test"]
    if tested and not with_stance:
        raise _lacks_stance(tested)
    if by not in ("all", "group") and by not in items.column_names:
        raise InputError(
            f"by={by!r} needs the column {by} of the items, which is missing",
            remedy='add it, or use by="all"',
        )
    table = _completed(items)
    rows = ItemSet(SET, table.num_rows, lambda: [table])
    measured: list[MeasureRow] = []
    if named:
        counts = count_items(rows, [scores])
        rows_of = [*outcome_rows(counts, NLI.name, by)]
        if by != "group":
            rows_of = [*measure_rows(counts, NLI.name, by), *rows_of]  # type: ignore[arg-type]
        measured += [r for r in rows_of if r.measure in named]
    if functions:
        of_items = item_rows(rows, [scores], NLI.name, items.column_names)
        measured += audit_functions(of_items, functions, (by,)).measures
    return measured


def _lacks_stance(measures: Sequence[str]) -> InputError:
    return InputError(
        f"{examples(measures)} need the column stance_design of the items, which is missing",
        remedy="add it: pro, anti or test for each item",
    )


def _completed(items: pa.Table) -> pa.Table:
    """Return ``items`` with the columns that may be missing: the design of plain, unjudged items."""
    missing = [name for name in ("id", "label") if name not in items.column_names]
    if missing:
        raise InputError(
            f"the items have no column {' and no column '.join(missing)}",
            remedy="add it: each item's id and its right label",
        )
    texts = {"stance_design": "pro", "domain": "", "stereotype": "", "names_group": True}
    for name, value in texts.items():
        if name not in items.column_names:
            items = items.append_column(name, pa.repeat(pa.scalar(value), items.num_rows))
    repeated = items.num_rows - len(pc.unique(items["id"]))
    if repeated:
        raise InputError(f"{repeated} ids of the items are repeated", remedy="give each item its own id")
    return items


def _quads(items: pa.Table, scores: pa.Table, measures: Sequence[AskedMeasure], by: str) -> list[MeasureRow]:
    missing = [name for name in PROPERTIES if name not in items.column_names]
    if missing:
        raise InputError(
            f"the quads have no column {missing[0]}", remedy=f"add {', '.join(missing)} to the quads"
        )
    form = "statement" if "statement" in items.column_names else "question"
    named = _named(measures, [m.name for m in (*QUAD_MEASURES, *RATES)])
    functions = _functions(measures, form)
    by_model = scores_by_model([scores])
    measured: list[MeasureRow] = []
    for quads in quad_classes([items], form):
        one = quad_set(SET, quads, by_model, lambda quads, model: None)
        if named:
            audited = audit_quads([one]).measures
            measured += [r for r in audited if r.by == by and r.measure in named]
        if functions:
            measured += audit_functions(quad_rows(one), functions, (by,)).measures
    return measured


_TEXTS = {"language": "", "category": "", "subcategory": "", "template_id": "", "cue": "label"}
"""The columns of choice items that may be missing; without template_id, all items are of one template."""
_PART_COLUMNS = {
    "category": ("category",),
    "subcategory": ("category", "subcategory"),
    "cue": ("cue",),
    "category_cue": ("category", "cue"),
}
"""The columns of `_TEXTS` that a grouping needs."""


def _choices(
    items: pa.Table, scores: pa.Table, measures: Sequence[AskedMeasure], by: str
) -> list[MeasureRow]:
    lacking = [name for name in _PART_COLUMNS.get(by, ()) if name not in items.column_names]
    if lacking:
        raise InputError(
            f"by={by!r} needs the column {lacking[0]} of the items, which is missing",
            remedy='add it, or use by="all"',
        )
    for name, value in _TEXTS.items():
        if name not in items.column_names:
            items = items.append_column(name, pa.repeat(pa.scalar(value), items.num_rows))
    missing = [name for name in CHOICE_PROPERTIES if name not in items.column_names]
    if missing:
        raise InputError(
            f"the choice items have no column {missing[0]}",
            remedy=f"add {', '.join(missing)} to the items",
        )
    named = _named(measures, [m.name for m in (*CHOICE_MEASURES, *CHOICE_RATES)])
    functions = _functions(measures, CHOICE.name)
    counts = count_choices(choice_set(SET, [items]), [scores])
    if not part_cells(counts.columns, by):
        raise _lacks_parts(by)
    measured: list[MeasureRow] = []
    if named:
        rows = (*choice_rows(counts, CHOICE.name, by), *choice_rate_rows(counts, CHOICE.name, by))
        measured += [row for row in rows if row.measure in named]
    if functions:
        of_items = choice_item_rows(items, counts, lambda: scores, CHOICE.name)
        measured += audit_functions(of_items, functions, (by,)).measures
    return measured


def _lacks_parts(by: str) -> InputError:
    if by in _PART_COLUMNS:
        name = _PART_COLUMNS[by][-1]
        return InputError(f"by={by!r}: the column {name} of the items is empty", remedy="fill it")
    return InputError(
        f"by={by!r}: no option that is the target of its item has a group",
        remedy='write the groups of the people in the options, as in [{"text": "The grandfather", "group": '
        '"old"}, …], and the place of the target in the column target',
    )


@dataclass(frozen=True)
class _Kind:
    """A kind of items, by the columns of their scores."""

    noun: str
    scores: tuple[str, ...]
    groupings: tuple[str, ...]
    rows: Callable[[pa.Table, pa.Table, Sequence[AskedMeasure], str], list[MeasureRow]]


_ITEMS = _Kind("NLI items", (), _ITEM_BY, _items)
_KINDS = (
    _Kind("quads", SCORES, _QUAD_BY, _quads),
    _Kind("choice items", OPTION_SCORES, CHOICE_BY, _choices),
)
