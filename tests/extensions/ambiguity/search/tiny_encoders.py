"""Tiny encoders with random weights: a BERT, and the two halves of a DPR, with words as tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertModel,
    DPRConfig,
    DPRContextEncoder,
    DPRQuestionEncoder,
    PreTrainedTokenizerFast,
)

__all__ = ["SIZE", "save_bert", "save_dpr", "sentence_transformers_files"]

SIZE = 16
"""The dimensions of the vectors."""
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'?-"


def _tokenizer() -> PreTrainedTokenizerFast:
    """Letters as pieces of words."""
    tokens = (*SPECIALS, *LETTERS, *(f"##{letter}" for letter in LETTERS))
    made = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    named = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIALS, strict=True))
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **{f"{name}_token": token for name, token in named.items()},
    )


def _sizes(tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer), "hidden_size": SIZE, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "max_position_embeddings": 128, "pad_token_id": 0,
    }  # fmt: skip


def save_bert(folder: Path, seed: int = 1, *, pooler: bool = True) -> Path:
    """Save a BERT to ``folder``, with or without the pooler that `transformers.AutoModel` adds."""
    tokenizer = _tokenizer()
    torch.manual_seed(seed)
    BertModel(BertConfig(**_sizes(tokenizer)), add_pooling_layer=pooler).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_dpr(folder: Path) -> tuple[Path, Path]:
    """Save an encoder of contexts and one of questions below ``folder``."""
    tokenizer = _tokenizer()
    for seed, (name, kind) in enumerate((("ctx", DPRContextEncoder), ("question", DPRQuestionEncoder))):
        torch.manual_seed(seed)
        kind(DPRConfig(**_sizes(tokenizer))).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder / "ctx", folder / "question"


def sentence_transformers_files(
    folder: Path, *, cls: bool = False, normalize: bool = True, longest: int | None = None, more: str = ""
) -> None:
    """Write the files by which sentence-transformers says how a model's vectors are made."""
    steps = ["Transformer", "Pooling", *(["Normalize"] if normalize else []), *([more] if more else [])]
    paths = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [
        {"idx": i, "name": str(i), "path": paths.get(step, f"{i}_{step}"),
         "type": f"sentence_transformers.models.{step}"}
        for i, step in enumerate(steps)
    ]  # fmt: skip
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    pooling = {
        "word_embedding_dimension": SIZE,
        "pooling_mode_cls_token": cls,
        "pooling_mode_mean_tokens": not cls,
    }
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if longest is not None:
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": longest}))
