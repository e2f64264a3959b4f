"""The vectors of words are the means of the embeddings of their tokens, without what all have in common."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.input_embeddings import word_vectors
from nextset.scoring.models.sources import locate


def test_a_vector_is_the_mean_of_the_tokens_less_the_common_part(masked_lm_folder: Path) -> None:
    filler = MaskFiller.load(locate(str(masked_lm_folder)))
    rows = filler.loaded.model.get_input_embeddings().weight.detach().numpy()
    words = ["surgeon", "kitchen", "surgeon kitchen"]
    vectors = word_vectors(filler, words)
    backend = filler.loaded.tokenizer.backend_tokenizer
    around = [len(backend.encode(text, add_special_tokens=False).ids) for text in ("a", "a a")]
    before, after = around[0], around[1] - around[0]
    for word, vector in zip(words, vectors, strict=True):
        ids = backend.encode(f"a {word} a", add_special_tokens=False).ids[before:-after]
        expected = rows[ids].mean(axis=0) - rows.mean(axis=0)
        assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5)


def test_a_word_that_the_tokenizer_does_not_know_is_zeros() -> None:
    filler = MaskFiller.load(locate("builtin:masked-lm"))
    known, unknown = word_vectors(filler, ["dirty", "☃"])
    assert np.linalg.norm(known) == pytest.approx(1)
    assert not unknown.any()
