"""Models that were asked and did not answer: their weight by the policy, and their answer in words."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nextset.array_types import Bools
from nextset.scoring.wrong_answers import Missing

__all__ = ["AskedModels", "silent_against", "without_answer"]


class AskedModels(Protocol):
    """The models that were asked and that answered, both of shape (models, candidates)."""

    @property
    def asked(self) -> Bools:
        """True if the model was asked."""

    @property
    def answered(self) -> Bools:
        """True if the model was asked and answered."""

    @property
    def missing(self) -> Missing:
        """The policy for candidates that a model did not answer."""


def silent_against(answers: AskedModels) -> Bools:
    """Return True if the model did not answer and the policy counts that against it, as `AskedModels`."""
    silent = answers.asked & ~answers.answered
    return silent if answers.missing == "wrong" else np.zeros_like(silent)


def without_answer(answers: AskedModels, model: int, place: int) -> str:
    """Return the reason why a model has no answer to the candidate at ``place``, in words."""
    return "not answered" if answers.asked[model, place] else "not asked"
