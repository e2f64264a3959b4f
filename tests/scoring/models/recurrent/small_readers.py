"""Recurrent readers for tests: small ones with random weights, and small ones that were trained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import yaml

from makers.builtin_models.plain_recipe import BATCH, ROWS, optimise, text_batches
from makers.builtin_models.qa_examples import QaExample, training_questions
from nextset.scoring.models.recurrent.untrained_reader import (
    ReaderSizes,
    UntrainedReader,
    untrained_reader,
)
from nextset.scoring.models.recurrent.word_tokenizer import word_tokenizer
from nextset.study.training_settings import ReaderArchitecture
from nextset.training.fine_tuning.reproducible_torch import reproducible
from nextset.word_lists.lexicon import read_lexicon

__all__ = ["TEXTS", "exact_share", "save_reader", "small_reader", "trained_reader"]

TEXTS = (
    "Who was a surgeon? Maria lives next to John, an old surgeon. Mary Ann isn't kind.",
    "Jennifer met Robert in the garden. Which one was angry, and who left?",
)


def small_reader(
    architecture: ReaderArchitecture, texts: Sequence[str] = TEXTS, seed: int = 3
) -> UntrainedReader:
    """A reader with random weights, as spread as trained ones."""
    reader = untrained_reader(architecture, word_tokenizer(texts), ReaderSizes(8, 12, 0.1, 64), seed=seed)
    with torch.no_grad():
        for parameter in reader.model.parameters():
            parameter.mul_(3.0)
    return reader


def save_reader(reader: UntrainedReader, folder: Path, cases: Sequence[dict[str, str]] = ()) -> Path:
    """Save a reader as training does; ``cases`` are its canaries."""
    reader.model.save_pretrained(folder)
    reader.tokenizer.save_pretrained(folder)
    if cases:
        front = yaml.safe_dump({"nextset": {"canaries": list(cases)}}, sort_keys=False)
        (folder / "README.md").write_text(f"---\n{front}---\n", encoding="utf-8")
    return folder


def trained_reader(
    architecture: ReaderArchitecture, sizes: ReaderSizes, steps: int, rate: float
) -> UntrainedReader:
    """A reader that was trained on the questions that the built-in reader is trained on."""
    examples = training_questions(read_lexicon(), steps * BATCH, 1)
    tokenizer = word_tokenizer(text for e in examples for text in (e.question, e.context))
    encodings = tokenizer.backend_tokenizer.encode_batch([(e.question, e.context) for e in examples])
    starts = torch.tensor([c.char_to_token(e.start, 1) for c, e in zip(encodings, examples, strict=True)])
    ends = torch.tensor([c.char_to_token(e.end - 1, 1) for c, e in zip(encodings, examples, strict=True)])

    def loss_of(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        rows = batch.pop(ROWS)
        loss: torch.Tensor = model(**batch, start_positions=starts[rows], end_positions=ends[rows]).loss
        return loss

    with reproducible(1, threads=1):
        reader = untrained_reader(architecture, tokenizer, sizes, seed=1)
        data = text_batches(reader.model, tokenizer, encodings, steps, 1)
        optimise(reader.model, loss_of, data, steps=steps, rate=rate)
    return reader


def exact_share(reader: UntrainedReader, examples: Sequence[QaExample]) -> float:
    """The share of ``examples`` whose first and last token are both the likeliest."""
    right = 0
    for e in examples:
        read = reader.tokenizer.backend_tokenizer.encode(e.question, e.context)
        with torch.inference_mode():
            out = reader.model(torch.tensor([read.ids]), token_type_ids=torch.tensor([read.type_ids]))
        found = int(out.start_logits.argmax()), int(out.end_logits.argmax())
        right += found == (read.char_to_token(e.start, 1), read.char_to_token(e.end - 1, 1))
    return right / len(examples)
