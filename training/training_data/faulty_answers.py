"""The note on data in which many answers are not at their place."""

from __future__ import annotations

from collections.abc import Mapping

from nextset.training.training_data.reader_questions import MOVED, NOT_IN_CONTEXT

__all__ = ["faulty_answers_note"]

FEW = 0.05
"""The share of questions with faulty answers that needs no note."""


def faulty_answers_note(counts: Mapping[str, int]) -> str:
    """Return a note if many of the questions in ``counts`` have faulty answers; empty if few or none have.

    ``counts`` are those of a training: examples, and what was left out or corrected, by reason.
    """
    left_out, moved = counts.get(NOT_IN_CONTEXT, 0), counts.get(MOVED, 0)
    questions = counts.get("examples", 0) + left_out
    if left_out + moved <= FEW * questions:
        return ""
    return (
        f"Of {questions:,} questions {left_out:,} were left out, since their answers are not in the context, "
        f"and {moved:,} answers were found at another place than their answer_start: check the data."
    )
