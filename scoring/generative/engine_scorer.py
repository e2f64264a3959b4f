"""A causal language model as a scorer whose prompts a different engine reads, such as vLLM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.engines.vllm_engine import PromptLogs, VllmTexts, require_vllm
from nextset.scoring.generative.causal_scorer import CausalScorer, Prompted, choice_numbers
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Numbers

__all__ = ["EngineScorer"]

TOGETHER = 4096
"""The number of texts that the engine gets at once; it makes its own batches of them."""


@dataclass(frozen=True)
class EngineScorer:
    """A causal language model whose probabilities an engine computes.

    Prompts, tokens and shares are those of `CausalScorer`; the numbers differ by at most about 0.001. Scores
    in float32, for near ties, come from the same model in transformers, so that decisions in canonical mode
    are those of the engine local.
    """

    local: CausalScorer
    """The same model in transformers, in float32; it also makes the prompts."""
    engine: PromptLogs
    """The engine."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> EngineScorer:
        """Load the model in vLLM and in transformers; raises ModelError and DependencyMissing."""
        require_vllm()
        scoring = asking.scoring
        exact = scoring.model_copy(update={"precision": "float32", "engine": "local"})
        local = CausalScorer.load(source, replace(asking, scoring=exact), device)
        longest = local.precisions.quick.max_length
        return cls(local, VllmTexts.load(source, scoring.precision, longest))

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of the form."""
        return self.local.columns

    def reworded(self, asking: Asking) -> EngineScorer:
        """Return the same model for a different form or wordings; raises ModelError if there are none."""
        return replace(self, local=self.local.reworded(asking))

    def encoded(self, inputs: Sequence[Any]) -> Sequence[Prompted]:
        """Return the inputs in every wording, as `CausalScorer.encoded`."""
        return self.local.encoded(inputs)

    def scores(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input by the engine; raises ModelError if a score is not finite."""
        rows = [row for p in encoded for prompt in p.rows for row in prompt]
        texts = [(*row.ids[: read.start], *read.tokens) for row in rows for read in row.reads]
        logs = [
            log
            for i in range(0, len(texts), TOGETHER)
            for log in self.engine.prompt_logprobs(texts[i : i + TOGETHER])
        ]
        choices = max((p.choices for p in encoded), default=0)
        of_texts, totals = iter(logs), np.full((len(rows), choices), np.nan)
        for n, row in enumerate(rows):
            for read in row.reads:
                totals[n, read.choice] = _summed(
                    next(of_texts)[read.start :], self.local.precisions.quick.name
                )
        return choice_numbers(self.local.asking.form, encoded, totals)

    def exact(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input by transformers in float32."""
        return self.local.exact(encoded)

    def alone(self, encoded: Sequence[Prompted]) -> Numbers:
        """Return the scores of each input by transformers in float32, with every prompt read by itself."""
        return self.local.alone(encoded)


def _summed(logs: Sequence[float | None], name: str) -> float:
    """Return the sum of ``logs``; raises ModelError if one is missing or not finite."""
    total = float("nan") if None in logs else sum(log for log in logs if log is not None)
    if not np.isfinite(total):
        raise ModelError(
            f"vLLM gives scores of {name} that are not finite", remedy="set scoring.engine: local"
        )
    return total
