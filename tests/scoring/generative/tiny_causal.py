"""Tiny causal language models: GPT-2-like and Llama-like, with byte-level BPE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from nextset.scoring.prompt_wordings import own_prompts

__all__ = ["CHAT", "save_gpt2", "save_llama", "save_thinker", "texts_of"]

CHAT = (
    "{{ bos_token }}{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
THINKS = CHAT.replace("<|assistant|>", "<|assistant|>{% if enable_thinking %}<think>\n{% endif %}")
"""A template that opens the thoughts in the prompt, as those of DeepSeek and QwQ do."""


def texts_of() -> list[str]:
    """What the tokenizers are trained on: nextset's wordings, and some subjects."""
    prompts = own_prompts()
    wordings = [w.prompt for form in ("nli", "question") for w in prompts.wordings(form)]
    return [*wordings, "yes maybe no true undecided false follows open contradicted Niger Nigeria"] * 5


def _tokenizer(specials: list[str], size: int, **more: Any) -> Any:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts_of(),
        trainers.BpeTrainer(
            vocab_size=size, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        ),
    )
    if "bos_token" in more:
        bos = more["bos_token"]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A $B", special_tokens=[(bos, specials.index(bos))]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **more)  # type: ignore[no-untyped-call]


def _save(folder: Path, model: PreTrainedModel, tokenizer: Any, spread: float) -> Path:
    with torch.no_grad():
        for parameter in model.parameters():  # random weights as spread as trained ones
            parameter.mul_(spread)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_gpt2(folder: Path, *, positions: int = 256) -> Path:
    """A GPT-2 without padding, beginning and chat template; its text ends with <|endoftext|>."""
    tokenizer = _tokenizer(["<|endoftext|>"], 420, eos_token="<|endoftext|>")
    torch.manual_seed(5)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=positions,
            bos_token_id=0, eos_token_id=0,
        )
    )  # fmt: skip
    return _save(folder, model, tokenizer, 6.0)


def save_llama(folder: Path, *, spread: float = 6.0, hidden: int = 32) -> Path:
    """A Llama with a beginning of text and a chat template."""
    specials = ["<s>", "<|end|>", "<|user|>", "<|assistant|>"]
    tokenizer = _tokenizer(specials, 420, bos_token="<s>", eos_token="<|end|>", chat_template=CHAT)
    torch.manual_seed(5)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=hidden, intermediate_size=2 * hidden, num_hidden_layers=2,
            num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=512, bos_token_id=0,
            eos_token_id=1,
        )
    )  # fmt: skip
    return _save(folder, model, tokenizer, spread)


def save_thinker(folder: Path) -> Path:
    """The Llama of `save_llama` with thinking in its chat template."""
    save_llama(folder)
    (folder / "chat_template.jinja").write_text(THINKS, encoding="utf-8")
    return folder
