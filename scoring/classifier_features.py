"""Frozen features of a premise and a hypothesis, from a classifier's encoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nextset.errors import ModelError
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Pair

__all__ = ["features"]

BATCH = 64


def features(source: ModelSource, pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
    """Return the last hidden state of the classifier's encoder, mean over the tokens; shape (pairs, hidden).

    Raises ModelError for a text that is too long, and for features that are not finite.
    """
    import torch

    loaded = load(source, "AutoModelForSequenceClassification")
    # the base model of the loaded classifier: all of its weights are in a classifier's checkpoint
    encoder = loaded.model.base_model
    encodings = loaded.tokenizer.backend_tokenizer.encode_batch([p.texts() for p in pairs])
    lengths = [len(e.ids) for e in encodings]
    loaded.checked(lengths, [p.premise for p in pairs])
    order = sorted(range(len(pairs)), key=lambda i: (lengths[i], pairs[i]))
    vectors = np.empty((len(pairs), int(loaded.model.config.hidden_size)), np.float32)
    for at in range(0, len(order), BATCH):
        rows = order[at : at + BATCH]
        inputs = loaded.inputs([encodings[i] for i in rows])
        with torch.inference_mode():
            hidden = encoder(**inputs).last_hidden_state
            mask = inputs["attention_mask"].unsqueeze(-1).to(hidden.dtype)
            vectors[rows] = ((hidden * mask).sum(1) / mask.sum(1)).float().cpu().numpy()
    if not np.isfinite(vectors).all():
        raise ModelError(
            f"{source.name} gives features that are not finite",
            remedy="download or copy the model's files again: the weights are damaged",
        )
    return vectors
