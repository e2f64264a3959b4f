"""Tiny models with random weights: one for each kind of tokenizer, one for each architecture."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, PreTrainedTokenizerFast

from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import BUILTIN

TEXT = [
    "The nurses are too gentle for surgery.", "Men should not work in a kitchen.",
    "She isn't a well-known doctor.",
    "Women who live abroad are often quiet and kind.", "A surgeon opened the wooden box in the garden.",
] * 20  # fmt: skip
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
KINDS = ["wordpiece", "uncased", "bpe", "bpe-prefix", "unigram", "one-text"]
"""WordPiece cased and uncased, byte-level BPE without and with a blank put first, unigram, and one that does
not split texts into words at all."""
ARCHITECTURES = {
    "bert": "BertForMaskedLM", "roberta": "RobertaForMaskedLM", "electra": "ElectraForMaskedLM",
    "albert": "AlbertForMaskedLM", "distilbert": "DistilBertForMaskedLM",
    "deberta-v2": "DebertaV2ForMaskedLM", "modernbert": "ModernBertForMaskedLM",
    "xlm-roberta": "XLMRobertaForMaskedLM", "mpnet": "MPNetForMaskedLM",
}  # fmt: skip

READERS = {
    "bert": ("BertForQuestionAnswering", "wordpiece"),
    "distilbert": ("DistilBertForQuestionAnswering", "uncased"),
    "roberta": ("RobertaForQuestionAnswering", "bpe"),
    "bart": ("BartForQuestionAnswering", "bpe-prefix"),
    "xlm-roberta": ("XLMRobertaForQuestionAnswering", "unigram"),
    "electra": ("ElectraForQuestionAnswering", "one-text"),
    "albert": ("AlbertForQuestionAnswering", "wordpiece"),
}
"""Question answering models, each with a tokenizer of its own."""

CHOOSERS = {
    "bert": ("BertForMultipleChoice", "wordpiece"),
    "distilbert": ("DistilBertForMultipleChoice", "uncased"),
    "roberta": ("RobertaForMultipleChoice", "bpe"),
    "deberta-v2": ("DebertaV2ForMultipleChoice", "unigram"),
    "albert": ("AlbertForMultipleChoice", "wordpiece"),
}
"""Multiple-choice models, each with a tokenizer of its own."""


def _mask(kind: str) -> AddedToken:
    """The mask takes the blank before it, where that belongs to a word's token."""
    return AddedToken("[MASK]", lstrip=kind not in ("wordpiece", "uncased"), special=True)


def _word_pieces(kind: str) -> list[str]:
    """The letters, first in a word or not, and the words. Not trained: the trainer orders what is equally
    frequent otherwise in each process."""
    splitter = pre_tokenizers.BertPreTokenizer()
    texts = [text.lower() if kind == "uncased" else text for text in TEXT]
    words = {word for text in texts for word, _ in splitter.pre_tokenize_str(text)}
    letters = sorted({letter for word in words for letter in word})
    return [*letters, *(f"##{letter}" for letter in letters), *sorted(words - set(letters))]


def _trained(kind: str) -> Tokenizer:
    specials = [*SPECIALS[:-1], _mask(kind)]
    if kind in ("wordpiece", "uncased"):
        vocabulary = {token: number for number, token in enumerate([*SPECIALS, *_word_pieces(kind)])}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.add_special_tokens(specials)
        if kind == "uncased":
            tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
    elif kind.startswith("bpe"):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=kind == "bpe-prefix")
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=500, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
        tokenizer.train_from_iterator(TEXT, trainer)
    else:
        words = sorted({f"▁{w.strip('.')}" for text in TEXT for w in text.split()})
        pieces = ["▁", *sorted({letter for text in TEXT for letter in text if letter != " "})]
        scored = [(t, -1.0) for t in (*SPECIALS, *words)] + [(t, -9.0) for t in pieces]
        tokenizer = Tokenizer(models.Unigram(scored, unk_id=1, byte_fallback=False))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=kind == "unigram")
        tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(t, SPECIALS.index(t)) for t in ("[CLS]", "[SEP]")],
    )  # fmt: skip
    return tokenizer


def _fast(kind: str) -> Any:
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), SPECIALS, strict=False))
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=_trained(kind), mask_token=_mask(kind), **names
    )


def _config(size: int, **more: Any) -> BertConfig:
    return BertConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=40, **more,
    )  # fmt: skip


def _saved(folder: Path, tokenizer: Any, model: Any) -> Path:
    with torch.no_grad():
        for parameter in model.parameters():  # random weights as spread as trained ones
            parameter.mul_(8.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _save(folder: Path, kind: str, head: type, **config: Any) -> Path:
    tokenizer = _fast(kind)
    torch.manual_seed(3)
    return _saved(folder, tokenizer, head(_config(len(tokenizer), **config)))


@pytest.fixture(scope="session", params=KINDS)
def masked_lm_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked LM, once for each kind of tokenizer."""
    return _save(tmp_path_factory.mktemp("mlm"), request.param, BertForMaskedLM)


@pytest.fixture(scope="session", params=sorted(ARCHITECTURES))
def architecture_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked LM of each architecture, with a tokenizer that it may have."""
    tokenizer = _fast("unigram" if request.param == "xlm-roberta" else "wordpiece")
    torch.manual_seed(3)
    head = getattr(transformers, ARCHITECTURES[request.param])
    sizes = {"vocab_size": len(tokenizer), "pad_token_id": 0, "max_position_embeddings": 60}
    if request.param == "distilbert":
        sizes |= {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 32}
    else:
        sizes |= {"hidden_size": 32, "intermediate_size": 32}
        sizes |= {"num_hidden_layers": 2, "num_attention_heads": 2}
    if request.param == "modernbert":
        sizes |= {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
    return _saved(tmp_path_factory.mktemp("mlm"), tokenizer, head(head.config_class(**sizes)))


@pytest.fixture(scope="session", params=sorted(READERS))
def reader_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny question answering model of each architecture."""
    name, kind = READERS[request.param]
    tokenizer = _fast(kind)
    torch.manual_seed(3)
    head = getattr(transformers, name)
    sizes = {"vocab_size": len(tokenizer), "pad_token_id": 0, "max_position_embeddings": 100}
    if request.param == "distilbert":
        sizes |= {"dim": 32, "n_layers": 1, "n_heads": 2, "hidden_dim": 32}
    elif request.param == "bart":
        sizes |= {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
        sizes |= {"decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
        sizes |= {"bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 2}
    else:
        sizes |= {"hidden_size": 32, "intermediate_size": 32}
        sizes |= {"num_hidden_layers": 1, "num_attention_heads": 2}
    return _saved(tmp_path_factory.mktemp("qa"), tokenizer, head(head.config_class(**sizes)))


@pytest.fixture(scope="session", params=sorted(CHOOSERS))
def chooser_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny multiple-choice model of each architecture."""
    name, kind = CHOOSERS[request.param]
    tokenizer = _fast(kind)
    torch.manual_seed(3)
    head = getattr(transformers, name)
    sizes = {"vocab_size": len(tokenizer), "pad_token_id": 0, "max_position_embeddings": 100}
    if request.param == "distilbert":
        sizes |= {"dim": 32, "n_layers": 1, "n_heads": 2, "hidden_dim": 32}
    else:
        sizes |= {"hidden_size": 32, "intermediate_size": 32}
        sizes |= {"num_hidden_layers": 1, "num_attention_heads": 2}
    return _saved(tmp_path_factory.mktemp("choices"), tokenizer, head(head.config_class(**sizes)))


@pytest.fixture(scope="session")
def nli_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny NLI model."""
    labels: dict[str, Any] = {
        "id2label": dict(enumerate(LABELS)),
        "label2id": {label: i for i, label in enumerate(LABELS)},
    }
    return _save(tmp_path_factory.mktemp("nli"), "wordpiece", BertForSequenceClassification, **labels)


@pytest.fixture
def another_head(tmp_path: Path) -> Callable[[Sequence[int | tuple[int, ...]]], Path]:
    """Makes a model from nli-electra, each output a row of its head, or several in one.

    One output for two labels has their probabilities' sum only about: the mean row, one unit higher.
    """
    from safetensors.torch import load_file, save_file

    def made(outputs: Sequence[int | tuple[int, ...]]) -> Path:
        folder = shutil.copytree(BUILTIN / "nli-electra", tmp_path / "cut")
        weights = load_file(folder / "model.safetensors")
        for name, shift in (("classifier.out_proj.weight", 0.0), ("classifier.out_proj.bias", 1.0)):
            rows = weights[name]
            new = [rows[o] if isinstance(o, int) else rows[list(o)].mean(0) + shift for o in outputs]
            weights[name] = torch.stack(new).contiguous()
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        names = LABELS if len(outputs) == 3 else ("entailment", "not_entailment")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config |= {"id2label": dict(enumerate(names)), "label2id": {n: i for i, n in enumerate(names)}}
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        return folder

    return made
