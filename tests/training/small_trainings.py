"""Small trainings for tests: their files, and a tiny model with dropout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from transformers import BertConfig, BertForMaskedLM

from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate

__all__ = ["tiny_bert", "written"]


def written(folder: Path, name: str = "training", **keys: Any) -> Path:
    """Write NAME.yaml with ``keys`` into ``folder``, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump({"format": 1, **keys}, sort_keys=False), encoding="utf-8")
    return file


def tiny_bert(folder: Path) -> Path:
    """Save a masked language model with random weights and dropout into ``folder``."""
    import torch

    tokenizer = load(locate("builtin:masked-lm"), "AutoModelForMaskedLM").tokenizer
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
