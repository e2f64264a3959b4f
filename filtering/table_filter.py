"""The filter over tables, without a study: items, scores and a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from nextset.errors import InputError
from nextset.files.yaml_values import problem_of_value, remedy_of_value
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.rules.own_rule import FunctionRule
from nextset.filtering.rules.rule_base import Rule, rule_of
from nextset.filtering.selection import select_by_rule
from nextset.forms import NLI, FormName
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import RULES, FilterRule, check_rule

__all__ = ["FilteredTable", "WrittenRule", "filter_table"]

WrittenRule = str | Mapping[str, Any] | Callable[[Any], Any]
"""A rule: its name, its name with a value as in study.yaml, or a function (`RuleFunction`)."""


@dataclass(frozen=True)
class FilteredTable:
    """The rows that a rule keeps, and those that it rejects with their reasons."""

    kept: pa.Table
    """The kept rows, with the columns that the table kept of out/filter adds."""
    rejected: pa.Table
    """The rejected rows, with the column reason."""
    rule: str
    """The rule as a sentence without its full stop."""


def filter_table(
    items: pa.Table,
    scores: pa.Table,
    rule: WrittenRule = "majority_wrong",
    *,
    form: FormName = NLI.name,
    whole: bool = True,
    missing: Missing = "not_wrong",
) -> FilteredTable:
    """Return the rows of ``items`` that ``rule`` keeps; each model in ``scores`` is a filter model.

    ``items`` have the columns of the form's record, at least id and label for NLI items, and ``scores`` those
    of `nextset.records.nli_items.NliScore` (for questions and statements, of
    `nextset.records.question_quads.QuadScore`). ``rule`` is written as in study.yaml, or is a function as
    `nextset.filtering.rules.own_rule.RuleFunction` describes. ``whole`` keeps NLI items with the same set_id
    together; an item without one stands alone. ``missing`` is the policy for rows that a model did not
    answer. Test items are omitted. Raises InputError if the rule does not
    fit or its function fails, and MissingStage if a score is missing.
    """
    part = FILTERING_FORMS[form]
    candidates = items.filter(pa.array(part.candidates(items))) if _has(items, part.id_columns) else items
    models = tuple(pc.unique(scores["model"]).to_pylist())
    decided = _rule(rule, form, len(models))
    answers = part.read_answers(
        candidates, [scores], models, probabilities=decided.reads_probabilities, missing=missing
    )
    decision = decided.decide_complete(answers, candidates["id"])
    sets = part.sets(_GivenRows(candidates)) if whole else np.arange(candidates.num_rows)
    selection = select_by_rule(decided, decision, answers, sets)
    return FilteredTable(
        selection.kept(candidates, 0, part.finder), selection.rejected(candidates, 0), decided.text(part)
    )


@dataclass(frozen=True)
class _GivenRows:
    given: pa.Table

    @property
    def rows(self) -> int:
        return int(self.given.num_rows)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the given rows with the named columns; a column that was not given is null."""
        nulls = pa.nulls(self.rows, pa.string())
        names = self.given.column_names if columns is None else columns
        there = self.given.column_names
        return pa.table({name: self.given[name] if name in there else nulls for name in names})


def _has(table: pa.Table, columns: tuple[str, ...]) -> bool:
    return set(columns) <= set(table.column_names)


def _rule(rule: WrittenRule, form: FormName, models: int) -> Rule:
    if callable(rule):
        name = getattr(rule, "__name__", type(rule).__name__)
        return FunctionRule(name, rule, f"the function {name} keeps it")
    try:
        written = FilterRule.model_validate(rule if isinstance(rule, str) else dict(rule))
        return rule_of(check_rule(written, form, models, cascade=False))
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        if first["type"] == "extra_forbidden":
            names = ", ".join(RULES.names)
            raise InputError(f"no rule is named {first['loc'][-1]!r}", remedy=f"use one of {names}") from None
        key = ".".join(map(str, first["loc"])) or "rule"
        raise InputError(f"{key}: {problem_of_value(first)}", remedy=remedy_of_value(first, key)) from None
