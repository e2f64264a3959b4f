"""How many clear questions, a model's canaries, it answers rightly before and after it is tuned."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ClearQuestions", "enough_right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearQuestions:
    """The right answers of a reader to questions whose contexts name the answer."""

    model: str
    """The published name of the tuned model."""
    origin: str
    """Where the questions come from: nextset, or the card of the model before."""
    questions: int
    """The number of questions; 0 if the study waives them for the model before."""
    before: int
    """The right answers before tuning."""
    after: int
    """Those after it; below nine in ten a model is refused elsewhere."""


def enough_right(right: int, questions: int) -> bool:
    """Return whether a reader answers enough clear questions: nine in ten."""
    return 10 * right >= 9 * questions
