"""The untrained models, one architecture each, all with the same small size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    BartConfig,
    BartForSequenceClassification,
    BertConfig,
    BertForMaskedLM,
    ElectraConfig,
    ElectraForSequenceClassification,
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
    RoFormerConfig,
    RoFormerForQuestionAnswering,
)  # fmt: skip

from makers.builtin_models.vocabulary import MAX_LENGTH
from nextset.records.nli_items import LABELS

__all__ = ["NLI_MODELS", "masked_lm", "qa_model", "start_as_matchers"]

HIDDEN, LAYERS, HEADS, FEED_FORWARD = 128, 2, 4, 256
WAVE = 0.7
"""The length of a smooth position embedding, compared with 1 for a word."""
NAMES: dict[str, Any] = {
    "id2label": dict(enumerate(LABELS)),
    "label2id": {n: i for i, n in enumerate(LABELS)},
}
ENCODER: dict[str, Any] = {
    "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
    "intermediate_size": FEED_FORWARD, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
    "max_position_embeddings": MAX_LENGTH,
}  # fmt: skip


def masked_lm(size: int) -> PreTrainedModel:
    """Return BERT with a masked-LM head."""
    return BertForMaskedLM(BertConfig(vocab_size=size, **ENCODER))


def _electra(size: int) -> PreTrainedModel:
    return ElectraForSequenceClassification(
        ElectraConfig(vocab_size=size, embedding_size=HIDDEN, **ENCODER, **NAMES)
    )


def _roberta(size: int) -> PreTrainedModel:
    # RoBERTa counts positions from pad_token_id + 1.
    positions = {**ENCODER, "max_position_embeddings": MAX_LENGTH + 1}
    special: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "type_vocab_size": 2}
    return RobertaForSequenceClassification(RobertaConfig(vocab_size=size, **positions, **special, **NAMES))


def _bart(size: int) -> PreTrainedModel:
    config = BartConfig(
        vocab_size=size, d_model=HIDDEN, encoder_layers=1, decoder_layers=2, encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS, encoder_ffn_dim=FEED_FORWARD, decoder_ffn_dim=FEED_FORWARD,
        dropout=0.0, max_position_embeddings=MAX_LENGTH, pad_token_id=0, bos_token_id=2, eos_token_id=3,
        decoder_start_token_id=2, forced_eos_token_id=None, **NAMES,
    )  # fmt: skip
    model = BartForSequenceClassification(config)
    # BART has no segments, so positions that are smooth waves show it which of two equal words comes first.
    for part in (model.model.encoder, model.model.decoder):
        weight = part.embed_positions.weight
        angles = torch.arange(len(weight))[:, None] * 1000.0 ** -(torch.arange(0, HIDDEN, 2) / HIDDEN)
        with torch.no_grad():
            weight.copy_(WAVE * torch.cat([angles.sin(), angles.cos()], dim=1) / (HIDDEN / 2) ** 0.5)
    return model


def _albert(size: int) -> PreTrainedModel:
    special: dict[str, Any] = {
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 3,
        "classifier_dropout_prob": 0.0,
    }
    config = AlbertConfig(vocab_size=size, embedding_size=HIDDEN, **ENCODER, **special, **NAMES)
    return AlbertForSequenceClassification(config)


def qa_model(size: int) -> PreTrainedModel:
    """Return RoFormer with a span head; its relative positions let it find neighbours everywhere."""
    config = RoFormerConfig(vocab_size=size, embedding_size=HIDDEN, **{**ENCODER, "num_hidden_layers": 3})
    return RoFormerForQuestionAnswering(config)


NLI_MODELS: Mapping[str, Callable[[int], PreTrainedModel]] = {
    "nli-electra": _electra,
    "nli-roberta": _roberta,
    "nli-bart": _bart,
    "nli-albert": _albert,
}


def start_as_matchers(model: PreTrainedModel) -> None:
    """Let attention start by looking at the same word elsewhere: keys start as a copy of the queries.

    All linear maps start wide enough that attention matters from the first step. The model then learns within
    minutes whether a word of one text is in the other. A decoder keeps half of its heads free, to find the
    start of the second text.
    """
    linear = {name: m.weight for name, m in model.named_modules() if isinstance(m, torch.nn.Linear)}
    with torch.no_grad():
        for weight in linear.values():
            weight.normal_(std=weight.shape[1] ** -0.5)
        for name, weight in linear.items():
            for query, key in (("query", "key"), ("q_proj", "k_proj")):
                if name.endswith("." + key) and "encoder_attn" not in name:
                    same = slice(HIDDEN // 2 if "decoder" in name else HIDDEN)
                    linear[name.removesuffix(key) + query][same] = weight[same]
