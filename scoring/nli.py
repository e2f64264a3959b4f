"""NLI classifiers: three probabilities, or two, for a premise and a hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.forms import NLI
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches, padded
from nextset.scoring.models.labels import LabelMap, label_map
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import NLI_COLUMNS, Numbers, Pair
from nextset.scoring.tokenization import read
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["EncodedPair", "NliClassifier"]


@dataclass(frozen=True)
class EncodedPair:
    """A pair as the model reads it."""

    encoding: Any
    """The tokenizer's Encoding."""
    truncated: bool
    """True if the pair was cut."""


@dataclass(frozen=True)
class NliClassifier:
    """A loaded NLI model: a `nextset.scoring.scorer_protocol.Scorer` of pairs."""

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    labels: LabelMap
    """The meaning of each output."""
    budget: Budget
    """The number of tokens per batch; it does not change labels."""
    truncates: bool = False
    """True if texts that are too long are cut."""

    columns = NLI_COLUMNS

    @classmethod
    def load(
        cls, source: ModelSource, asking: Asking | None = None, device: str | None = None
    ) -> NliClassifier:
        """Load a classifier with two or three labels; raises ModelError."""
        asking = asking or Asking(NLI.name, ScoringSettings(), ModelSettings())
        precisions = PrecisionPair.load(source, "AutoModelForSequenceClassification", asking, device)
        loaded = precisions.quick
        if loaded.model.config.pad_token_id is None:
            raise ModelError(
                f"{source.name} has no padding token, so it cannot read several pairs at once",
                remedy="set pad_token_id in a copy of its config.json",
            )
        labels = label_map(source.name, loaded.model.config.id2label, asking.model.labels)
        classifier = cls(precisions, labels, Budget(1), asking.model.too_long == "truncate")
        budget = budget_of(loaded, lambda tokens: classifier._probe(loaded, tokens))
        return replace(classifier, budget=budget)

    def encoded(self, inputs: Sequence[Pair]) -> list[EncodedPair]:
        """Return the pairs as tokens; raises ModelError for pairs that are too long, unless ``truncates``."""
        return [
            EncodedPair(*reading)
            for reading in read(
                self.precisions.quick,
                [p.texts() for p in inputs],
                cut="longest_first" if self.truncates else "",
            )
        ]

    def scores(self, encoded: Sequence[EncodedPair]) -> Numbers:
        """Return the scores, shape (pairs, 4), columns `NLI_COLUMNS`; NaN for labels the model lacks."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[EncodedPair]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[EncodedPair]) -> Numbers:
        """Return the same as `scores` in float32, with each pair scored by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Numbers:
        """Return the three probabilities for each premise and hypothesis, shape (pairs, 3)."""
        scores = self.scores(self.encoded([Pair(*pair) for pair in pairs]))
        return scores[:, :3]

    def _batched(
        self, loaded: Loaded, encoded: Sequence[EncodedPair], budget: Budget | None = None
    ) -> Numbers:
        return in_batches(
            [len(e.encoding.ids) for e in encoded],
            len(NLI_COLUMNS),
            budget or self.budget,
            lambda rows: self._asked(loaded, [encoded[i] for i in rows]),
            loaded.name,
        )

    def _asked(self, loaded: Loaded, encoded: Sequence[EncodedPair]) -> Numbers:
        import torch

        with torch.inference_mode():
            logits = loaded.model(**padded(loaded, [e.encoding for e in encoded])).logits
            probabilities = torch.softmax(logits.double(), dim=-1).cpu().numpy()
        check_finite(loaded, probabilities)
        numbers: Numbers = np.full((len(encoded), len(NLI_COLUMNS)), np.nan)
        for column, output in enumerate(
            (self.labels.entailment, self.labels.neutral, self.labels.contradiction)
        ):
            if output is not None:
                numbers[:, column] = probabilities[:, output]
        numbers[:, 3] = [e.truncated for e in encoded]
        return numbers

    def _probe(self, loaded: Loaded, tokens: int) -> None:
        import torch

        length = min(64, loaded.max_length)
        ids = torch.full((max(1, tokens // length), length), loaded.tokenizer.pad_token_id or 0)
        ids = ids.to(loaded.device)
        with torch.inference_mode():
            loaded.model(input_ids=ids, attention_mask=torch.ones_like(ids))
