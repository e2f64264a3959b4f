"""An own scorer: a user's function as a scorer, with batches and checks of what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nextset.errors import InputError, NextsetError
from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.models.sources import ModelSource, OwnFunction
from nextset.scoring.scorer_protocol import Numbers

__all__ = ["OwnScorer"]

BATCH = 256
"""The maximum number of inputs per call."""
NEAR_ONE = 1e-3
"""The largest distance of the sum of a row from 1; a softmax in float16 is off by less."""


@dataclass(frozen=True)
class OwnScorer:
    """A user's function: a `nextset.scoring.scorer_protocol.Scorer` of any form with labels."""

    name: str
    """The study's name for the function."""
    own: OwnFunction
    """The function (`nextset.scoring.models.own_models.OwnScoring`)."""
    form: FormName
    """The form of the inputs."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> OwnScorer:
        """Return the function of ``source``, which chooses its device itself."""
        assert isinstance(source.own, OwnFunction)
        return cls(source.name, source.own, asking.form)

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form."""
        return SCORED_FORMS[self.form].numbers

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Return the inputs unchanged."""
        return inputs

    def scores(self, encoded: Sequence[Any]) -> Numbers:
        """Return the probabilities of the inputs, shape (inputs, numbers of the form).

        Raises InputError if the function raises, or returns anything but probabilities.
        """
        return self._in_batches(encoded, BATCH)

    def exact(self, encoded: Sequence[Any]) -> Numbers:
        """Return the same as `scores`, because the function's precision cannot be chosen."""
        return self._in_batches(encoded, BATCH)

    def alone(self, encoded: Sequence[Any]) -> Numbers:
        """Return the same as `scores`, with each input in a call of its own."""
        return self._in_batches(encoded, 1)

    def _in_batches(self, inputs: Sequence[Any], size: int) -> Numbers:
        numbers: Numbers = np.full((len(inputs), len(self.columns)), np.nan)
        labels = SCORED_FORMS[self.form].labels
        for first in range(0, len(inputs), size):
            batch = inputs[first : first + size]
            numbers[first : first + len(batch), : len(labels)] = self._probabilities(batch, labels)
        if "truncated" in self.columns:
            numbers[:, self.columns.index("truncated")] = 0
        return numbers

    def _probabilities(self, inputs: Sequence[Any], labels: Sequence[str]) -> Numbers:
        try:
            returned = self.own.function(inputs)
        except NextsetError:
            raise
        except Exception as e:
            raise self._error(
                f"it raised {type(e).__name__}: {e}",
                f"correct it; its inputs were {len(inputs)}, the first of them {_shown(inputs[0])}",
                _line(e, self.own.file),
            ) from e
        expected = f"return one row per input and one column for each of {', '.join(labels)}"
        returned = self._in_order(returned, labels, expected)
        try:
            values: Numbers = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError, RuntimeError) as e:  # a tensor with gradients raises RuntimeError
            raise self._error(
                f"it returned a {type(returned).__name__}: {e}", f"{expected}, as numbers"
            ) from e
        if values.shape != (len(inputs), len(labels)):
            raise self._error(
                f"it returned the shape {values.shape} for {len(inputs)} inputs, not "
                f"({len(inputs)}, {len(labels)})",
                expected,
            )
        with np.errstate(invalid="ignore"):
            wrong = ~np.isfinite(values).all(axis=1) | (values < 0).any(axis=1)
            wrong |= np.abs(values.sum(axis=1) - 1) > NEAR_ONE
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise self._error(
                f"it returned {values[row].tolist()} for {_shown(inputs[row])} (row {row})",
                "return probabilities: not negative, and each row sums to 1",
            )
        return values

    def _in_order(self, returned: Any, labels: Sequence[str], expected: str) -> Any:
        """Return ``returned`` with its columns in the order of ``labels`` if it is a DataFrame with names."""
        columns = getattr(returned, "columns", None)
        if columns is None or not hasattr(returned, "to_numpy"):
            return returned
        names = list(columns)
        if sorted(map(str, names)) == sorted(labels):
            return returned[list(labels)]
        if names != list(range(len(labels))):
            raise self._error(
                f"it returned a {type(returned).__name__} with the columns {', '.join(map(str, names))}",
                expected,
            )
        return returned

    def _error(self, problem: str, remedy: str, line: int | None = None) -> InputError:
        name = self.name.rpartition(":")[2] if self.own.file is not None else self.name
        return InputError(f"{name}: {problem}", file=self.own.file, line=line, remedy=remedy)


def _shown(asked: Any) -> str:
    return f"{asked!r:.300}"


def _line(error: Exception, file: Path | None) -> int | None:
    """Return the line of ``file`` that raised ``error``; None if it is not known."""
    line, traceback = None, error.__traceback__
    while traceback is not None and file is not None:
        if traceback.tb_frame.f_code.co_filename == str(file):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
