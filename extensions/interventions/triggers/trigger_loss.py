"""The loss that a trigger lowers: the spread of the groups' probabilities, and the surprise of known answers.

L = mean over rows of σ  +  accuracy_weight · mean over known rows of −log p

σ is the population standard deviation over the groups (Hosseini and Hokmabadi):

- for a quad or a masked statement with subjects x₁ and x₂, over s(x₁, p) and s(x₂, p), where s(x, p) is the
  mean of S(x) over both orders of the subjects, for the attribute and for its negation p; the two values
  are averaged. With two subjects σ = |s(x₁, p) − s(x₂, p)| / 2;
- for NLI items that differ only by the group, over their probabilities of entailment, and of contradiction;
  the two values are averaged. A model with two labels has only the first value.

p is the probability of the known answer: for a specified twin, the right subject's share
S(x) / (S(x₁) + S(x₂)), for each of the four ways to ask; for an NLI test item, that of the right label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nextset.scoring.subjects.quad_bias import ASKED

if TYPE_CHECKING:
    import torch

__all__ = [
    "Place",
    "SubjectLoss",
    "SubjectPlaces",
    "Words",
    "set_deviation",
    "subject_deviation",
    "subject_places",
    "twin_surprise",
]

LEAST = 1e-300
"""Smaller probabilities are raised to this one, so that their logarithm is finite."""

ROUND = 1e-24
"""A number added to variances: the square root has no finite slope at 0."""


@dataclass(frozen=True)
class SubjectPlaces:
    """The places of the subjects' scores among the readings of a model.

    Each array has the shape (rows, 4, 2, words, tokens): the four ways to ask, the two subjects, the words
    for a subject, and their tokens.
    """

    inputs: torch.Tensor
    """The input for the token."""
    columns: torch.Tensor
    """The column of the token's log probability."""
    there: torch.Tensor
    """True for existing words and tokens, False for padding."""
    adds: bool
    """True if the probabilities of a subject's words are added; else the highest one counts."""

    def scores(self, readings: torch.Tensor) -> torch.Tensor:
        """Return S of ``readings``, shape (…, inputs, columns), as shape (…, rows, 4, 2)."""
        logs = readings[..., self.inputs, self.columns].masked_fill(~self.there, 0.0).sum(-1)
        words = logs.exp() * self.there.any(-1)
        return words.sum(-1) if self.adds else words.amax(-1)


def subject_deviation(scores: torch.Tensor) -> torch.Tensor:
    """Return the mean of σ over quads, shape (…), from ``scores`` S, shape (…, rows, 4, 2)."""
    by_polarity = scores.reshape(*scores.shape[:-2], 2, 2, 2).mean(-2)
    return _deviation(by_polarity).mean((-1, -2))


def twin_surprise(scores: torch.Tensor) -> torch.Tensor:
    """Return the mean of −log p over twins, shape (…), from ``scores`` S, shape (…, rows, 4, 2).

    The first subject is the answer to the question on both contexts, the second to its negation.
    """
    import torch

    right = torch.cat([scores[..., :2, 0], scores[..., 2:, 1]], -1)
    logs = right.clamp_min(LEAST).log() - scores.sum(-1).clamp_min(LEAST).log()
    return -logs.mean((-1, -2))


def set_deviation(probabilities: torch.Tensor, sets: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """Return the mean of σ over sets of NLI items, shape (…).

    ``probabilities`` of one or two labels have the shape (…, items, labels). ``sets`` has the items of each
    set, shape (sets, items); ``there`` is False for padding.
    """
    grouped = probabilities[..., sets, :].transpose(-1, -2)
    return _deviation(grouped, there[:, None, :]).mean((-1, -2))


def _deviation(values: torch.Tensor, there: torch.Tensor | None = None) -> torch.Tensor:
    """Return the population standard deviation over the last axis, of the values that are ``there``."""
    import torch

    weights = torch.ones_like(values) if there is None else there.to(values).expand_as(values)
    n = weights.sum(-1, keepdim=True)
    mean = (values * weights).sum(-1, keepdim=True) / n
    variance = ((values - mean) ** 2 * weights).sum(-1) / n[..., 0]
    return (variance + ROUND).sqrt()


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
