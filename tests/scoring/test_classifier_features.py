"""Frozen features: a row a pair, whatever the batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from nextset.scoring.classifier_features import features
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import builtin_names, locate
from nextset.scoring.scorer_protocol import Pair

PAIRS = [
    Pair("A surgeon opened the box.", "The nurses are gentle."),
    Pair("She isn't a doctor.", "A kitchen."),
    Pair("Men should not work in a kitchen with a well-known doctor.", "Women live abroad."),
]


def test_they_are_the_mean_of_the_last_hidden_state(nli_folder: Path) -> None:
    source = locate(str(nli_folder))
    found = features(source, PAIRS)
    assert found.shape == (3, 32)
    assert found.dtype == np.float32
    loaded = load(source, "AutoModelForSequenceClassification")
    inputs = loaded.tokenizer(PAIRS[0].premise, PAIRS[0].hypothesis, return_tensors="pt")
    with torch.inference_mode():
        alone = loaded.model.base_model(**inputs.to(loaded.device)).last_hidden_state.mean(dim=1)[0]
    np.testing.assert_allclose(found[0], alone.cpu().numpy(), atol=1e-5)


def test_the_order_of_pairs_does_not_matter(nli_folder: Path) -> None:
    source = locate(str(nli_folder))
    np.testing.assert_allclose(features(source, PAIRS[::-1])[::-1], features(source, PAIRS), atol=1e-5)
    assert features(source, []).shape == (0, 32)


def test_every_kind_of_built_in_classifier_has_them() -> None:
    for name in builtin_names():
        if name.startswith("nli-"):
            assert np.isfinite(features(locate(f"builtin:{name}"), PAIRS)).all()
