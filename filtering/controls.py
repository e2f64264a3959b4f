"""Answers of models to the test items, whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.filtering.model_answers import ItemAnswers, complete_answers

__all__ = ["ControlRow", "controls"]


@dataclass(frozen=True)
class ControlRow:
    """A model's answers to the test items, whose labels are known."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    right: int
    """The number of test items that it gets right."""
    n: int
    """The number of test items."""


def controls(answers: ItemAnswers, role: str) -> list[ControlRow]:
    """Return one row per model that was asked about all test items; none if there are no test items.

    A test item that the model did not answer is not right.
    """
    whole = complete_answers(answers)
    if not answers.right.size or not isinstance(whole, ItemAnswers):
        return []
    right = (whole.answered & ~whole.wrong).sum(axis=1).tolist()
    return [ControlRow(m, role, r, answers.right.size) for m, r in zip(whole.models, right, strict=True)]
