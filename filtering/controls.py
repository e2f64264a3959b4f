"""Answers of models to the controls, whose right answers are known: for NLI, the test items."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.filtering.model_answers import RightAnswers, complete_answers

__all__ = ["ControlRow", "controls"]


@dataclass(frozen=True)
class ControlRow:
    """A model's answers to the controls: for NLI test items, else items whose context gives the answer."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    right: int
    """The number of controls that it gets right."""
    n: int
    """The number of controls."""


def controls(answers: RightAnswers, role: str) -> list[ControlRow]:
    """Return one row per model that was asked about all controls; none if there are no controls.

    A control that the model did not answer is not right.
    """
    whole = complete_answers(answers)
    if not answers.right.size or not isinstance(whole, RightAnswers):
        return []
    right = (whole.answered & ~whole.wrong).sum(axis=1).tolist()
    return [ControlRow(m, role, r, answers.right.size) for m, r in zip(whole.models, right, strict=True)]
