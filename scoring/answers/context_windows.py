"""The windows of a long context, as an extractive reader reads it (SQuAD; Devlin et al. 2019)."""

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
"""The maximum number of tokens of a window, the question included: readers are trained on this length."""
OVERLAP = 128
"""The number of tokens of the context that a window shares with the previous one."""
LEAST = 8
"""The minimum number of tokens of the context in a window."""


def context_windows(loaded: Loaded, questions: Sequence[tuple[str, str]]) -> list[tuple[Any, ...]]:
    """Return the tokenizer's Encodings of each question with its context, one per window of the context.

    A window has `WINDOW` tokens, or the model's maximum if that is smaller. It shares `OVERLAP` tokens with
    the previous window, or half of its tokens of the context if that is fewer. Offsets are characters of the
    whole context. Raises ModelError for a context without words, and for a question that is too long for a
    context next to it.
    """
    tokenizer = loaded.tokenizer.backend_tokenizer
    whole = tokenizer.encode_batch(list(questions))
    longest = min(WINDOW, loaded.max_length)
    windows: list[tuple[Any, ...]] = [(encoding,) for encoding in whole]
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
                f"{loaded.name} reads {longest} tokens at a time, and a question is too long to fit in with "
                f"its context: {questions[i][0][:80]!r}",
                remedy="shorten the question, or choose a model that reads longer texts",
            )
        if len(encoding.ids) > longest:
            cut[min(OVERLAP, room // 2)].append(i)
    for overlap, rows in cut.items():
        cutting = copy.deepcopy(tokenizer)  # another thread may be using the original, without truncation
        cutting.enable_truncation(longest, stride=overlap, strategy="only_second")
        for i, first in zip(rows, cutting.encode_batch([questions[i] for i in rows]), strict=True):
            windows[i] = (first, *first.overflowing)
    return windows
