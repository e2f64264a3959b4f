"""Studies of any size with random scores, so that only the stages after scoring remain to be run."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pyarrow as pa

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import LABELS, NliItem, NliScore
from nextset.study.study_folder import Study
from tests.records import ITEM

__all__ = ["ROWS", "item_rows", "scored_study"]

ROWS = 100_000
"""The number of items per file."""
_STUDY = """\
format: 1
name: million
filter: {{candidates: [plain], models: [{models}], held_out: [{held_out}], rule: {{at_least_wrong: 2}}}}
release: {{name: million, version: 0.1.0}}
"""


def scored_study(folder: Path, files: int, models: tuple[str, ...], held_out: tuple[str, ...] = ()) -> Study:
    """Make a study in ``folder`` with ``files`` files of `ROWS` items, and random scores of its models."""
    folder.mkdir()
    text = _STUDY.format(models=", ".join(models), held_out=", ".join(held_out))
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    study = Study.load(folder)
    build(
        study.out / "generate",
        Recipe("generate", 1),
        lambda: [Part("items", lambda i=i: PartResult(item_rows(i))) for i in range(files)],
    )
    for stage, named in (("score", models), ("score_held_out", held_out)):
        scores = [functools.partial(_scores, model, i) for model in named for i in range(files)]
        if named:
            build(study.out / stage, Recipe(stage, 1), lambda some=scores: [Part("scores", s) for s in some])
    return study


def item_rows(file: int) -> pa.Table:
    """Return the items of one file: the same text with different ids."""
    table = table_of([ITEM], NliItem).take(pa.array(np.zeros(ROWS, np.int64)))
    return table.set_column(table.schema.get_field_index("id"), "id", _ids(file))


def _ids(file: int) -> pa.Array:
    return pa.array([f"{i:032x}" for i in range(file * ROWS, (file + 1) * ROWS)])


def _scores(model: str, file: int) -> PartResult:
    numbers = np.random.default_rng([*model.encode(), file]).dirichlet((1.0, 1.0, 1.0), ROWS)
    same = {
        "model": model, "revision": "0" * 32, "role": "filter", "precision": "float32",
        "mode": "canonical", "truncated": False,
    }  # fmt: skip
    columns = {
        "item_id": _ids(file),
        **{name: pa.repeat(value, ROWS) for name, value in same.items()},
        **{label: pa.array(numbers[:, i]) for i, label in enumerate(LABELS)},
    }
    schema = arrow_schema(NliScore)
    return PartResult(pa.table([columns[name] for name in schema.names], schema=schema))
