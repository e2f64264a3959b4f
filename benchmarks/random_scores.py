"""Studies of any size with random scores, so that only what follows scoring is left to do."""

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
"""Items in a file."""
_STUDY = """\
format: 1
name: million
filter: {{candidates: [plain], models: [{models}], rule: {{at_least_wrong: 2}}}}
release: {{name: million, version: 0.1.0}}
"""


def scored_study(folder: Path, files: int, models: tuple[str, ...]) -> Study:
    """A study in ``folder`` with ``files`` files of `ROWS` items, scored at random by ``models``."""
    folder.mkdir()
    (folder / "study.yaml").write_text(_STUDY.format(models=", ".join(models)), encoding="utf-8")
    study = Study.load(folder)
    build(
        study.out / "generate",
        Recipe("generate", 1),
        lambda: [Part("items", lambda i=i: PartResult(item_rows(i))) for i in range(files)],
    )
    scores = [functools.partial(_scores, models, m, i) for m in range(len(models)) for i in range(files)]
    build(study.out / "score", Recipe("score", 1), lambda: [Part("scores", some) for some in scores])
    return study


def item_rows(file: int) -> pa.Table:
    """The items of one file: the same text with ids of their own."""
    table = table_of([ITEM], NliItem).take(pa.array(np.zeros(ROWS, np.int64)))
    return table.set_column(table.schema.get_field_index("id"), "id", _ids(file))


def _ids(file: int) -> pa.Array:
    return pa.array([f"{i:032x}" for i in range(file * ROWS, (file + 1) * ROWS)])


def _scores(models: tuple[str, ...], model: int, file: int) -> PartResult:
    numbers = np.random.default_rng([model, file]).dirichlet((1.0, 1.0, 1.0), ROWS)
    same = {
        "model": models[model], "revision": "0" * 32, "role": "filter", "precision": "float32",
        "mode": "canonical", "truncated": False,
    }  # fmt: skip
    columns = {
        "item_id": _ids(file),
        **{name: pa.repeat(value, ROWS) for name, value in same.items()},
        **{label: pa.array(numbers[:, i]) for i, label in enumerate(LABELS)},
    }
    schema = arrow_schema(NliScore)
    return PartResult(pa.table([columns[name] for name in schema.names], schema=schema))
