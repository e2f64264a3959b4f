"""A tiny causal language model that writes only the lines it is given, each as likely as the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

__all__ = ["save_writer"]

CHAT = "{% for m in messages %}{{ m['content'] }} {% endfor %}"


def save_writer(folder: Path, lines: Sequence[str], *, positions: int = 600) -> Path:
    """Save a model each of whose tokens is one of ``lines`` with its end, or the end of the text.

    Whatever it reads, its logits are 0 for each line and -3 for the end; what it writes is drawn by the seed.
    """
    vocabulary = ["<unk>", "<end>", *(f"{line}\n" for line in lines)]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<end>", chat_template=CHAT
    )
    config = GPT2Config(
        vocab_size=len(vocabulary), n_embd=16, n_layer=1, n_head=2, n_positions=positions,
        bos_token_id=1, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        model.transformer.ln_f.weight.zero_()
        model.transformer.ln_f.bias.copy_(torch.eye(16)[0])
        model.transformer.wte.weight.zero_()
        model.transformer.wte.weight[:2, 0] = torch.tensor([-50.0, -3.0])
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
