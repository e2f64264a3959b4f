"""The maximum input length of a model, from its config and table of positions, not from its tokenizer."""

from __future__ import annotations

from typing import Any

__all__ = ["longest"]

UNSAID = 512
"""The length for models whose config does not name a length, such as T5 and XLNet with relative positions:
they and similar models were trained on it. They could read more, at a cost that grows with its square."""
NAMES = ("max_encoder_position_embeddings", "max_position_embeddings", "n_positions")


def longest(model: Any) -> int:
    """Return the maximum input length of ``model`` in tokens, special tokens included.

    Models with relative or rotary positions (DeBERTa, ModernBERT, RoFormer) could read more than their config
    says, but were not trained on longer inputs. Models like RoBERTa (XLM-RoBERTa, MPNet, Longformer) count
    positions from padding_idx + 1, so their maximum is that much smaller than their table of positions.
    """
    lengths = (getattr(model.config, name, None) for name in NAMES)
    positions = next((int(n) for n in lengths if n is not None and n > 0), UNSAID)
    for name, module in model.named_modules():
        if name.endswith("embeddings.position_embeddings"):
            padding = getattr(module, "padding_idx", None)
            return positions if padding is None else positions - int(padding) - 1
    return positions
