"""Questions and masked statements in the filter: two subjects, mean |C|, groups of subjects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.cluster_bootstrap import Clusters, pair_clusters
from nextset.filtering.balance import Parts, parts_by, subject_parts
from nextset.filtering.forms.filter_form import CandidateRows, FilterForm, RowColumns
from nextset.filtering.held_out_gap import biases
from nextset.filtering.item_sets import Sets
from nextset.filtering.model_answers import Answers
from nextset.filtering.quad_answers import QUAD_COLUMNS, QuadAnswers, quad_answers
from nextset.records.filter_tables import BiasRow
from nextset.scoring.wrong_answers import Missing

__all__ = ["QUESTION", "STATEMENT"]

_SURVIVAL = {
    "class": "subject_class",
    "attribute kind": "attribute_kind",
    "attribute cluster": "attribute_cluster",
}
"""The parts in the survival table, and their columns."""

_OF_SUBJECTS = ("language", "subject1", "subject2", "subject1_in_12", "subject2_in_21", "context_21")
"""The columns that a subject's word in the language needs."""


class FilteredQuads(FilterForm):
    """Rows about two subjects as candidates; each is a set by itself and has no right answer."""

    answers = "subjects"
    finder = "found_by"
    score_columns = QUAD_COLUMNS
    shift_table = "bias"
    shift_record = BiasRow
    shift_title = "Mean |C| before and after the filter"
    gap_title = "Held-out gap in mean |C|"
    sampled_by = "class"

    def __init__(self, noun: str, replies: str) -> None:
        self.row = f"a {noun}"
        self.rows = f"{noun}s"
        self.replies = replies
        self.sampled = {"context_12": "Context", noun: noun.capitalize(), **dict.fromkeys(_OF_SUBJECTS, "")}

    def read_answers(
        self,
        rows: pa.Table,
        scores: Iterable[pa.Table],
        models: Sequence[str],
        *,
        probabilities: bool = False,
        missing: Missing = "not_wrong",
    ) -> QuadAnswers:
        return quad_answers(rows["id"], scores, models, missing=missing)

    def sets(self, candidates: RowColumns) -> Sets:
        return np.arange(candidates.rows)

    def balance_by(self, by: str) -> str:
        return "group"

    def balance_parts(self, by: str, candidates: CandidateRows) -> Parts:
        return subject_parts(candidates.table(["cluster1", "cluster2", "subject_class"]))

    def survival_parts(self, candidates: CandidateRows) -> list[Parts]:
        parts = [parts_by(by, candidates.table([column])[column]) for by, column in _SURVIVAL.items()]
        # the numbers of published templates start again in each class
        both = candidates.table(["subject_class", "template_id"])
        names = pc.binary_join_element_wise(both["subject_class"], both["template_id"], ": ")
        return [*parts, parts_by("template", names)]

    def clusters(self, candidates: CandidateRows, patterns: Callable[[], dict[str, str]]) -> Clusters:
        table = candidates.table(["subject_class", "template_id", "subject1", "subject2"])
        templates = pc.binary_join_element_wise(table["subject_class"], table["template_id"], "\0")
        return pair_clusters(templates, table["subject1"], table["subject2"])

    def shifts(self, answers: Answers, keep: Bools, role: str) -> list[BiasRow]:
        assert isinstance(answers, QuadAnswers)
        return biases(answers, keep, role)


QUESTION = FilteredQuads("question", "answers")
STATEMENT = FilteredQuads("statement", "chooses")
