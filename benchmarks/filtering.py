"""The filter over a million candidates of three models, and AFLite over some thousand items.

python benchmarks/filtering.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from benchmarks.random_scores import ROWS, scored_study
from nextset.filtering.aflite import aflite
from nextset.study.filter_rule_settings import AfliteSettings

FILES = 10
MODELS = ("builtin:nli-electra", "builtin:nli-roberta", "builtin:nli-bart")
AFLITE = AfliteSettings(target=2_000, partitions=64, train=1_000, slice=500, threshold=0.5)


def main() -> None:
    """The filter as its command runs it, in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        study = scored_study(Path(scratch) / "million", FILES, MODELS)
        cost = ran([sys.executable, "-m", "nextset", "filter", study.folder])
    rows = f"{FILES * ROWS:,} candidates × {len(MODELS)} models"
    figure(f"filter, {rows}", cost.cpu_seconds, "measured only", True, "CPU s")
    figure(f"filter, {rows}, memory", cost.megabytes, "measured only", True, "MB")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 4_000, np.int8)
    features = rng.normal(size=(labels.size, 128)).astype(np.float32)
    features[:2_500, 0] += labels[:2_500]
    began = time.process_time()
    stays = int(aflite(features, labels, AFLITE).sum())
    seconds = time.process_time() - began
    name = f"AFLite, {labels.size:,} items of 128 features to {stays:,}, 64 probes a round"
    figure(name, seconds, "measured only", True, "CPU s")


if __name__ == "__main__":
    main()
