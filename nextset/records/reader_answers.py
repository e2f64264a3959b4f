"""Questions about a text, and answers of models, in their own words or in words of the text."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AskedQuestion", "ReaderAnswer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question about a context, to be answered by models."""

    id: str
    """The question's id."""
    question: str
    """The question."""
    context: str
    """The text that answers it, or does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderAnswer:
    """A model's answer to a question about a context."""

    question_id: str
    """The question's id."""
    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    text: str
    """The answer; empty if there is none."""
    start: int | None
    """The answer's first character in the context, from 0; null without one, and for models that write."""
    end: int | None
    """The character after the answer's last one; null as for start."""
    score: float | None
    """√(p_start · p_end) of the best span, in its window; null for models that write."""
    no_answer: float | None
    """The same for no answer, in the window where it is least likely; null if the model must answer."""
    windows: int
    """The number of windows that the context was read in."""
    margin: float | None
    """The sum of the answer's two logits minus that of the next best answer; null for models that write,
    and if no other answer is possible."""
    outcome: str = "answer"
    """answer; or refused or cut_off, of which the text is empty."""
