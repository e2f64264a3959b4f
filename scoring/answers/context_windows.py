"""The windows in which an extractive reader reads a long context (SQuAD; Devlin et al. 2019)."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.answers.span_ends import context_tokens
from nextset.scoring.models.loading import Loaded

__all__ = ["OVERLAP", "WINDOW", "context_windows"]

WINDOW = 384
"""The most tokens of a window, the question included: readers are trained on windows of this length."""
OVERLAP = 128
"""The tokens of the context that a window shares with the one before."""
LEAST = 8
"""The fewest tokens of the context that a window must have room for."""


def context_windows(loaded: Loaded, questions: Sequence[tuple[str, str]]) -> list[tuple[Any, ...]]:
    """The tokenizer's Encodings of each question with its context, one per window of the context.

    A window has `WINDOW` tokens, or as many as the model reads if these are fewer; it shares `OVERLAP` tokens
    with the one before, or half of its room if that is less. Offsets are characters of the whole context.
    Raises ModelError for a context without words, and for a question that leaves no room for the context.
    """
    tokenizer = loaded.tokenizer.backend_tokenizer
    whole = tokenizer.encode_batch(list(questions))
    longest = min(WINDOW, loaded.max_length)
    found: list[tuple[Any, ...]] = [(encoding,) for encoding in whole]
    cut: defaultdict[int, list[int]] = defaultdict(list)
    for i, encoding in enumerate(whole):
        inside = len(context_tokens(encoding))
        if not inside:
            raise ModelError(
                f"the context of {questions[i][0][:80]!r} is empty",
                remedy="write a context with at least one word",
            )
        room = longest - (len(encoding.ids) - inside)
        if len(encoding.ids) > longest and room < LEAST:
            raise ModelError(
                f"{loaded.name} reads {longest} tokens at a time, and a question leaves no room for its "
                f"context: {questions[i][0][:80]!r}",
                remedy="shorten the question, or choose a model that reads longer texts",
            )
        if len(encoding.ids) > longest:
            cut[min(OVERLAP, room // 2)].append(i)
    for overlap, rows in cut.items():
        cutting = copy.deepcopy(tokenizer)  # another thread may read with this one now, and must not cut
        cutting.enable_truncation(longest, stride=overlap, strategy="only_second")
        for i, first in zip(rows, cutting.encode_batch([questions[i] for i in rows]), strict=True):
            found[i] = (first, *first.overflowing)
    return found
