"""The right answers to clear questions, the canaries of a model, before and after tuning."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ClearQuestions", "enough_right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearQuestions:
    """The number of right answers of a reader to clear questions: their contexts name the answer."""

    model: str
    """The published name of the tuned model."""
    origin: str
    """The source of the questions: nextset, or the card of the base model."""
    questions: int
    """The number of questions; 0 if canaries are waived for the base model."""
    before: int
    """The number of right answers before tuning."""
    after: int
    """The number after tuning; other stages refuse models with fewer than nine in ten."""


def enough_right(right: int, questions: int) -> bool:
    """Return whether a reader answers enough clear questions: nine in ten."""
    return 10 * right >= 9 * questions
