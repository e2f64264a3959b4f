"""A scorer with the score cache: a model is loaded only for inputs without a cached score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nextset.scoring.asked_model import Model
from nextset.scoring.cache.keys import Scope, input_keys
from nextset.scoring.cache.score_cache import ScoreCache
from nextset.scoring.models.sources import check_unchanged
from nextset.scoring.scorer_protocol import Numbers, Scorer

__all__ = ["CachedScorer"]


@dataclass(frozen=True)
class CachedScorer:
    """A `nextset.scoring.scorer_protocol.Scorer` that looks in the cache first."""

    model: Model
    on: str | None = None
    """The model's device, such as cuda:1; torch's default if None."""
    asked: set[Any] = field(default_factory=set)
    """The inputs that the model was asked about because the cache did not have them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers that the model gives."""
        return self.model.numbers

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Return the inputs unchanged."""
        return inputs

    def scores(self, encoded: Sequence[Any]) -> Numbers:
        """Return the scores of the inputs, from the cache or the model."""
        return self._lookup(
            self.model.scope, encoded, lambda scorer, some: scorer.scores(scorer.encoded(some))
        )

    def exact(self, encoded: Sequence[Any]) -> Numbers:
        """Return the scores of the inputs in float32, from the cache or the model."""
        return self._lookup(
            self.model.exact, encoded, lambda scorer, some: scorer.exact(scorer.encoded(some))
        )

    def alone(self, encoded: Sequence[Any]) -> Numbers:
        """Return the scores of the inputs scored one by one, from the cache or the model."""
        return self._lookup(
            self.model.alone, encoded, lambda scorer, some: scorer.alone(scorer.encoded(some))
        )

    def _lookup(
        self,
        scope: Scope,
        inputs: Sequence[Any],
        ask: Callable[[Scorer[Any], Sequence[Any]], Numbers],
    ) -> Numbers:
        if self.model.cache is None or not inputs:
            self.asked.update(inputs)
            return ask(self.model.scorer(self.on), inputs)
        cache, keys = ScoreCache(self.model.cache), input_keys([x.texts() for x in inputs])
        stored = cache.get(scope, keys)
        missing = np.flatnonzero(~stored.there)
        if missing.size:
            self.asked.update(inputs[i] for i in missing)
            stored.numbers[missing] = ask(self.model.scorer(self.on), [inputs[i] for i in missing])
            check_unchanged(self.model.source)
            cache.put(scope, [keys[i] for i in missing], stored.numbers[missing])
        return stored.numbers
