"""NLI items as yes/no questions: one question per row, and probabilities of yes, maybe and no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.yes_no_canaries import yes_no_canaries
from nextset.scoring.forms.nli import LabelScores, LabelWording
from nextset.scoring.forms.scored_form import AskedRows
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.question_items import WITHOUT_QUESTION, items_with_questions
from nextset.scoring.scorer_protocol import YesNoQuestion

__all__ = ["YES_NO_SCORING", "YesNoScoring", "YesNoWording"]


class YesNoWording(LabelWording):
    """One way to ask a yes/no question about a premise."""

    needed = ("premise", "question")

    def texts(self, asked: YesNoQuestion) -> Mapping[str, str]:
        """Return premise and question."""
        return {"premise": asked.premise, "question": asked.question}


class YesNoScoring(LabelScores):
    """NLI items as yes/no questions; the scores are `NliScore` rows."""

    name = "qa"
    columns = ("id", "premise", "question")
    labels = ("yes", "maybe", "no")
    section = "yes_no"
    wording = YesNoWording

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions."""
        return list(map(YesNoQuestion, rows["premise"].to_pylist(), rows["question"].to_pylist()))

    def asked(self, rows: pa.Table) -> AskedRows:
        """Return the items that have a question."""
        with_question = items_with_questions(rows)
        return AskedRows(with_question, {WITHOUT_QUESTION: rows.num_rows - with_question.num_rows})

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return questions with the obvious answer yes or no; raises ModelError."""
        return yes_no_canaries(source, asking.model)


YES_NO_SCORING = YesNoScoring()
"""Yes/no questions in scoring."""
