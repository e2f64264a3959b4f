"""UnQover's pipeline, restated: an encoder and a linear layer, saved as one HDF5 dataset per parameter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, pre_tokenizers, trainers
from tokenizers.models import BPE
from torch import nn

__all__ = ["ENCODERS", "Pipeline", "save_transformer", "write_checkpoint"]

SIZES: dict[str, Any] = {
    "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
    "max_position_embeddings": 60,
}  # fmt: skip
DISTILLED = {"dim": 16, "hidden_dim": 24, "n_layers": 2, "n_heads": 2, "max_position_embeddings": 60}
ENCODERS: dict[str, dict[str, Any]] = {
    "bert": SIZES,
    "roberta": SIZES | {"type_vocab_size": 1},
    "distilbert": DISTILLED,
    "electra": SIZES | {"embedding_size": 8},
    "albert": SIZES | {"embedding_size": 8},
}
"""UnQover's three encoders, and two others with the same layout."""
TEXTS = ["Who is a surgeon? Maria lives next to John, in the old city.", "The men left. Who left?"] * 3
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def save_transformer(folder: Path, kind: str) -> Path:
    """Save configuration and tokenizer of a tiny transformer, without weights."""
    tokenizer = _byte_pairs() if kind == "roberta" else _word_pieces()
    tokenizer.save_pretrained(folder)
    more = {"pad_token_id": tokenizer.pad_token_id, "vocab_size": len(tokenizer)}
    transformers.AutoConfig.for_model(kind, **ENCODERS[kind], **more).save_pretrained(folder)
    return folder


def _word_pieces() -> Any:
    splitter = pre_tokenizers.BertPreTokenizer()
    words = sorted({w for t in TEXTS for w, _ in splitter.pre_tokenize_str(t.lower())})
    vocabulary = {token: i for i, token in enumerate([*SPECIALS, *words])}
    return transformers.BertTokenizer(vocab=vocabulary, do_lower_case=True)


def _byte_pairs() -> Any:
    trained = Tokenizer(BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    trained.train_from_iterator(TEXTS, trainer)
    merges: Any = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    return transformers.RobertaTokenizer(vocab=trained.get_vocab(), merges=merges)


class Pipeline(nn.Module):
    """The published model: its parameters have the names that the files have."""

    def __init__(self, folder: Path, seed: int = 5) -> None:
        super().__init__()
        torch.manual_seed(seed)
        auto: Any = transformers.AutoModel
        config = transformers.AutoConfig.from_pretrained(folder)
        self.encoder = nn.Module()
        self.encoder.transformer = auto.from_config(config)
        self.classifier = nn.Module()
        hidden = config.hidden_size
        self.classifier.linear = nn.Sequential(nn.Dropout(0.1), nn.Linear(hidden, 2))
        with torch.no_grad():
            for parameter in self.parameters():  # as spread as trained weights
                parameter.mul_(4.0)
        self.eval()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Log-probabilities over all tokens, shape (inputs, tokens, 2): of the start, and of the end."""
        states = self.encoder.transformer(ids, torch.ones_like(ids))[0]  # type: ignore[operator]
        return nn.functional.log_softmax(self.classifier.linear(states), 1)  # type: ignore[operator]

    def ids(self, tokenizer: Any, question: str, context: str) -> torch.Tensor:
        """The tokens of both texts, put together as the published code does."""
        first, separator = tokenizer.cls_token, tokenizer.sep_token
        parts = [tokenizer.tokenize(text) for text in (question, context)]
        tokens = [first, *parts[0], separator, *parts[1], separator]
        return torch.tensor([tokenizer.convert_tokens_to_ids(tokens)])


def write_checkpoint(file: Path, pipeline: Pipeline, dtype: str = "float32", options: str = "") -> Path:
    """Write ``pipeline`` as its training does, and its options beside it."""
    with h5py.File(file, "w") as out:
        for name, parameter in pipeline.named_parameters():
            out.create_dataset(name, data=parameter.detach().numpy().astype(np.dtype(dtype)))
    if options:
        file.with_suffix(".opt").write_text(options, encoding="utf-8")
    return file
