"""The scoring stage: a second run from the cache, and memory with ten times the items."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import figure, ran
from benchmarks.random_models import save_distilbert, save_roberta
from benchmarks.throughput import bbnli_pairs

__all__ = ["stage_figures"]

STUDY = """\
format: 1
name: timed
templates: ["{templates}"]
filter: {{candidates: [plain], models: [{models}]}}
models: {{{settings}}}
release: {{name: timed, version: 0.1.0}}
"""
QUADS = """\
format: 1
name: sized
questions: {{packs: ["builtin:en"], classes: [gender], forms: [question], subset: {rows}}}
filter: {{candidates: [questions], models: ["builtin:qa-roformer"], rule: {{c_at_least: 0.1}}}}
scoring: {{cache: {cache}}}
"""
SIZES = (2_000, 20_000)
"""Numbers of quads, with four questions each; even the smaller number makes several parts."""

SCORE = """
import json, sys, time
from nextset.study.study_folder import Study
import torch, transformers
import nextset.scoring.nli
from nextset.scoring.stage import score
from transformers import AutoTokenizer, AutoModelForSequenceClassification
study = Study.load(sys.argv[1])
wall, cpu = time.perf_counter(), time.process_time()
score(study)
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))
"""


def stage_figures(reference: Path) -> None:
    """Run each measurement in a separate process, with a separate cache."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["NEXTSET_CACHE"] = str(Path(scratch) / "cache")
        try:
            _cached(Path(scratch), reference)
            _memory(Path(scratch))
        finally:
            del os.environ["NEXTSET_CACHE"]


def _cached(scratch: Path, reference: Path) -> None:
    """Score the published BBNLI with both models twice; out/score is deleted in between, the cache stays."""
    texts = sorted({text for pair in bbnli_pairs(reference) for text in pair.texts()})
    folders = [
        save(scratch / name, "SequenceClassification", texts)
        for name, save in (("roberta", save_roberta), ("distilbert", save_distilbert))
    ]
    study = scratch / "timed"
    study.mkdir()
    waived = ", ".join(f'"{f}": {{canaries_waived: random weights}}' for f in folders)
    names = ", ".join(f'"{f}"' for f in folders)
    (study / "study.yaml").write_text(
        STUDY.format(templates=reference / "bbnli", models=names, settings=waived), encoding="utf-8"
    )
    subprocess.run([sys.executable, "-m", "nextset", "generate", study], check=True, capture_output=True)
    runs, scores = [], []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCORE, study], check=True, stdout=subprocess.PIPE
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
        folder = study / "out" / "score"
        scores.append([p.read_bytes() for p in sorted(folder.glob("*.parquet"))])
        shutil.rmtree(folder)
    first, (wall, cpu) = runs[0], min(runs[1:])
    figure("scoring stage, 2 models × 3,061 pairs, first run", first[0], "measured only", True, "s")
    figure("second run, from the cache", wall, "measured only", True, "s")
    figure("times as fast, wall", first[0] / wall, "at least 50", first[0] / wall >= 50)
    figure("times as fast, CPU", first[1] / cpu, "at least 50", first[1] / cpu >= 50)
    same = len(set(map(tuple, scores))) == 1
    figure("the same bytes from the cache", float(same), "1", same)


def _memory(scratch: Path) -> None:
    peaks = []
    for rows in SIZES:
        study = scratch / f"rows-{rows}"
        study.mkdir()
        (study / "study.yaml").write_text(QUADS.format(rows=rows, cache="false"), encoding="utf-8")
        ran([sys.executable, "-m", "nextset", "generate", study])
        cost = ran([sys.executable, "-m", "nextset", "score", study])
        figure(f"scoring {rows:,} quads", cost.cpu_seconds, "measured only", True, "CPU s")
        figure(f"scoring {rows:,} quads, memory", cost.megabytes, "measured only", True, "MB")
        peaks.append(cost.megabytes)
    times = peaks[1] / peaks[0]
    figure("memory with ten times the quads", times, "at most 1.2 times", times <= 1.2, "times")
