"""The answers that models give to questions about a text, in their own words or the text's."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ReaderAnswer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderAnswer:
    """A model's answer to a question about a context."""

    question_id: str
    """The question's id."""
    model: str
    """The model's published name."""
    revision: str
    """Digest of its weights."""
    text: str
    """The answer; empty if the model says that there is none."""
    start: int | None
    """Where the answer begins in the context, in characters; null if there is none, and for a model that
    writes."""
    end: int | None
    """Where it ends."""
    score: float | None
    """√(p_start · p_end) of the best span, in the window of the context that has it; null for a model that
    writes."""
    no_answer: float | None
    """The same of no answer, in the window where it is least likely; null if the model may not say so."""
    windows: int
    """The windows in which the model read the context; 1 if it was short enough."""
    margin: float | None
    """The sum of the answer's two logits, less that of the next best answer: 0 is a tie; null for a model
    that writes, and if no other answer is possible."""
