"""Texts as tokens; texts that are too long for the model are refused together, or cut."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from nextset.scoring.models.loading import Loaded

__all__ = ["Read", "read"]

Read = tuple[Any, bool]
"""The tokenizer's Encoding of an input, and True if the input was cut."""


def read(loaded: Loaded, inputs: Sequence[tuple[str, ...]], *, cut: str = "") -> list[Read]:
    """Return each input, a text or a pair of texts, as tokens.

    ``cut`` is the tokenizers' strategy for cutting an input that is too long: longest_first, only_first or
    only_second; if it is empty, the input is refused. Raises ModelError, which lists the inputs that are too
    long, also if the text that is not cut is too long by itself.
    """
    tokenizer = loaded.tokenizer.backend_tokenizer
    texts = [texts if len(texts) > 1 else texts[0] for texts in inputs]
    encodings = list(tokenizer.encode_batch(texts))
    lengths = [len(e.ids) for e in encodings]
    if not cut:
        loaded.checked(lengths, [" ".join(texts) for texts in inputs])
        return [(e, False) for e in encodings]
    too_long = [i for i, n in enumerate(lengths) if n > loaded.max_length]
    if too_long:
        whole = [_least_tokens(encodings[i], cut) for i in too_long]
        loaded.checked(whole, [" ".join(inputs[i]) for i in too_long])
        cutting = copy.deepcopy(tokenizer)  # another thread may be using the original, without truncation
        cutting.enable_truncation(loaded.max_length, strategy=cut)
        for i, encoding in zip(too_long, cutting.encode_batch([texts[i] for i in too_long]), strict=True):
            encodings[i] = encoding
    long = set(too_long)
    return [(e, i in long) for i, e in enumerate(encodings)]


def _least_tokens(encoding: Any, cut: str) -> int:
    """Return the minimum length after cutting, which leaves at least one token of the text that is cut."""
    part = {"only_first": 0, "only_second": 1}.get(cut)
    return 0 if part is None else 1 + sum(n != part for n in encoding.sequence_ids)
