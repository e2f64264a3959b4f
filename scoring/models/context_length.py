"""The longest input that a model reads, by its config and its table of positions, not by its tokenizer."""

from __future__ import annotations

from typing import Any

__all__ = ["longest"]

UNSAID = 512
"""For models whose config names no length, such as T5 and XLNet with relative positions: what they and
similar models were trained on. They could read more, at a cost that grows with the square of the length."""
NAMES = ("max_encoder_position_embeddings", "max_position_embeddings", "n_positions")


def longest(model: Any) -> int:
    """The longest input of ``model`` in tokens, special ones included.

    Models with relative or rotary positions (DeBERTa, ModernBERT, RoFormer) could read more than their config
    says, but were not trained on more. Models like RoBERTa (XLM-RoBERTa, MPNet, Longformer) count positions
    from padding_idx + 1, so they read that many tokens fewer than their table has rows.
    """
    lengths = (getattr(model.config, name, None) for name in NAMES)
    positions = next((int(n) for n in lengths if n is not None and n > 0), UNSAID)
    for name, module in model.named_modules():
        if name.endswith("embeddings.position_embeddings"):
            padding = getattr(module, "padding_idx", None)
            return positions if padding is None else positions - int(padding) - 1
    return positions
