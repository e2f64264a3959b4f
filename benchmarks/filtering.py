"""What filtering costs: rules over a million candidates, AFLite over some thousand.

python benchmarks/filtering.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

# Run as a file, Python would take this folder's modules for the rooms of the same names.
sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pyarrow as pa

from benchmarks.figures import figure
from filtering.aflite import aflite
from filtering.answers import ITEM_COLUMNS, item_answers
from filtering.rules import decide
from nextset.filter_rule import AfliteSettings, FilterRule

ITEMS = 1_000_000
MODELS = ("a", "b", "c")


def main() -> None:
    """Rules first; then AFLite on features of which one gives the label away."""
    random = np.random.default_rng(7)
    ids = pa.chunked_array([pa.array([f"{i:032x}" for i in range(ITEMS)])])
    right = pa.chunked_array([pa.array(["neutral"] * ITEMS)])
    tables = []
    for name in MODELS:
        numbers = random.dirichlet((1, 3, 1), ITEMS)
        columns = {"item_id": ids, "model": pa.repeat(name, ITEMS), "entailment": numbers[:, 0]}
        columns |= {"neutral": numbers[:, 1], "contradiction": numbers[:, 2]}
        tables.append(pa.table(columns))
    began = time.process_time()
    pieces = (table.select(list(ITEM_COLUMNS)) for table in tables)
    answers = item_answers(ids, right, pieces, MODELS)
    read = time.process_time() - began
    figure(f"answers of 3 models to {ITEMS:,} candidates, read", read, "measured only", True, "CPU s")
    for written in ("any_wrong", {"all_of": ["disagreement", {"margin_below": 0.2}]}):
        began = time.process_time()
        decide(FilterRule.model_validate(written), answers)
        spent = time.process_time() - began
        figure(f"rule {written}", spent, "measured only", True, "CPU s")
    labels = random.integers(0, 3, 4000).astype(np.int8)
    features = random.normal(size=(4000, 128)).astype(np.float32)
    features[:1000, 0] += 6 * labels[:1000]
    settings = AfliteSettings(target=3000, train=2000, slice=250, partitions=16)
    began = time.process_time()
    stay = aflite(features, labels, settings)
    spent = time.process_time() - began
    figure("AFLite, 4,000 items × 128 features, 16 partitions", spent, "measured only", True, "CPU s")
    given_away = 1 - float(stay[:1000].mean())
    figure("items that a feature gives away, left out", given_away, "measured only", True)


if __name__ == "__main__":
    main()
