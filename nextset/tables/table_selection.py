"""The filter without a study: the items that models find hard, by a rule or a function."""

from __future__ import annotations

from typing import get_args

import pyarrow as pa

from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import InputError, MissingStage
from nextset.filtering.forms.filter_form import FILTERING_FORMS, FilterForm
from nextset.filtering.table_filter import WrittenRule, filter_table
from nextset.forms import NLI
from nextset.records.choice_items import OPTION_SCORES
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.wrong_answers import Missing
from nextset.study.study_folder import Study
from nextset.tables.choice_columns import with_places
from nextset.tables.given_items import given_items
from nextset.tables.given_tables import TableLike, given_table
from nextset.tables.named_tables import NamedTables
from nextset.tables.table_checks import (
    check_complete,
    check_known,
    check_labels,
    check_numbers,
    check_once,
    with_text_ids,
)

__all__ = ["filter"]


def filter(
    items: TableLike,
    scores: TableLike,
    rule: WrittenRule = "majority_wrong",
    *,
    pairs: str = "whole",
    missing: Missing = "not_wrong",
    form: str = "",
) -> NamedTables:
    """Return the items that models find hard; every model in ``scores`` is a filter model.

    ``items`` have the columns id and label (choice items all of their record that are about options), and
    ``scores`` those of the result of ``nextset.score``. ``rule``
    is written as in study.yaml, such as majority_wrong or {"margin_below": 0.1}, or is a function
    (``nextset.filtering.rules.own_rule.RuleFunction``). ``pairs`` is as in filter.pairs: whole keeps or
    rejects items with the same set_id together, apart one by one. ``missing`` is as in filter.missing: an
    item that a model did not answer is not_wrong, or wrong, or dropped (drop). ``form`` is by default that of
    the columns. The tables are kept and rejected, the latter with the column reason. Test items are in
    neither. Raises InputError for wrong values, or a rule that fails or does not fit, and MissingStage if a
    model has no score for an item.
    """
    if isinstance(items, Study):
        raise InputError(
            "filter takes tables, not a study", remedy="use nextset.filter_candidates(study) for a study"
        )
    if pairs not in ("whole", "apart"):
        raise InputError(
            f"pairs={pairs!r} is not whole or apart", remedy='write pairs="whole" or pairs="apart"'
        )
    if missing not in get_args(Missing):
        raise InputError(
            f"missing={missing!r} is not one of {', '.join(get_args(Missing))}",
            remedy='write missing="not_wrong"',
        )
    table, answers = given_items(items), given_table(scores, "scores")
    chosen = form or _form(set(answers.column_names))
    answers = with_text_ids(answers, "scores", ("item_id", "model"))
    check_once(answers, "scores", ("item_id", "model"), "keep one score of each model for each item")
    if "id" in table.column_names:
        check_known(answers, "scores", "item_id", table)
    check_complete(answers, "scores")
    check_numbers(answers, "scores", (*LABELS, *OUTCOMES, *SCORES, *OPTION_SCORES))
    table = _CHECKS.get(FILTERING_FORMS[chosen].answers, _unchecked)(table)
    try:
        filtered = filter_table(table, answers, rule, form=chosen, whole=pairs == "whole", missing=missing)
    except MissingStage as e:
        raise MissingStage(
            e.message, remedy="give the scores of every model for every item, or fewer items"
        ) from None
    counts = {f"kept: {filtered.rule}": filtered.kept.num_rows, "rejected": filtered.rejected.num_rows}
    return NamedTables({"kept": filtered.kept, "rejected": filtered.rejected}, counts)


def _labelled(items: pa.Table) -> pa.Table:
    check_labels(items)
    return items


def _unchecked(items: pa.Table) -> pa.Table:
    return items


_CHECKS = {"labels": _labelled, "choices": with_places}
"""The check of the right answers, by the kind of answers."""


def _form(columns: set[str]) -> str:
    """Return the first form whose scores have ``columns``."""
    fitting = [name for name in FILTERING_FORMS.names if columns >= _needed(FILTERING_FORMS[name])]
    if not fitting:
        missing = ", ".join(sorted({*FILTERING_FORMS[NLI.name].score_columns} - columns))
        raise InputError(
            f"the scores lack the columns {missing}; they have {', '.join(sorted(columns))}",
            remedy="add them, or give the result of nextset.score",
        )
    return fitting[0]


def _needed(form: FilterForm) -> set[str]:
    """Return the columns that a table of scores of ``form`` has."""
    return set(form.score_columns) - set(form.optional_score_columns)
