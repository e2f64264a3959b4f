"""An own scorer: a user's function as a scorer, with batches and checks of what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.array_types import has_masked, is_reordered
from nextset.errors import InputError, NextsetError
from nextset.forms import FormName
from nextset.own_code import guarded, line_in, raised, shown
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
    function: Callable[[Sequence[Any]], Any]
    """The function (`nextset.scoring.models.own_models.OwnScoring`)."""
    file: Path | None
    """The function's file; None for a function of a package or of a running program."""
    form: FormName
    """The form of the inputs."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> OwnScorer:
        """Return the function of ``source``, which chooses its device itself.

        Raises StudyError if the function's file is not trusted.
        """
        assert isinstance(source.own, OwnFunction)
        return cls(source.name, source.own.read(), source.own.file, asking.form)

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
        for first in range(0, len(inputs), size):
            batch = inputs[first : first + size]
            probabilities = self._probabilities(batch)
            numbers[first : first + len(batch), : probabilities.shape[1]] = probabilities
        if "truncated" in self.columns:
            numbers[:, self.columns.index("truncated")] = 0
        return numbers

    def _probabilities(self, inputs: Sequence[Any]) -> Numbers:
        def failed(error: BaseException) -> NextsetError:
            if isinstance(error, NextsetError):
                return error
            return self._error(
                f"it raised {raised(error)}",
                f"correct it; its inputs were {n}, the first of them {first}",
                line_in(error, self.file),
            )

        form = SCORED_FORMS[self.form]
        counts = form.label_counts(inputs)
        labels = form.labels[: max(counts)]
        n, first = len(inputs), shown(inputs[0])
        with guarded(failed):
            returned = self.function(inputs)
        expected = f"return one row per input and one column for each of {', '.join(labels)}"

        def unusable(error: BaseException) -> NextsetError:  # a tensor with gradients raises RuntimeError
            if isinstance(error, NextsetError):
                return error
            problem = f"it returned a {type(returned).__name__}: {raised(error)}"
            return self._error(problem, f"{expected}, as numbers")

        with guarded(unusable):
            values = _numbers(_filled_up(self._in_order(returned, labels, expected), counts))
        if values.ndim == 0 and not isinstance(returned, np.ndarray):
            raise self._error(f"it returned a {type(returned).__name__}, not an array", expected)
        if values.shape != (len(inputs), len(labels)):
            raise self._error(
                f"it returned the shape {values.shape} for {len(inputs)} inputs, not "
                f"({len(inputs)}, {len(labels)})",
                expected,
            )
        beyond = np.arange(len(labels)) >= np.array(counts)[:, None]
        with np.errstate(invalid="ignore"):
            within = np.where(beyond, 0.0, values)
            wrong = ~np.isfinite(within).all(axis=1) | (within < 0).any(axis=1)
            wrong |= np.abs(within.sum(axis=1) - 1) > NEAR_ONE
            wrong |= (beyond & (np.nan_to_num(values, nan=0.0) != 0)).any(axis=1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise self._error(
                f"it returned {values[row].tolist()} for {shown(inputs[row])} (row {row})",
                "return probabilities: not negative, and each row sums to 1",
            )
        return np.where(beyond, np.nan, values)

    def _in_order(self, returned: Any, labels: Sequence[str], expected: str) -> Any:
        """Return ``returned`` with its columns in the order of ``labels`` if it is a table with names.

        Raises InputError for other names, and for rows that may be in a different order.
        """
        if is_reordered(returned):
            raise self._error(
                f"it returned a {type(returned).__name__} whose index is not 0, 1, …",
                "return its rows in the order of the inputs, with .to_numpy()",
            )
        if isinstance(returned, pa.Table):
            returned = returned.to_pandas()
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
        name = self.name.rpartition(":")[2] if self.file is not None else self.name
        return InputError(f"{name}: {problem}", file=self.file, line=line, remedy=remedy)


def _filled_up(returned: Any, counts: Sequence[int]) -> Any:
    """Return ``returned`` with NaN at the end of the rows of inputs that have fewer labels than others."""
    if len(set(counts)) == 1 or not isinstance(returned, list | tuple):
        return returned
    widest = max(counts)
    if [len(row) for row in returned] != list(counts):
        return returned
    return [[*row, *[np.nan] * (widest - len(row))] for row in returned]


def _numbers(returned: Any) -> Numbers:
    """Return ``returned`` as numbers; raises ValueError for masked and complex ones."""
    if has_masked(returned):
        raise ValueError("some values are masked")
    values = np.asarray(returned)
    if values.dtype.kind == "c":
        raise ValueError("the numbers are complex")
    numbers: Numbers = values.astype(np.float64, copy=False)
    return numbers
