"""Choice items in the filter: right options, sets, conditions and polarities, groups of the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.cluster_bootstrap import Clusters, choice_clusters
from nextset.filtering.balance import Parts, parts_by
from nextset.filtering.choice_answers import (
    CHOICE_COLUMNS,
    OPTIONAL_COLUMNS,
    ChoiceAnswers,
    choice_answers,
)
from nextset.filtering.forms.filter_form import (
    GENERAL_RULES,
    CandidateRows,
    FilterForm,
    PlainItems,
    RowColumns,
)
from nextset.filtering.held_out_gap import accuracies
from nextset.filtering.item_sets import Sets, sets_of
from nextset.filtering.model_answers import Answers
from nextset.records.choice_controls import NEUTRAL_BY, neutral_choices
from nextset.records.filter_tables import AccuracyRow
from nextset.scoring.wrong_answers import Missing

__all__ = ["CHOICE", "FilteredChoices"]

_ANSWERED = ("id", "label", "condition", "polarity", "target", "unknown")
"""The columns that the models' answers are compared with."""


class FilteredChoices(FilterForm):
    """Choice items as candidates; items of neutral content are never candidates, and those of them with an
    answer are controls."""

    answers = "choices"
    row = "an item"
    rows = "items"
    replies = "chooses"
    finder = "missed_by"
    id_columns = ("id", "condition", *NEUTRAL_BY)
    answer_columns = _ANSWERED
    score_columns = CHOICE_COLUMNS
    optional_score_columns = OPTIONAL_COLUMNS
    right_answers = True
    shift_table = "accuracy"
    shift_record = AccuracyRow
    shift_title = "Accuracy before and after the filter"
    gap_title = "Held-out gap"
    sampled_by = "category"
    sampled = MappingProxyType(
        {"context": "Context", "question": "Question", "options": "Options", "label": "Right answer"}
    )
    carriers = ("category", "template")
    together = "The items of one set (conditions, polarities, orders, and who is named first)"
    tests = "control items, whose context gives the answer"
    tests_remedy = "name models that can answer questions about a text"
    compared_rules = (
        *GENERAL_RULES,
        *({"biased_choices": models} for models in (1, 2)),
        {"wrong_disambiguated": 1},
        {"choice_flips": 0.5},
    )

    def candidates(self, rows: pa.Table) -> Bools:
        return ~neutral_choices(rows)

    def control_rows(self, candidates: CandidateRows, plain: PlainItems) -> pa.Table:
        """Return the disambiguated items of neutral content, or else all disambiguated candidates."""
        rows = candidates.unfiltered([*dict.fromkeys((*_ANSWERED, *self.id_columns))])
        answered = rows.filter(pc.equal(rows["condition"], "disambiguated"))
        neutral = answered.filter(pa.array(neutral_choices(answered)))
        return neutral if neutral.num_rows else answered

    def sampled_texts(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        options = [option["text"] for option in row["options"]]
        return row["context"], row["question"], " / ".join(options), options[row["label"]]

    def read_answers(
        self,
        rows: pa.Table,
        scores: Iterable[pa.Table],
        models: Sequence[str],
        *,
        probabilities: bool = False,
        missing: Missing = "not_wrong",
    ) -> ChoiceAnswers:
        return choice_answers(rows, scores, models, probabilities=probabilities, missing=missing)

    def sets(self, candidates: RowColumns) -> Sets:
        return sets_of(candidates.table(["set_id"])["set_id"])

    def balance_by(self, by: str) -> str:
        return "kind" if by == "stance" else "group"

    def balance_parts(self, by: str, candidates: CandidateRows) -> Parts:
        if by == "group":
            return _target_groups(candidates)
        rows = candidates.table(["condition", "polarity"])
        kinds = pc.binary_join_element_wise(rows["condition"], rows["polarity"], ", ")
        return parts_by("kind", pc.replace_substring(kinds, "_", "-"))

    def survival_parts(self, candidates: CandidateRows) -> list[Parts]:
        def of(name: str) -> pa.ChunkedArray:
            return candidates.table([name])[name]

        subcategories = of("subcategory")
        named = pc.if_else(pc.equal(subcategories, ""), pa.scalar(None, pa.string()), subcategories)
        return [
            parts_by("category", of("category")),
            *([parts_by("subcategory", named)] if named.null_count < len(named) else []),
            parts_by("condition", of("condition")),
            parts_by("polarity", of("polarity")),
            _target_groups(candidates),
            parts_by("template", _templates(candidates)),
        ]

    def clusters(self, candidates: CandidateRows, patterns: Callable[[], dict[str, str]]) -> Clusters:
        return choice_clusters(candidates.table(["language", "category", "template_id"]))

    def shifts(self, answers: Answers, keep: Bools, role: str) -> list[AccuracyRow]:
        assert isinstance(answers, ChoiceAnswers)
        return accuracies(answers, keep, role)


def _target_groups(candidates: CandidateRows) -> Parts:
    lists = candidates.table(["target_groups"])["target_groups"].combine_chunks()
    groups = pc.binary_join(pc.cast(lists, pa.list_(pa.string())), ", ")
    named = pc.if_else(pc.equal(groups, ""), pa.scalar(None, pa.string()), groups)
    return parts_by("target group", pa.chunked_array([named]))


def _templates(candidates: CandidateRows) -> pa.ChunkedArray:
    """Return the names of the templates, after their categories if one name is in several categories."""
    rows = candidates.table(["category", "template_id"])
    both = pc.binary_join_element_wise(rows["category"], rows["template_id"], ": ")
    shared = len(pc.unique(both)) > len(pc.unique(rows["template_id"]))
    return both if shared else rows["template_id"]


CHOICE = FilteredChoices()
"""Choice items in the filter."""
