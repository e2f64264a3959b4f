"""The filter over a million candidates of three models, and AFLite over some thousand items.

python benchmarks/filtering.py
"""

from __future__ import annotations

import functools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.filtering.aflite import aflite
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import LABELS, NliItem, NliScore
from nextset.study.filter_rule_settings import AfliteSettings
from nextset.study.study_folder import Study
from tests.records import ITEM

FILES, ROWS = 10, 100_000
MODELS = ("builtin:nli-electra", "builtin:nli-roberta", "builtin:nli-bart")
STUDY = """\
format: 1
name: million
filter: {{candidates: [plain], models: [{models}], rule: {{at_least_wrong: 2}}}}
release: {{name: million, version: 0.1.0}}
"""
AFLITE = AfliteSettings(target=2_000, partitions=64, train=1_000, slice=500, threshold=0.5)


def main() -> None:
    """The filter as its command runs it, in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        study = _study(Path(scratch) / "million")
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


def _study(folder: Path) -> Study:
    """A study with random scores: nothing but filtering is left to do."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(models=", ".join(MODELS)), encoding="utf-8")
    study = Study.load(folder)
    files = range(FILES)
    build(
        study.out / "generate",
        Recipe("generate", 1),
        lambda: [Part("items", functools.partial(_items, i)) for i in files],
    )
    build(
        study.out / "score",
        Recipe("score", 1),
        lambda: [Part("scores", functools.partial(_scores, m, i)) for m in range(len(MODELS)) for i in files],
    )
    return study


def _ids(file: int) -> pa.Array:
    return pa.array([f"{i:032x}" for i in range(file * ROWS, (file + 1) * ROWS)])


def _items(file: int) -> PartResult:
    table = table_of([ITEM], NliItem).take(pa.array(np.zeros(ROWS, np.int64)))
    return PartResult(table.set_column(table.schema.get_field_index("id"), "id", _ids(file)))


def _scores(model: int, file: int) -> PartResult:
    numbers = np.random.default_rng([model, file]).dirichlet((1.0, 1.0, 1.0), ROWS)
    same = {
        "model": MODELS[model], "revision": "0" * 32, "role": "filter", "precision": "float32",
        "mode": "canonical", "truncated": False,
    }  # fmt: skip
    columns = {
        "item_id": _ids(file),
        **{name: pa.repeat(value, ROWS) for name, value in same.items()},
        **{label: pa.array(numbers[:, i]) for i, label in enumerate(LABELS)},
    }
    schema = arrow_schema(NliScore)
    return PartResult(pa.table([columns[name] for name in schema.names], schema=schema))


if __name__ == "__main__":
    main()
