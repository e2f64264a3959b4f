"""Canaries, asked before a long run: a model whose labels are in a different order fails them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.errors import ModelError
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.scorer_protocol import Numbers
from nextset.study.model_key import model_setting

__all__ = ["OWN_ORIGIN", "Canaries", "FailedCanaries", "Right", "Waived", "listed", "waiver"]

SHOWN = 5
"""The number of wrong cases that an error shows."""
OWN_ORIGIN = "from nextset, in English"
"""The origin of nextset's canaries, as text."""

Right = npt.NDArray[np.bool_]
"""True for the canaries that are right, shape (canaries,)."""


@dataclass(frozen=True)
class Canaries(ABC):
    """Test cases with obvious answers."""

    inputs: tuple[Any, ...]
    """The inputs of a form."""
    labels: tuple[str, ...]
    """The right label of each input; empty for questions with two subjects, whose first is the answer."""
    origin: str
    """The origin of the canaries, as text."""

    @abstractmethod
    def right(self, numbers: Numbers) -> Right:
        """Return True for the canaries that are right, from the numbers of their inputs."""

    @abstractmethod
    def check(self, numbers: Numbers, name: str, labels: LabelMap | None) -> str:
        """Return the result of the model ``name`` as text, from the numbers of the inputs.

        ``labels`` are the meanings of its outputs; None if they are not known. Raises FailedCanaries.
        """


@dataclass(frozen=True)
class Waived:
    """The decision not to ask canaries."""

    reason: str
    """The reason, as text."""


class FailedCanaries(ModelError):
    """The error for a model that fails its canaries; ``check`` is the remedy if there is no study."""

    def __init__(self, message: str, *, check: str, in_study: str) -> None:
        super().__init__(message, remedy=f"{check}; {in_study}")
        self.check, self.in_study = check, in_study


def listed(wrong: Iterable[str]) -> str:
    """Return the first of the wrong cases, and the number of the others."""
    cases = list(wrong)
    more = [f"and {len(cases) - SHOWN} more"] if len(cases) > SHOWN else []
    return "; ".join([*(f"{case:.200}" for case in cases[:SHOWN]), *more])


def waiver(name: str) -> str:
    """Return how to use a model although it fails, with an example."""
    waived = 'canaries_waived: "WHY"'
    return f"to use it anyway, give a reason {model_setting(name, waived)}"
