"""Models' answers as arrays: one row per model, one column per candidate; what all kinds of answers share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from nextset.array_types import Bools, Floats
from nextset.scoring.wrong_answers import Missing

__all__ = ["AnswerArrays"]


@dataclass(frozen=True)
class AnswerArrays(ABC):
    """Models' answers to rows; a kind of answers adds its arrays, and says which axes they have."""

    shares: ClassVar[bool]
    """True if the numbers of `sizes` are 0 or 1, so that their means are shares."""
    by_model: ClassVar[tuple[str, ...]] = ("votes",)
    """The arrays of shape (models,)."""
    by_answer: ClassVar[tuple[str, ...]]
    """The arrays of shape (models, rows, …), besides asked and answered; one can be None."""
    by_row: ClassVar[tuple[str, ...]] = ()
    """The arrays of shape (rows,)."""
    models: tuple[str, ...]
    asked: Bools
    """True if the model was asked; a cascade stops asking when a row is decided."""
    answered: Bools
    """True if the model was asked and answered."""
    votes: Bools
    """True for each model with a score that is a share of its answers, not a probability, shape (models,)."""
    missing: Missing
    """The policy for rows that a model did not answer."""

    @property
    def silent_against(self) -> Bools:
        """True if the model did not answer and the policy counts that against it, shape (models, rows)."""
        silent = self.asked & ~self.answered
        return silent if self.missing == "wrong" else np.zeros_like(silent)

    @abstractmethod
    def sizes(self, place: int) -> Floats:
        """Return the numbers that measure the model at ``place``, shape (rows,).

        They mean nothing for rows that the model did not answer.
        """

    @abstractmethod
    def answer_text(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the answer of a model that answered the row at ``place``, whose columns are ``row``."""

    def answer(self, model: int, place: int, row: Mapping[str, Any]) -> str:
        """Return the answer of a model to the row at ``place``, whose columns are ``row``, in words."""
        if self.answered[model, place]:
            return self.answer_text(model, place, row)
        return "not answered" if self.asked[model, place] else "not asked"

    def only(self, places: Sequence[int]) -> Self:
        """Return the answers of the models at ``places``."""
        rows = list(places)
        arrays = {name: _at(getattr(self, name), rows) for name in (*self.by_model, *self._by_answer)}
        return replace(self, models=tuple(self.models[m] for m in rows), **arrays)

    def of_rows(self, rows: Bools) -> Self:
        """Return the answers to the rows for which ``rows`` is True."""
        of_answers = {name: _at(getattr(self, name), (slice(None), rows)) for name in self._by_answer}
        return replace(self, **of_answers, **{name: getattr(self, name)[rows] for name in self.by_row})

    def joined_to(self, other: AnswerArrays) -> Self:
        """Return the answers of the models of both, ``other``'s last, to the same rows, of the same kind."""
        assert isinstance(other, type(self))
        arrays: dict[str, Any] = {}
        for name in (*self.by_model, *self._by_answer):
            both = [getattr(self, name), getattr(other, name)]
            arrays[name] = None if any(array is None for array in both) else np.concatenate(both)
        return replace(self, models=(*self.models, *other.models), **arrays)

    @property
    def _by_answer(self) -> tuple[str, ...]:
        return (*self.by_answer, "asked", "answered")


def _at(array: Any, places: Any) -> Any:
    return None if array is None else array[places]
