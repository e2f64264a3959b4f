"""Questions about a text as rows to be scored, and the answers that are made from their scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.reader_answers import ReaderAnswer
from nextset.scoring.answers.window_answers import trimmed_span
from nextset.scoring.scorer_protocol import Numbers, TextQuestion

__all__ = ["QUESTION_COLUMNS", "SpanAnswer", "answer_table", "near_answer_tie", "span_answer",
           "text_questions"]  # fmt: skip

QUESTION_COLUMNS = ("id", "question", "context")
"""The columns of a table of questions."""
CLOSE = 1e-3
"""The largest difference between the margins of a question in a batch and by itself. This is generous:
padding and the shape of the batch change a margin by about 1e-5."""


@dataclass(frozen=True)
class SpanAnswer:
    """A reader's answer to a question about a context."""

    text: str
    """The answer; empty if the model says that there is no answer."""
    start: int | None
    """The place of its first character in the context; None if there is no answer."""
    end: int | None
    """The place after its last character; None if there is no answer."""
    score: float
    """√(p_start · p_end) of the best span, in the window that contains it (Li et al. 2020)."""
    no_answer: float | None
    """The same for no answer, in its least likely window; None if the model must always answer."""
    windows: int
    """The number of windows that the model read the context in."""
    margin: float | None
    """The sum of the answer's two logits minus that of the next best answer; None if there is no other."""


def text_questions(rows: pa.Table) -> list[TextQuestion]:
    """Return the questions, one per row."""
    return list(map(TextQuestion, rows["context"].to_pylist(), rows["question"].to_pylist()))


def span_answer(context: str, numbers: Numbers) -> SpanAnswer:
    """Return the answer for a row of ANSWER_COLUMNS; a span of white space counts as no answer."""
    start, end, score, no_answer, windows, margin = numbers.tolist()
    first, last = (0, 0) if np.isnan(start) else trimmed_span(context, int(start), int(end))
    given = first < last
    return SpanAnswer(
        text=context[first:last],
        start=first if given else None,
        end=last if given else None,
        score=score,
        no_answer=None if np.isnan(no_answer) else no_answer,
        windows=int(windows),
        margin=margin if np.isfinite(margin) else None,
    )


def answer_table(rows: pa.Table, numbers: Numbers, *, model: str, revision: str) -> pa.Table:
    """Return one ReaderAnswer per row from its numbers, shape (rows, ANSWER_COLUMNS)."""
    return table_of(
        (
            ReaderAnswer(question_id=asked, model=model, revision=revision, **asdict(span_answer(text, row)))
            for asked, text, row in zip(
                rows["id"].to_pylist(), rows["context"].to_pylist(), numbers, strict=True
            )
        ),
        ReaderAnswer,
    )


def near_answer_tie(margins: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return True for answers that a small change of the logits could change; False if the margin is NaN."""
    near: npt.NDArray[np.bool_] = margins < CLOSE
    return near
