"""The vectors of words in a masked language model: its own input embeddings, without a pass of the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["word_vectors"]


def word_vectors(filler: MaskFiller, words: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return the vector of each of ``words``, of length 1, shape (words, dimensions).

    A vector is the mean of the input embeddings of the word's tokens, as the tokenizer reads the word between
    two others, minus the mean of all embeddings, which the vectors have in common (Mu and Viswanath 2018). A
    word with a token that the tokenizer or the model does not know, or one that cannot be read there, is a
    row of zeros.
    """
    between = f"a {MASK} a"
    place = filler.judge.place(between, 2, 2 + len(MASK))
    rows = filler.loaded.model.get_input_embeddings().weight.detach().float().cpu().numpy()
    middle = rows.mean(axis=0)
    vectors = np.zeros((len(words), rows.shape[1]), np.float32)
    for i, word in enumerate(words):
        pieces = filler.judge.pieces(place, word)
        if pieces and max(pieces) < len(rows):
            vector = rows[list(pieces)].mean(axis=0) - middle
            vectors[i] = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return vectors
