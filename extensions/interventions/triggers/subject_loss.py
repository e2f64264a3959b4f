"""The loss of quads and masked statements with their specified twins, from the readings of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nextset.extensions.interventions.triggers.trigger_loss import (
    SubjectPlaces,
    subject_deviation,
    twin_surprise,
)
from nextset.scoring.subjects.quad_bias import ASKED

if TYPE_CHECKING:
    import torch

__all__ = ["Place", "SubjectLoss", "Words", "subject_places"]

Place = tuple[int, int]
"""An input and a column of its readings."""
Words = Sequence[Sequence[Place]]
"""The words for a subject, each with the places of its tokens."""


@dataclass(frozen=True)
class SubjectLoss:
    """The loss of quads; the last ones are twins (`.trigger_loss`)."""

    places: SubjectPlaces
    """The places of the subjects' scores."""
    compared: int
    """The number of rows that are not twins."""
    accuracy_weight: float
    """The weight of the twins."""

    def __call__(self, readings: torch.Tensor) -> torch.Tensor:
        """Return the loss of ``readings``, shape (…, inputs, columns), as shape (…)."""
        scores = self.places.scores(readings)
        loss = subject_deviation(scores[..., : self.compared, :, :])
        if scores.shape[-3] == self.compared:
            return loss
        return loss + self.accuracy_weight * twin_surprise(scores[..., self.compared :, :, :])


def subject_places(asked: Sequence[Sequence[Words]], *, adds: bool, device: torch.device) -> SubjectPlaces:
    """Return the places of the scores in ``asked``: the words of both subjects, per way to ask a row."""
    import torch

    words = max(len(subject_words) for both in asked for subject_words in both)
    tokens = max(len(word) for both in asked for subject_words in both for word in subject_words)
    shape = (len(asked), 2, words, tokens)
    inputs, columns, there = (np.zeros(shape, kind) for kind in (np.int64, np.int64, np.bool_))
    for i, both in enumerate(asked):
        for subject, subject_words in enumerate(both):
            for w, word in enumerate(subject_words):
                for t, (number, column) in enumerate(word):
                    inputs[i, subject, w, t], columns[i, subject, w, t] = number, column
                    there[i, subject, w, t] = True
    where, which, known = (
        torch.from_numpy(a.reshape(-1, len(ASKED), *shape[1:])).to(device) for a in (inputs, columns, there)
    )
    return SubjectPlaces(where, which, known, adds)
