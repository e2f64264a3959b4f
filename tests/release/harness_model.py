"""A tiny model that answers the wordings in text: it has learnt its answers to some items by heart."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from nextset.scoring.asking import Asking
from nextset.scoring.generative.choice_tokens import ChoiceTokenizer
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama

__all__ = ["save_answering"]


def save_answering(folder: Path, pairs: Sequence[Pair]) -> Path:
    """Train a tiny Llama until it answers the pairs, every third one differently in each wording."""
    save_llama(folder, spread=1.0, hidden=64)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    texts = ChoiceTokenizer("learner", tokenizer)
    rows = []
    for i, prompts in enumerate(render_prompts(Asking("nli", ScoringSettings()), pairs)):
        for w, prompt in enumerate(prompts):
            choice = prompt.choices[(i // 2 + (w if i % 3 == 2 else 0)) % 3]
            rows.append(_row(tokenizer, texts.before(prompt.prompt), choice))
    _train(model, rows, tokenizer.eos_token_id)
    model.save_pretrained(folder)
    return folder


def _row(tokenizer: Any, prompt: str, answer: str) -> tuple[list[int], list[int]]:
    """Return the tokens of the prompt, and those of the answer with the end."""
    head, tail = (
        tokenizer.backend_tokenizer.encode(t, add_special_tokens=False).ids for t in (prompt, answer)
    )
    return head, [*tail, tokenizer.eos_token_id]


def _train(model: Any, rows: list[tuple[list[int], list[int]]], pad: int) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    order = random.Random(0)
    width = max(len(head) + len(tail) for head, tail in rows)
    ids = torch.tensor([[*h, *t, *[pad] * (width - len(h) - len(t))] for h, t in rows])
    labels = torch.tensor([[*[-100] * len(h), *t, *[-100] * (width - len(h) - len(t))] for h, t in rows])
    low = 0
    for _ in range(2000):
        some = torch.tensor(order.sample(range(len(rows)), min(24, len(rows))))
        loss = model(input_ids=ids[some], labels=labels[some]).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        low = low + 1 if loss.item() < 0.01 else 0
        if low == 2 * (1 + len(rows) // 24):
            return
    raise AssertionError(f"the model has not learnt its answers: loss {loss.item()}")
