"""Tiny encoder-decoder models: T5-like with relative positions, and BART-like with a table of positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from tests.scoring.generative.tiny_causal import texts_of

__all__ = ["save_bart", "save_t5"]


def _tokenizer(specials: list[str], template: str, **more: Any) -> Any:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=specials, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts_of(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[(name, i) for i, name in enumerate(specials) if name in template]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **more)  # type: ignore[no-untyped-call]


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    with torch.no_grad():
        for parameter in model.parameters():  # random weights as spread as trained ones
            parameter.mul_(4.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_t5(folder: Path) -> Path:
    """A T5 whose texts end with </s>, and whose decoder begins with <pad>."""
    tokenizer = _tokenizer(["<pad>", "</s>"], "$A </s>", pad_token="<pad>", eos_token="</s>")
    torch.manual_seed(5)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    config.decoder_start_token_id = 0
    return _save(folder, T5ForConditionalGeneration(config), tokenizer)


def save_bart(folder: Path, positions: int = 256) -> Path:
    """A BART whose texts are between <s> and </s>."""
    specials = ["<s>", "<pad>", "</s>", "<mask>"]
    tokenizer = _tokenizer(
        specials, "<s> $A </s>", bos_token="<s>", pad_token="<pad>", eos_token="</s>", mask_token="<mask>"
    )
    torch.manual_seed(5)
    config = BartConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=positions,
        bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
    )  # fmt: skip
    return _save(folder, BartForConditionalGeneration(config), tokenizer)
