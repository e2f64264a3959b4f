"""NLI classifiers: three probabilities for a premise and a hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from nextset.errors import ModelError
from nextset.items import LABELS, NliScore, arrow_schema
from scoring.labels import label_map
from scoring.loading import Loaded, load
from scoring.sources import ModelSource

__all__ = ["NliClassifier", "score_items"]

CLOSE = 1e-4
"""Rows whose two highest probabilities are nearer than this are scored again alone."""


@dataclass(frozen=True)
class NliClassifier:
    """A loaded NLI model."""

    loaded: Loaded
    """Model, tokenizer and device."""
    columns: tuple[int, int, int]
    """The model's outputs in the order of `LABELS`."""
    batch_size: int
    """Pairs scored at a time; it changes no label."""

    @classmethod
    def load(cls, source: ModelSource, *, batch_size: int = 64) -> NliClassifier:
        """Load a classifier with the labels entailment, neutral and contradiction; raises ModelError."""
        loaded = load(source, "AutoModelForSequenceClassification")
        found = label_map(source.name, loaded.model.config.id2label)
        return cls(loaded, (found.entailment, found.neutral, found.contradiction), batch_size)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Probabilities of shape (number of pairs, 3), columns in the order of `LABELS`.

        Equal pairs are scored once. Padding moves a probability by about 1e-7, so a row whose two best
        labels nearly tie is scored again alone: batch size and order never change a label. Raises
        ModelError for a text that is too long and for scores that are not finite.
        """
        unique = list(dict.fromkeys(pairs))
        if not unique:
            return np.empty((0, len(LABELS)))
        encodings = self.loaded.tokenizer.backend_tokenizer.encode_batch(unique)
        lengths = [len(e.ids) for e in encodings]
        self.loaded.checked(lengths, [premise for premise, _ in unique])
        order = sorted(range(len(unique)), key=lambda i: (lengths[i], unique[i]))
        found = np.empty((len(unique), len(LABELS)))
        for at in range(0, len(order), self.batch_size):
            rows = order[at : at + self.batch_size]
            found[rows] = self._asked([encodings[i] for i in rows])
        best = np.sort(found, axis=1)
        for i in np.flatnonzero(best[:, -1] - best[:, -2] < CLOSE):
            found[i] = self._asked([encodings[i]])
        place = {pair: i for i, pair in enumerate(unique)}
        return found[[place[pair] for pair in pairs]]

    def _asked(self, encodings: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
        import torch

        with torch.inference_mode():
            logits = self.loaded.model(**self.loaded.inputs(encodings)).logits
            found = torch.softmax(logits.double(), dim=-1)[:, list(self.columns)]
        if not torch.isfinite(found).all():
            raise ModelError(
                f"{self.loaded.name} gives scores that are not finite", remedy="its weights are damaged"
            )
        scores: np.ndarray[Any, np.dtype[np.float64]] = found.cpu().numpy()
        return scores


def score_items(
    items: pa.Table,
    classifier: NliClassifier,
    source: ModelSource,
    role: Literal["filter", "held_out", "audit"],
) -> pa.Table:
    """One `NliScore` row an item, in the items' order; needs the columns id, premise, hypothesis."""
    pairs = list(zip(items["premise"].to_pylist(), items["hypothesis"].to_pylist(), strict=True))
    found = classifier.probabilities(pairs)
    same = {"model": source.name, "revision": source.digest, "role": role, "precision": "float32"}
    columns: dict[str, pa.Array] = {
        "item_id": items["id"].combine_chunks(),
        **{key: pa.array([value] * len(pairs), pa.string()) for key, value in same.items()},
        **{label: pa.array(found[:, i]) for i, label in enumerate(LABELS)},
    }
    schema = arrow_schema(NliScore)
    return pa.table([columns[name] for name in schema.names], schema=schema)
