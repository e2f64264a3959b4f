"""The models' answers as arrays aligned with the candidates: one row per model, one column per candidate."""

from __future__ import annotations

import numpy as np

from nextset.filtering.choice_answers import ChoiceAnswers
from nextset.filtering.item_answers import ItemAnswers
from nextset.filtering.quad_answers import QuadAnswers

__all__ = ["Answers", "RightAnswers", "complete_answers"]

RightAnswers = ItemAnswers | ChoiceAnswers
"""Answers to rows with right answers: both have the same names for what a rule reads."""
Answers = RightAnswers | QuadAnswers


def complete_answers(answers: Answers) -> Answers:
    """Return the answers of the models that were asked about every candidate.

    A cascade asks a later model only about items that earlier models left undecided. Its share of these
    items, and its overlap with other models on them, say nothing about the model.
    """
    return answers.only(np.flatnonzero(answers.asked.all(axis=1)).tolist())
