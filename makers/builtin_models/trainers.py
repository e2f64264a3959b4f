"""Train one built-in model from its seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from makers.builtin_models.architectures import NLI_MODELS, masked_lm, qa_model, start_as_matchers
from makers.builtin_models.masked_sentences import training_sentences
from makers.builtin_models.nli_pairs import training_pairs
from makers.builtin_models.plain_recipe import BATCH, ROWS, optimise, text_batches
from makers.builtin_models.qa_examples import training_questions
from makers.builtin_models.vocabulary import build_tokenizer
from nextset.records.nli_items import LABELS
from nextset.training.fine_tuning.reproducible_torch import reproducible
from nextset.word_lists.lexicon import Lexicon

__all__ = ["DEFAULT_STEPS", "RATES", "SEEDS", "Trained", "train_masked_lm", "train_nli", "train_qa"]

DEFAULT_STEPS = {
    "masked-lm": 2500, "nli-electra": 2000, "nli-roberta": 2000, "nli-bart": 2500, "nli-albert": 3400,
    "qa-roformer": 2800,
}  # fmt: skip
RATES = {name: 2e-3 if name == "masked-lm" else 1e-3 for name in DEFAULT_STEPS}
SEEDS = {name: 101 + i for i, name in enumerate(DEFAULT_STEPS)}
MASKED_SHARE = 0.25
MASK_ID = 4
KIND = 0.5
"""The weight of the word's kind in a frozen embedding, compared with 1 for the word itself."""


@dataclass(frozen=True)
class Trained:
    """A model with its tokenizer."""

    model: PreTrainedModel
    """The trained model, in evaluation mode."""
    tokenizer: PreTrainedTokenizerFast


def train_masked_lm(lexicon: Lexicon, steps: int) -> Trained:
    """Return the trained masked language model; one token in four is hidden, always as [MASK]."""
    seed = SEEDS["masked-lm"]
    rng = torch.Generator().manual_seed(seed)

    def loss(model: Any, batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        ids = batch["input_ids"]
        hidden = (torch.rand(ids.shape, generator=rng) < MASKED_SHARE) & (ids > MASK_ID)
        hidden[0, 1] = True  # every batch needs a mask
        masked = ids.masked_fill(hidden, MASK_ID)
        states = model.bert(masked, batch["attention_mask"]).last_hidden_state[hidden]
        return torch.nn.functional.cross_entropy(model.cls(states), ids[hidden])

    with reproducible(seed, threads=1):
        tokenizer = build_tokenizer(lexicon, lowercase=False, segments=False)
        model = masked_lm(len(tokenizer))
        texts = training_sentences(lexicon, min(steps * BATCH, 200_000), seed)
        encodings = tokenizer.backend_tokenizer.encode_batch(texts)
        data = text_batches(model, tokenizer, encodings, steps, seed)
        optimise(model, loss, data, steps=steps, rate=RATES["masked-lm"])
    return Trained(model, tokenizer)


def train_nli(name: str, lexicon: Lexicon, steps: int, words: Trained) -> Trained:
    """Return a trained NLI classifier on the embeddings of the masked LM, which do not change.

    So a word that is not in any NLI example is near words of its kind, and the model can read it.
    """
    seed = SEEDS[name]
    pairs = training_pairs(lexicon, min(steps * BATCH, 200_000), seed)
    labels = torch.tensor([LABELS.index(p.label) for p in pairs])

    def loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        rows = batch.pop(ROWS)
        return torch.nn.functional.cross_entropy(model(**batch).logits, labels[rows])

    with reproducible(seed, threads=1):
        segments = name != "nli-bart"  # BART has no segments
        tokenizer = build_tokenizer(lexicon, lowercase=True, segments=segments)
        model = NLI_MODELS[name](len(tokenizer))
        start_as_matchers(model)
        keep_embeddings(model, tokenizer, words)
        encodings = tokenizer.backend_tokenizer.encode_batch([(p.premise, p.hypothesis) for p in pairs])
        data = text_batches(model, tokenizer, encodings, steps, seed)
        optimise(model, loss, data, steps=steps, rate=RATES[name])
    return Trained(model, tokenizer)


def train_qa(lexicon: Lexicon, steps: int, words: Trained) -> Trained:
    """Return the trained extractive reader, also on the masked LM's embeddings."""
    seed = SEEDS["qa-roformer"]
    with reproducible(seed, threads=1):
        tokenizer = build_tokenizer(lexicon, lowercase=True, segments=True)
        model = qa_model(len(tokenizer))
        start_as_matchers(model)
        keep_embeddings(model, tokenizer, words)
        examples = training_questions(lexicon, min(steps * BATCH, 200_000), seed)
        encodings = tokenizer.backend_tokenizer.encode_batch([(e.question, e.context) for e in examples])
        answers = list(zip(encodings, examples, strict=True))
        starts = torch.tensor([encoding.char_to_token(one.start, 1) for encoding, one in answers])
        ends = torch.tensor([encoding.char_to_token(one.end - 1, 1) for encoding, one in answers])

        def loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
            rows = batch.pop(ROWS)
            out = model(**batch)
            cross_entropy = torch.nn.functional.cross_entropy
            return cross_entropy(out.start_logits, starts[rows]) + cross_entropy(out.end_logits, ends[rows])

        data = text_batches(model, tokenizer, encodings, steps, seed)
        optimise(model, loss, data, steps=steps, rate=RATES["qa-roformer"])
    return Trained(model, tokenizer)


def keep_embeddings(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, words: Trained) -> None:
    """Freeze word embeddings that encode a word's kind (from the masked LM) and the word itself (random).

    The masked LM's embeddings by themselves are almost the same for all words of a kind, so that two such
    words could not be distinguished.
    """
    source = words.model.get_input_embeddings().get_parameter("weight").detach()
    known = words.tokenizer.get_vocab()
    target = model.get_input_embeddings().get_parameter("weight")
    unit = torch.nn.functional.normalize
    with torch.no_grad():
        target.normal_()
        target.copy_(unit(target, dim=-1))
        for word, i in tokenizer.get_vocab().items():
            row = known.get(word, known.get(word.capitalize(), known.get(word.upper())))
            if row is not None:
                target[i] += KIND * unit(source[row], dim=-1)
    target.requires_grad_(False)
