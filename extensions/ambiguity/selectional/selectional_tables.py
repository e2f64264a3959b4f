"""The tables of an audit of questions with several right answers."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from nextset.artifacts.build import FilePart, Part, PartResult
from nextset.auditing.audit_tables import measures_csv
from nextset.auditing.holm_correction import with_corrected_p
from nextset.extensions.ambiguity.selectional.answered_people import (
    ModelRows,
    QuestionPeople,
    model_rows,
    people_found,
)
from nextset.extensions.ambiguity.selectional.copy_tests import copy_swaps
from nextset.extensions.ambiguity.selectional.group_tests import group_differences, group_recalls, group_tests
from nextset.extensions.ambiguity.selectional.order_tests import adjusted_odds, order_recalls
from nextset.extensions.ambiguity.selectional.selectional_findings import selectional_findings
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    PersonFound,
    SelectionalFinding,
)
from nextset.extensions.ambiguity.selectional.selectional_warnings import left_out, selectional_warnings
from nextset.extensions.ambiguity.unanswered_groups import (
    UnansweredGroup,
    unanswered_groups,
    unanswered_warnings,
)
from nextset.records.arrow_schema import table_of

__all__ = ["SelectionalTables"]


@dataclass(frozen=True)
class SelectionalTables:
    """Tables that are computed when the first of them is needed."""

    questions: Sequence[QuestionPeople]
    """The questions, with the people who are right answers."""
    models: Sequence[AnsweringModel]
    answers: Mapping[str, Mapping[str, str]]
    """The answers of each model, by the question's id."""
    refused: int = 0
    """The number of questions that are excluded because names in their texts cannot be replaced."""
    muted: Sequence[str] = ()
    """The readers that were trained to give no answer if there is none, but must always give one here."""
    outcomes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The outcomes of refused and cut-off answers, by the model and the question's id."""

    def parts(self) -> Iterator[Part | FilePart]:
        """Yield a part for each table, and the file recall.csv."""
        yield Part("models", lambda: PartResult(table_of(self.models, AnsweringModel)))
        yield Part("found", lambda: PartResult(table_of(self.found, PersonFound)))
        yield Part("recall", lambda: PartResult(self._recall_table))
        yield Part("tests", lambda: PartResult(table_of(self.tests, GroupTest)))
        yield Part("differences", lambda: PartResult(table_of(self.differences, GroupDifference)))
        yield Part("order", lambda: PartResult(table_of(self.order, OrderRecall)))
        yield Part("adjusted", lambda: PartResult(table_of(self.adjusted, AdjustedOdds)))
        yield Part("swaps", lambda: PartResult(table_of(self.swaps, CopySwap)))
        yield Part("conclusions", lambda: PartResult(table_of(self._findings(), SelectionalFinding)))
        if self.silent:
            yield Part("unanswered", lambda: PartResult(table_of(self.silent, UnansweredGroup)))
        yield FilePart("recall.csv", lambda: measures_csv(self._recall_table))

    @functools.cached_property
    def found(self) -> list[PersonFound]:
        """Each right answer, for each model."""
        return [
            row
            for model in self.models
            for row in people_found(self.questions, self.answers[model.model], model.model)
        ]

    @functools.cached_property
    def silent(self) -> list[UnansweredGroup]:
        """The answers that a model refused, or that were cut off, by group; empty without such an answer."""
        if not self.outcomes:
            return []
        return unanswered_groups(
            (row.model, row.group, self.outcomes.get((row.model, row.question_id), "answer"))
            for row in self.found
        )

    @functools.cached_property
    def recall(self) -> list[GroupRecall]:
        """Recall by group."""
        return [row for rows in self._rows for row in group_recalls(rows)]

    @functools.cached_property
    def tests(self) -> list[GroupTest]:
        """Chi-squared tests."""
        test_rows = [row for rows in self._rows for row in group_tests(rows)]
        return with_corrected_p(test_rows, lambda row: (row.rule, row.with_unknown), "chi_squared")

    @functools.cached_property
    def differences(self) -> list[GroupDifference]:
        """Differences between groups."""
        difference_rows = [row for rows in self._rows for row in group_differences(rows)]
        return with_corrected_p(difference_rows, lambda row: row.rule, "difference")

    @functools.cached_property
    def order(self) -> list[OrderRecall]:
        """Recall by order of mention."""
        recalls = [row for rows in self._rows for row in order_recalls(rows)]
        return with_corrected_p(recalls, lambda row: row.rule, "difference")

    @functools.cached_property
    def adjusted(self) -> list[AdjustedOdds]:
        """Groups compared within places of mention, and within questions."""
        odds = [row for rows in self._rows for row in adjusted_odds(rows)]
        return with_corrected_p(odds, lambda row: (row.rule, row.strata), "chi_squared")

    @functools.cached_property
    def swaps(self) -> list[CopySwap]:
        """Copies of questions compared person by person."""
        swap_rows = [row for rows in self._rows for row in copy_swaps(rows)]
        return with_corrected_p(swap_rows, lambda row: row.rule, "difference")

    @functools.cached_property
    def _recall_table(self) -> pa.Table:
        return table_of(self.recall, GroupRecall)

    @functools.cached_property
    def _rows(self) -> list[ModelRows]:
        clusters = {asked.question.id: asked.cluster for asked in self.questions}
        by_model: dict[str, list[PersonFound]] = {}
        for row in self.found:
            by_model.setdefault(row.model, []).append(row)
        return [model_rows(model, people, clusters) for model, people in by_model.items()]

    def _findings(self) -> Iterator[SelectionalFinding]:
        warnings = selectional_warnings(self.models, self.recall, self.muted)
        for text in (*warnings, *unanswered_warnings(self.silent)):
            yield SelectionalFinding(text=text, warning=True)
        yield from selectional_findings(
            self.models, self.recall, self.differences, self.tests, self.order, self.adjusted, self.swaps
        )
        for text in left_out(self.questions, self.refused):
            yield SelectionalFinding(text=text, warning=False)
