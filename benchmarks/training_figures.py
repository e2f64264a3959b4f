"""The Trainer's speed next to a plain loop of torch, and the accuracy of a reader of the toy grammar."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

import nextset
from benchmarks.figures import figure
from makers.builtin_models.architectures import qa_model, start_as_matchers
from makers.builtin_models.plain_recipe import ROWS, optimise, text_batches
from makers.builtin_models.qa_examples import held_out_questions, training_questions
from makers.builtin_models.vocabulary import build_tokenizer
from nextset.training.fine_tuning.optimisation import rate_share
from nextset.training.fine_tuning.reproducible_torch import reproducible
from nextset.word_lists.lexicon import read_lexicon
from tests.training.squad_examples import squad

__all__ = ["reader_figures", "throughput_figures"]

STEPS, EXAMPLES, TURNS = 60, 4000, 3
SLOWER = 1.15
"""The longest time of the Trainer, as a multiple of the plain loop."""
F1_FLOOR = 0.8
"""The least F1 on words and patterns of the toy grammar that are in no training question."""


def throughput_figures() -> None:
    """Train the built-in reader for some steps with the Trainer and a loop, in turns; print the fastest."""
    lexicon = read_lexicon()
    tokenizer = build_tokenizer(lexicon, lowercase=True, segments=True)
    examples = training_questions(lexicon, EXAMPLES, 1)
    encodings = tokenizer.backend_tokenizer.encode_batch([(e.question, e.context) for e in examples])
    answers = list(zip(encodings, examples, strict=True))
    spans = torch.tensor(
        [(found.char_to_token(e.start, 1), found.char_to_token(e.end - 1, 1)) for found, e in answers]
    )

    def loss(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        rows = batch.pop(ROWS)
        out = model(**batch)
        first, last = out.start_logits, out.end_logits
        cross_entropy = torch.nn.functional.cross_entropy
        return cross_entropy(first, spans[rows, 0]) + cross_entropy(last, spans[rows, 1])

    seconds: dict[str, float] = {}
    weights: dict[str, bytes] = {}
    for _ in range(TURNS):
        for name in ("Trainer", "loop"):
            with reproducible(1, threads=1):
                model = qa_model(len(tokenizer))
                start_as_matchers(model)
                batches: Any = text_batches(model, tokenizer, encodings, STEPS, 1)
                began = time.monotonic()
                if name == "Trainer":
                    optimise(model, loss, batches, steps=STEPS, rate=1e-3)
                else:
                    _looped(model, batches, loss)
                taken = time.monotonic() - began
            seconds[name] = min(taken, seconds.get(name, taken))
            from safetensors.torch import save

            weights[name] = save(model.state_dict())
    for name, taken in seconds.items():
        figure(
            f"built-in reader by the {name}, batches of 64", STEPS / taken, "measured only", True, "steps/s"
        )
    ratio = seconds["Trainer"] / seconds["loop"]
    figure("Trainer, time next to the loop", ratio, f"≤ {SLOWER:g} ×", ratio <= SLOWER, "×")
    same = weights["Trainer"] == weights["loop"]
    figure("weights of both, equal bytes", float(same), "1", same, "")


def _looped(model: Any, batches: Any, loss: Any) -> None:
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = 1e-3 * rate_share(step, max(1, int(0.1 * STEPS)), STEPS)
        loss(model, batches[step]).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
    model.eval()


def reader_figures() -> None:
    """Run `nextset train` on the toy grammar: the built-in reader learns to say that there is no answer, and
    an encoder without a reading head learns to read."""
    lexicon = read_lexicon()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, examples in (
            ("train", training_questions(lexicon, 3000, 1)),
            ("dev", held_out_questions(lexicon, 300)),
        ):
            (folder / f"{name}.json").write_text(json.dumps(squad(examples, none_every=4)), encoding="utf-8")
        before = nextset.evaluate_model("builtin:qa-roformer", folder / "dev.json").figures
        figure(
            "held-out F1, unchanged built-in reader, one in four without answer",
            before["f1"],
            "measured only",
            True,
            "",
        )
        (folder / "reader.yaml").write_text(
            "format: 1\ntask: qa\nmodel: builtin:qa-roformer\ntrain: [train.json]\nvalidation: [dev.json]\n"
            "epochs: 3\nrate: 1.0e-3\n",
            encoding="utf-8",
        )
        began = time.monotonic()
        trained = nextset.train_model(folder / "reader.yaml")
        taken = time.monotonic() - began
        after = {
            row["figure"]: row["value"]
            for row in trained.table("figures").to_pylist()
            if row["when"] == "after"
        }
        for name in ("f1", "em", "avna"):
            good = name != "f1" or after[name] >= F1_FLOOR
            goal = f"≥ {F1_FLOOR:g}" if name == "f1" else "measured only"
            figure(f"held-out {name} after `nextset train`, 3,000 questions", after[name], goal, good, "")
        figure("that training, with its evaluations", taken, "measured only", True, "s")
