"""The Trainer, set up as for the built-in models, gives the bytes of a plain loop of torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from safetensors.torch import save
from transformers import BertConfig, BertForSequenceClassification

from makers.builtin_models.plain_recipe import BATCH, ROWS, optimise, text_batches
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.training.fine_tuning.batch_plan import planned_batches, steps_of
from nextset.training.fine_tuning.optimisation import rate_share
from nextset.training.fine_tuning.reproducible_torch import reproducible

STEPS = 6


def _model(size: int) -> Any:
    config: Any = BertConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    config.num_labels = 3
    return BertForSequenceClassification(config)


@pytest.mark.slow
def test_the_same_bytes_as_a_loop_of_torch() -> None:
    tokenizer = load(locate("builtin:nli-electra"), "AutoModelForSequenceClassification").tokenizer
    texts = [(f"a dog sleeps {'here ' * (i % 5)}", f"the cat {'sat ' * (i % 3)}") for i in range(300)]
    encodings = tokenizer.backend_tokenizer.encode_batch(texts)
    labels = torch.arange(300) % 3
    models: list[bytes] = []
    for trained in (True, False):
        with reproducible(7, threads=1):
            model = _model(len(tokenizer))
            config = model.config.to_json_string(use_diff=False)
            batches: Any = text_batches(model, tokenizer, encodings, STEPS, 7)
            if trained:

                def loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
                    rows = batch.pop(ROWS)
                    return torch.nn.functional.cross_entropy(model(**batch).logits, labels[rows])

                optimise(model, loss, batches, steps=STEPS, rate=1e-3)
            else:
                _looped(model, batches, labels)
        assert not model.training
        assert model.config.to_json_string(use_diff=False) == config
        models.append(save(model.state_dict()))
    assert models[0] == models[1]


def _looped(model: Any, batches: Any, labels: torch.Tensor) -> None:
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = 1e-3 * rate_share(step, max(1, int(0.1 * STEPS)), STEPS)
        batch = batches[step]
        rows = batch.pop(ROWS)
        torch.nn.functional.cross_entropy(model(**batch).logits, labels[rows]).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
    model.eval()


def test_the_rate_rises_and_falls() -> None:
    # ten steps, two of warm-up: 1/2, 1, then 8/8, 7/8, … 1/8
    assert [rate_share(s, 2, 10) for s in range(10)] == [
        0.5,
        1,
        1,
        7 / 8,
        6 / 8,
        5 / 8,
        4 / 8,
        3 / 8,
        2 / 8,
        1 / 8,
    ]


def test_every_row_is_read_once_an_epoch() -> None:
    lengths = [i % 40 for i in range(150)]
    per_epoch = steps_of(150, BATCH, 1)
    plan = planned_batches(lengths, BATCH, 2 * per_epoch, seed=3)
    assert per_epoch == 3
    for epoch in (plan[:3], plan[3:]):
        assert sorted(row for rows in epoch for row in rows) == list(range(150))
    assert plan == planned_batches(lengths, BATCH, 2 * per_epoch, seed=3)
    assert plan != planned_batches(lengths, BATCH, 2 * per_epoch, seed=4)
    assert (steps_of(10, 4, 0.01), steps_of(10, 4, 2)) == (1, 6)


def test_torch_is_set_back() -> None:
    before = torch.get_rng_state(), torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with reproducible(1, threads=1):
        torch.rand(3)
    after = torch.get_rng_state(), torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]
