"""Tiny models with random weights that read texts of every script: bytes, joined to letters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForQuestionAnswering,
)

from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Question
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

__all__ = ["save_models"]

SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
LENGTH = 400


def _tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    mask = AddedToken("<mask>", lstrip=True, special=True)
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    merges = []
    for letter in sorted(set("".join(texts))):
        if not letter.isascii():
            ((written, _),) = bytes_.pre_tokenize_str(letter)
            merges += [(written[:i], written[i]) for i in range(1, len(written))]
    merges = list(dict.fromkeys(merges))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = dict.fromkeys((*SPECIALS, *alphabet, *map("".join, merges), "<mask>"))
    tokenizer = Tokenizer(models.BPE(vocab={t: n for n, t in enumerate(tokens)}, merges=merges))
    tokenizer.add_special_tokens([*SPECIALS, mask])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    names = {"cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, mask_token=mask, model_max_length=LENGTH, **names
    )


def save_models(folder: Path, texts: Iterable[str]) -> dict[str, Path]:
    """Save a reader (question) and a masked language model (statement) in the layout of the Hub.

    Letters that are in ``texts`` are one token each; others are several. The reader's clear questions are
    answered as it does, since its weights are random.
    """
    tokenizer = _tokenizer(texts)
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=LENGTH + 2, type_vocab_size=1,
        pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    found = {}
    for form, head in (("question", RobertaForQuestionAnswering), ("statement", RobertaForMaskedLM)):
        torch.manual_seed(7)
        model = head(config)
        with torch.no_grad():
            for parameter in model.parameters():  # random weights as spread as trained ones
                parameter.mul_(8.0)
        found[form] = folder / f"bytes-{form}"
        model.save_pretrained(found[form])
        tokenizer.save_pretrained(found[form])
    (found["question"] / "README.md").write_text(_card(found["question"]), encoding="utf-8")
    return found


def _card(folder: Path) -> str:
    """Return a model card with clear questions, answered as the reader in ``folder`` does."""
    reader = SpanScorer.load(locate(str(folder)))
    names = ("Ana", "Ben", "Cleo", "Dan", "Eva")
    pairs = [(one, two) for one in names for two in names if one < two]
    asked = [
        Question(f"{a} met {b}.", "Who laughed?", (a, b), ((0, len(a)), (len(a) + 5, len(a) + 5 + len(b))))
        for a, b in pairs
    ]
    numbers = reader.scores(reader.encoded(asked))
    lines = ["---", "nextset:", "  canaries:"]
    for question, (first, second, *_) in zip(asked, numbers.tolist(), strict=True):
        answer, other = question.subjects if first > second else question.subjects[::-1]
        texts = f"context: {question.context}, question: 'Who laughed?'"
        lines.append(f"  - {{{texts}, answer: {answer}, other: {other}}}")
    return "\n".join([*lines, "---", ""])
