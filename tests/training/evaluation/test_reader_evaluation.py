"""The figures of a reader on questions, also at the best threshold of its no-answer score."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import torch

from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.training.evaluation.reader_evaluation import evaluate_reader
from nextset.training.training_data.reader_questions import ReaderQuestion, RightSpan

FILLER = "The window is open and the door is closed. "
CONTEXT = "Walter left the button in the garden. Gregory is a calm judge. "
QUESTIONS = ("Who is calm?", "Where is the button?", "Who left the button?", "Who is a judge?")


class Hesitant(torch.nn.Module):
    """A reader whose first token, which stands for no answer, has higher logits."""

    def __init__(self, reader: Any, more: float) -> None:
        super().__init__()
        self.reader, self.more, self.config = reader, more, reader.config

    def forward(self, **inputs: torch.Tensor) -> Any:
        """Return the reader's outputs with other logits of the first token."""
        found = self.reader(**inputs)
        for logits in (found.start_logits, found.end_logits):
            logits[:, 0] += self.more
        return found


@pytest.mark.slow
def test_no_threshold_is_better_than_that_of_a_reader_that_is_always_right() -> None:
    """Its answers are the right ones, also where a context has several windows."""
    loaded = load(locate("builtin:qa-roformer"), "AutoModelForQuestionAnswering")
    hesitant: Any = Hesitant(copy.deepcopy(loaded.model), 8.0).eval()
    reader = SpanAnswers(replace(loaded, model=hesitant), Budget(4096), refuses=True)
    contexts = [FILLER * a + CONTEXT + FILLER * b for a, b in ((0, 60), (40, 10), (20, 40), (0, 0))]
    asked = [(question, context) for question in QUESTIONS for context in contexts]
    questions = [
        ReaderQuestion(str(i), *pair, (RightSpan(a.text, a.start),) if a.start is not None else ())
        for i, (pair, a) in enumerate(zip(asked, reader.answers(asked), strict=True))
    ]
    assert 0 < sum(not one.answers for one in questions) < len(questions)
    figures = evaluate_reader(reader, questions, thresholds=True).figures
    assert figures["em"] == figures["best_em"] == figures["best_f1"] == 1.0
