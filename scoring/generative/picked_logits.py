"""The logits of a causal language model at a few positions, without those at all others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nextset.scoring.models.loading import Loaded

__all__ = ["logits_at"]


def logits_at(loaded: Loaded, inputs: dict[str, Any], row: Any, position: Any) -> Any:
    """Return the logits at the positions of some rows, shape (positions, vocabulary).

    The head, which with a large vocabulary is most of a small model, reads only these positions. The argument
    ``logits_to_keep`` of transformers keeps the same positions in all rows, so that rows of different
    lengths would need all of their positions.
    """
    with _picking(loaded.model, inputs["input_ids"].shape, row, position) as picked:
        logits = loaded.model(**inputs, use_cache=False).logits
        return logits[0] if picked() else logits[row, position]


@contextmanager
def _picking(model: Any, size: Any, row: Any, position: Any) -> Iterator[Callable[[], bool]]:
    """Give the model's head only the positions, and yield a function that returns True if it got them.

    A model without a head, or whose head reads something else than one vector a token, is left as it is.
    """
    calls = []
    thread = threading.get_ident()

    def pick(_: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if threading.get_ident() != thread or not given or given[0].dim() != 3 or given[0].shape[:2] != size:
            return None
        calls.append(True)
        return (given[0][row, position][None], *given[1:])

    head = model.get_output_embeddings()
    if head is None:
        yield lambda: False
        return
    hook = head.register_forward_pre_hook(pick)
    try:
        yield lambda: bool(calls)
    finally:
        hook.remove()
