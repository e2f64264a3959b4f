"""The note about data with many answers that are not at their answer_start."""

from __future__ import annotations

from collections.abc import Mapping

from nextset.training.training_data.reader_questions import MOVED, NOT_IN_CONTEXT

__all__ = ["faulty_answers_note"]

FEW = 0.05
"""The share of questions with faulty answers that needs no note."""


def faulty_answers_note(counts: Mapping[str, int]) -> str:
    """Return a note if many of the questions in ``counts`` have faulty answers, else an empty text.

    ``counts`` are the counts of a training: examples, and skipped or corrected ones by reason.
    """
    left_out, moved = counts.get(NOT_IN_CONTEXT, 0), counts.get(MOVED, 0)
    questions = counts.get("examples", 0) + left_out
    if left_out + moved <= FEW * questions:
        return ""
    return (
        f"Check the data. Questions: {questions:,}; skipped because their answers are not in the context: "
        f"{left_out:,}; answers found at a different place than their answer_start: {moved:,}."
    )
