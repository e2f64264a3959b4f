"""A model whose earlier answers are known is not loaded to be asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.cache import ScoreCache, input_keys
from scoring.forms import form_rows
from scoring.jobs import Model
from scoring.scorer import Numbers

__all__ = ["Remembered"]


@dataclass(frozen=True)
class Remembered:
    """A `scoring.scorer.Scorer` that looks into the cache first."""

    model: Model
    """The model."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the model's form."""
        return form_rows(self.model.asking.form).numbers

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """The inputs as they are."""
        return inputs

    def scores(self, encoded: Sequence[Any]) -> Numbers:
        """The numbers of the inputs: known ones, or the model's, which are kept."""
        if self.model.cache is None or not encoded:
            return self._asked(encoded)
        cache, scope = ScoreCache(self.model.cache), self.model.scope
        keys = input_keys([x.texts() for x in encoded])
        found = cache.get(scope, keys)
        missing = np.flatnonzero(~found.there)
        if missing.size:
            found.numbers[missing] = self._asked([encoded[i] for i in missing])
            cache.put(
                scope, [keys[i] for i in missing], found.numbers[missing], np.zeros(missing.size, np.bool_)
            )
        return found.numbers

    def alone(self, encoded: Sequence[Any]) -> Numbers:
        """Asked again, each by itself."""
        scorer = self.model.scorer(None)
        return scorer.alone(scorer.encoded(encoded))

    def _asked(self, inputs: Sequence[Any]) -> Numbers:
        scorer = self.model.scorer(None)
        return scorer.scores(scorer.encoded(inputs))
