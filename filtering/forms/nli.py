"""NLI items in the filter: right labels, accuracy, stances and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.cluster_bootstrap import Clusters, template_clusters
from nextset.filtering.balance import Parts, parts_by
from nextset.filtering.forms.filter_form import (
    GENERAL_RULES,
    CandidateRows,
    FilterForm,
    PlainItems,
    RowColumns,
)
from nextset.filtering.held_out_gap import accuracies
from nextset.filtering.item_answers import ITEM_COLUMNS, ItemAnswers, item_answers
from nextset.filtering.item_sets import Sets, sets_of
from nextset.filtering.model_answers import Answers
from nextset.records.filter_tables import AccuracyRow
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS
from nextset.scoring.wrong_answers import Missing
from nextset.study.item_tables import distinct

__all__ = ["NLI"]

_SURVIVAL = {
    "domain": "domain",
    "stereotype": "stereotype",
    "stance": "stance_design",
    "template": "template_id",
}
"""The parts in the survival table, and their columns."""


class FilteredItems(FilterForm):
    """NLI items as candidates; test items are controls, never candidates."""

    answers = "labels"
    answer = "label"
    row = "an item"
    rows = "items"
    finder = "missed_by"
    id_columns = ("id", "stance_design")
    answer_columns = ("id", "label")
    score_columns = ITEM_COLUMNS
    right_answers = True
    shift_table = "accuracy"
    shift_record = AccuracyRow
    shift_title = "Accuracy before and after the filter"
    gap_title = "Held-out gap"
    sampled_by = "stereotype"
    sampled = MappingProxyType({"premise": "Premise", "hypothesis": "Hypothesis", "label": "Right answer"})

    part_names = MappingProxyType({"template": "template and premise"})
    compared_rules = (*GENERAL_RULES, *({"lowest_neutral": share} for share in (0.05, 0.1, 0.2, 0.3)))

    def candidates(self, rows: pa.Table) -> Bools:
        return np.asarray(pc.not_equal(rows["stance_design"], "test"))

    def control_rows(self, candidates: CandidateRows, plain: PlainItems) -> pa.Table:
        """Return the test items; they are scored with the plain expansion."""
        items = plain([*self.answer_columns, "stance_design"])
        return distinct(items.filter(pc.equal(items["stance_design"], "test")))

    def read_answers(
        self,
        rows: pa.Table,
        scores: Iterable[pa.Table],
        models: Sequence[str],
        *,
        probabilities: bool = False,
        missing: Missing = "not_wrong",
    ) -> ItemAnswers:
        return item_answers(
            rows["id"], rows["label"], scores, models, probabilities=probabilities, missing=missing
        )

    def sets(self, candidates: RowColumns) -> Sets:
        return sets_of(candidates.table(["set_id"])["set_id"])

    def balance_by(self, by: str) -> str:
        return by

    def balance_parts(self, by: str, candidates: CandidateRows) -> Parts:
        if by == "stance":
            return parts_by("stance", candidates.table(["stance_design"])["stance_design"])
        return parts_by("group", candidates.groups())

    def survival_parts(self, candidates: CandidateRows) -> list[Parts]:
        parts = [parts_by(by, candidates.table([column])[column]) for by, column in _SURVIVAL.items()]
        return [*parts, parts_by("group", candidates.groups())]

    def clusters(self, candidates: CandidateRows, patterns: Callable[[], dict[str, str]]) -> Clusters:
        return template_clusters(candidates.table(["stereotype", *PATTERN_COLUMNS]), patterns())

    def shifts(self, answers: Answers, keep: Bools, role: str) -> list[AccuracyRow]:
        assert isinstance(answers, ItemAnswers)
        return accuracies(answers, keep, role)


NLI = FilteredItems()
