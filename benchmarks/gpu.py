"""Large models on a GPU: pairs a second, the share of its peak that is used, the paper's whole filter."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pyarrow as pa

from benchmarks.figures import figure
from benchmarks.random_models import save_albert_xxlarge, save_roberta_large
from nextset.filter_rule import Boundaries
from nextset.study import ModelSettings, ScoringSettings
from scoring.asked_model import Model
from scoring.jobs import Job
from scoring.models.sources import locate
from scoring.nli import NliClassifier
from scoring.rows import held_chunks
from scoring.scorer import Asking

__all__ = ["gpu_figures"]

PAIRS = 80_000
PAPER = 83_000 * 3
"""Pairs × large models of the paper's filter (Baldini et al. 2023)."""
PEAK = {"bfloat16": 989e12, "float32": 67e12}
"""FLOP/s of an H200: dense tensor cores, and without them."""
MODELS = {"RoBERTa-large": save_roberta_large, "ALBERT-xxlarge": save_albert_xxlarge}


def gpu_figures() -> None:
    """Prints why when there is no GPU."""
    import torch

    if not torch.cuda.is_available():
        print("GPU figures | not measured: torch finds no CUDA device | – | –", flush=True)
        return
    rows = _rows()
    texts = sorted({*rows["premise"].to_pylist(), *rows["hypothesis"].to_pylist()})
    for name, save in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            save(Path(folder), "SequenceClassification", texts)
            for precision in PEAK:
                _figures(f"{name}, {precision}", Path(folder), precision, rows)


def _rows() -> pa.Table:
    """Pairs of about 35 tokens, as BBNLI's."""
    words = (
        "people",
        "who",
        "live",
        "in",
        "the",
        "north",
        "often",
        "work",
        "at",
        "night",
        "and",
        "rest",
        "early",
    )
    premises = [
        " ".join(words[(i * 7 + j * (1 + i % 5)) % len(words)] for j in range(16 + i % 12))
        for i in range(PAIRS)
    ]
    hypotheses = [f"Person {i} is {words[i % len(words)]} than the others are." for i in range(PAIRS)]
    ids = [f"{i:032x}" for i in range(PAIRS)]
    return pa.table({"id": ids, "premise": premises, "hypothesis": hypotheses, "label": ["neutral"] * PAIRS})


def _figures(name: str, folder: Path, precision: str, rows: pa.Table) -> None:
    settings = ScoringSettings.model_validate({"precision": precision})
    model = Model(locate(str(folder)), Asking("nli", settings, ModelSettings()), "cuda", None)
    scorer = model.scorer(None)
    assert isinstance(scorer, NliClassifier)
    chunks = list(held_chunks(rows, tuple(rows.schema.names)))
    Job(model, chunks[0], "filter", Boundaries())()  # sets things up
    tokens, began = 0, time.perf_counter()
    for chunk in chunks:
        job = Job(model, chunk, "filter", Boundaries())
        ready = job.ready()
        tokens += sum(len(e.encoding.ids) for e in ready.encoded)
        job.finished(ready)
    seconds = time.perf_counter() - began
    config = scorer.twins.quick.model.config
    layer = 4 * config.hidden_size**2 + 2 * config.hidden_size * config.intermediate_size
    used = 2 * layer * config.num_hidden_layers * tokens / seconds / PEAK[precision]
    figure(f"{name}, pairs a second, reading counted", PAIRS / seconds, "measured only", True)
    figure(
        f"{name}, share of the peak", used, "at least 0.4 in bfloat16", precision != "bfloat16" or used >= 0.4
    )
    paper = seconds * PAPER / PAIRS
    figure(
        f"{name}, the paper's filter",
        paper,
        "under 60 s in bfloat16",
        precision != "bfloat16" or paper < 60,
        "s",
    )
