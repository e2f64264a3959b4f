"""The fills that checks drop, the drop of held-out models' accuracy by rule, and the cost of the filter.

Dropped fills and drops of accuracy are measured with the built-in models on all shipped stereotypes, with
each NLI model held out once; the filter on a million candidates, and AFLite on some thousand items.

python benchmarks/filtering.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from benchmarks.filling import check_cost_figures, placing_figure
from benchmarks.random_scores import ROWS, scored_study
from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.artifacts.drop_counts import drops
from nextset.cli.new import new_study
from nextset.filtering.comparison_stage import compare_rules
from nextset.filtering.rules.aflite_algorithm import AfliteSettings, aflite

FILES = 10
MODELS = ("builtin:nli-electra", "builtin:nli-roberta", "builtin:nli-bart")
HELD_OUT = ("builtin:nli-albert",)
AFLITE = AfliteSettings(target=2_000, partitions=64, train=1_000, slice=500, threshold=0.5)


def main() -> None:
    """Run the filter and the comparison as their command does, in a separate process."""
    check_cost_figures()
    placing_figure()
    with tempfile.TemporaryDirectory() as scratch:
        study = scored_study(Path(scratch) / "million", FILES, MODELS)
        cost = ran([sys.executable, "-m", "nextset", "filter", study.folder])
        others = scored_study(Path(scratch) / "compared", FILES, MODELS, HELD_OUT)
        comparison = ran([sys.executable, "-m", "nextset", "filter", "--compare", others.folder])
    rows = f"{FILES * ROWS:,} candidates × {len(MODELS)} models"
    figure(f"filter, {rows}", cost.cpu_seconds, "measured only", True, "CPU s")
    figure(f"filter, {rows}, memory", cost.megabytes, "measured only", True, "MB")
    rows = f"{FILES * ROWS:,} candidates × {len(MODELS + HELD_OUT)} models"
    figure(f"rules compared, {rows}", comparison.cpu_seconds, "measured only", True, "CPU s")
    figure(f"rules compared, {rows}, memory", comparison.megabytes, "measured only", True, "MB")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 4_000, np.int8)
    features = rng.normal(size=(labels.size, 128)).astype(np.float32)
    features[:2_500, 0] += labels[:2_500]
    began = time.process_time()
    stays = int(aflite(features, labels, AFLITE).sum())
    seconds = time.process_time() - began
    name = f"AFLite, {labels.size:,} items of 128 features to {stays:,}, 64 probes per round"
    figure(name, seconds, "measured only", True, "CPU s")
    with tempfile.TemporaryDirectory() as scratch:
        study = Path(scratch) / "shipped"
        compared = _compared(study)
        _dropped_fills(open_artifact(study / "out" / "fill").counts)
        _held_out_drops(compared)


def _compared(folder: Path) -> Artifact:
    """Return the comparison of rules for the built-in models, a new study's settings and all stereotypes."""
    file = new_study(folder).file.parent / "study.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("templates: [templates]", "templates: [builtin:bbnli]"), encoding="utf-8")
    for stage in ("generate", "fill", "score", "filter"):
        ran([sys.executable, "-m", "nextset", stage, folder])
    return compare_rules(folder)


def _dropped_fills(counts: Mapping[str, int]) -> None:
    """Print the share of examined fills that each check drops, the largest first."""
    dropped = drops(counts)
    looked_at = counts["fills kept"] + sum(dropped.values())
    figure("fills examined", looked_at, "measured only", True)
    for reason, n in sorted(dropped.items(), key=lambda drop: -drop[1]):
        figure(reason, 100 * n / looked_at, "measured only", True, "%")


def _held_out_drops(found: Artifact) -> None:
    """Print, for each rule, the mean drop of a held-out model's accuracy, and the least drop of any model."""
    for rule in found.table("rules").to_pylist():
        if rule["drop"] is None:
            continue
        name = f"held-out drop, {rule['rule']}, keeps {100 * rule['kept']:.1f} %"
        mean, hardest = 100 * rule["drop"], 100 * rule["hardest_drop"]
        figure(f"{name}, mean of the models", mean, "≥ 25", mean >= 25, "points")
        figure(f"{name}, {rule['hardest']}", hardest, "≥ 15", hardest >= 15, "points")


if __name__ == "__main__":
    main()
