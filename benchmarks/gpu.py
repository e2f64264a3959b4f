"""Pairs per second and FLOP utilisation of large NLI models with random weights on a GPU."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.figures import figure
from benchmarks.random_models import save_albert, save_roberta
from benchmarks.throughput import bbnli_pairs
from nextset.scoring.asking import Asking
from nextset.scoring.models.sources import locate
from nextset.scoring.nli import EncodedPair, NliClassifier
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

__all__ = ["gpu_figures"]

PAIRS = 80_000
PAPER = 83_000
"""The number of pairs that BBNLI-next (Baldini et al. 2023) filtered with its three large models."""
PEAKS = {
    "H200": {"bfloat16": 989e12, "float32": 67e12},
    "H100": {"bfloat16": 989e12, "float32": 67e12},
    "A100": {"bfloat16": 312e12, "float32": 19.5e12},
}
"""FLOP per second by the makers' data sheets, dense; float32 without TF32."""


@dataclass(frozen=True)
class Size:
    """A model's size."""

    layers: int
    hidden: int
    heads: int
    inner: int

    def config(self) -> dict[str, Any]:
        """Return the size as the keys of a transformers config."""
        return {
            "num_hidden_layers": self.layers, "hidden_size": self.hidden, "num_attention_heads": self.heads,
            "intermediate_size": self.inner,
        }  # fmt: skip

    def flop(self, lengths: Sequence[int]) -> float:
        """Return the FLOP of a forward pass over texts of these lengths, without embeddings and heads."""
        tokens = sum(lengths)
        weights = 2 * tokens * (4 * self.hidden**2 + 2 * self.hidden * self.inner)
        attention = 4 * self.hidden * sum(n * n for n in lengths)
        return float(self.layers * (weights + attention))


LARGE = Size(24, 1024, 16, 4096)
XXLARGE = Size(12, 4096, 64, 16384)
MODELS = {"RoBERTa-large": (save_roberta, LARGE), "ALBERT-xxlarge": (save_albert, XXLARGE)}


def gpu_figures(reference: Path) -> None:
    """Print the figures in bfloat16 and float32; then the time of the paper's filter (BART as RoBERTa)."""
    import torch

    if not torch.cuda.is_available():
        print("no figures: torch does not find a GPU")
        return
    pairs = _pairs(reference)
    precisions: tuple[Literal["bfloat16", "float32"], ...] = ("bfloat16", "float32")
    for precision in precisions:
        seconds = {}
        for name, (save, size) in MODELS.items():
            with tempfile.TemporaryDirectory() as scratch:
                texts = sorted({text for pair in pairs for text in pair.texts()})
                folder = save(Path(scratch), "SequenceClassification", texts, **size.config())
                seconds[name] = _asked(name, folder, size, pairs, precision)
        paper = PAPER / len(pairs) * (2 * seconds["RoBERTa-large"] + seconds["ALBERT-xxlarge"])
        fast = precision == "bfloat16"
        figure(
            f"the paper's filter, {PAPER:,} pairs × three large models, {precision}", paper,
            "under 60 s" if fast else "measured only", not fast or paper < 60, "s",
        )  # fmt: skip


def _pairs(reference: Path) -> list[Pair]:
    """Return distinct pairs of a published premise and a published hypothesis."""
    published = bbnli_pairs(reference)
    rng = random.Random(0)
    found: dict[Pair, None] = {}
    while len(found) < PAIRS:
        found[Pair(rng.choice(published).premise, rng.choice(published).hypothesis)] = None
    return list(found)


def _asked(
    name: str, folder: Path, size: Size, pairs: Sequence[Pair], precision: Literal["bfloat16", "float32"]
) -> float:
    """Return the seconds for all ``pairs``, including tokenising but not loading."""
    import torch

    scoring = ScoringSettings(precision=precision)
    classifier = NliClassifier.load(locate(str(folder)), Asking("nli", scoring, ModelSettings()))
    classifier.scores(classifier.encoded(pairs[:2_000]))
    device = torch.cuda.get_device_name()
    torch.cuda.synchronize()
    began = time.perf_counter()
    encoded: Sequence[EncodedPair] = classifier.encoded(pairs)
    between = time.perf_counter()
    classifier.scores(encoded)
    ended = time.perf_counter()
    which = f"{name}, {precision}, {device}"
    figure(f"{which}, pairs per second", len(pairs) / (ended - began), "measured only", True)
    figure(f"{which}, tokenising", between - began, "measured only", True, "s")
    figure(f"{which}, tokens per batch", classifier.budget.tokens, "measured only", True)
    peak = next((p[precision] for part, p in PEAKS.items() if part in device), None)
    if peak is not None:
        used = size.flop([len(e.encoding.ids) for e in encoded]) / (ended - between) / peak
        goal = "at least 0.4" if precision == "bfloat16" else "measured only"
        figure(f"{which}, FLOP utilisation", used, goal, precision != "bfloat16" or used >= 0.4)
    return ended - began
