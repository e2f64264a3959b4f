"""CPU time and memory of the measures of choice items, over as many items as BBQ has."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran

__all__ = ["measure_figures"]

ITEMS = {
    "Age": 3680, "Disability_status": 1556, "Gender_identity": 5672, "Nationality": 3080,
    "Physical_appearance": 1576, "Race_ethnicity": 6880, "Religion": 1200, "SES": 6864,
    "Sexual_orientation": 864, "Race_x_SES": 11160, "Race_x_gender": 15960,
}  # fmt: skip
"""The items of BBQ by category: 58,492 (Parrish et al. 2022)."""
TEMPLATES, GROUPS, MODELS = 25, 12, 4
_SECONDS, _MEGABYTES = 3.0, 500.0


def measure_figures() -> None:
    """Measure points and intervals in a separate process each, which reports what it used."""
    with tempfile.TemporaryDirectory() as scratch:
        _write_measured(Path(scratch))
        for name, command, seconds in (
            ("all measures by all groupings", "points", _SECONDS),
            ("the same with intervals, bounds and comparisons", "intervals", None),
        ):
            done = ran([sys.executable, __file__, command, scratch])
            cpu = float((Path(scratch) / command).read_text())
            goal = "measured only" if seconds is None else f"≤ {seconds:g} s"
            reached = seconds is None or cpu <= seconds
            items = f"{sum(ITEMS.values()):,} choice items × {MODELS} models"
            figure(f"{items}: {name}, CPU after imports", cpu, goal, reached, "s")
            small = done.megabytes <= _MEGABYTES
            figure(f"{items}: {name}, memory", done.megabytes, f"≤ {_MEGABYTES:g} MB", small, "MB")


def _write_measured(folder: Path) -> None:
    """Write choice items and random scores in the columns that an audit reads."""
    from nextset.auditing.choices.choice_arrays import PROPERTIES
    from nextset.records.arrow_schema import arrow_schema
    from nextset.records.choice_items import ChoiceItem

    draw, n = np.random.default_rng(0), sum(ITEMS.values())
    category = np.repeat(list(ITEMS), list(ITEMS.values()))
    number = np.concatenate([np.arange(k) for k in ITEMS.values()])
    condition, polarity, group = number % 2, number // 2 % 2, number // 4 % GROUPS
    order = np.array([draw.permutation(3) for _ in range(n)])
    places = np.argsort(order, axis=1)
    person = np.where(condition == 0, 2, draw.integers(0, 2, n))
    rows = np.arange(n)
    names = np.array([*(f"group {i}" for i in range(GROUPS + 1)), ""])
    groups = np.stack([group, (group + 1 + number // 48 % 3) % GROUPS, np.full(n, GROUPS + 1)], axis=1)
    columns = {
        "id": [f"{i:032x}" for i in rows],
        "language": pa.repeat("en", n),
        "category": category,
        "subcategory": np.where(number % 7 == 0, "a part", ""),
        "template_id": np.char.add(
            np.char.add(category, "-"), (number * TEMPLATES // n % TEMPLATES).astype(str)
        ),
        "condition": np.array(["ambiguous", "disambiguated"])[condition],
        "polarity": np.array(["negative", "non_negative"])[polarity],
        "options": [
            [{"text": f"person {r}", "group": names[groups[i, r]], "role": int(r)} for r in order[i]]
            for i in rows
        ],
        "label": places[rows, person],
        "unknown": places[:, 2],
        "target": pa.array(places[:, 0], mask=draw.random(n) < 0.02),
        "cue": np.where(number % 3 == 0, "name", "label"),
    }
    schema = arrow_schema(ChoiceItem)
    wanted = pa.schema([schema.field(name) for name in PROPERTIES])
    arrays = [pa.array(columns[f.name]).cast(f.type) if f.name != "options" else
              pa.array(columns["options"], f.type) for f in wanted]  # fmt: skip
    pq.write_table(pa.table(arrays, schema=wanted), folder / "items.parquet")
    with pq.ParquetWriter(folder / "scores.parquet", _score_schema()) as file:
        for model in range(MODELS):
            file.write_table(_scores(columns["id"], f"model {model}", draw))


def _score_schema() -> pa.Schema:
    from nextset.auditing.choices.options_by_model import SCORE_COLUMNS
    from nextset.records.arrow_schema import arrow_schema
    from nextset.records.choice_items import ChoiceScore

    schema = arrow_schema(ChoiceScore)
    return pa.schema([schema.field(name) for name in SCORE_COLUMNS])


def _scores(ids: Sequence[str], model: str, draw: np.random.Generator) -> pa.Table:
    n = len(ids)
    shares, silent = draw.dirichlet(np.ones(3), n), draw.random(n) < 0.01
    shares[silent] = 0
    columns = {
        "item_id": pa.array(ids),
        "model": pa.repeat(model, n),
        "revision": pa.repeat(model, n),
        "role": pa.repeat("audit", n),
        **{f"option{k + 1}": pa.array(shares[:, k]) for k in range(3)},
        "refused": pa.array(silent.astype(float)),
    }
    empty = {"votes": pa.repeat(False, n), **dict.fromkeys(("option4", "option5", "option6"))}
    arrays = []
    for field in _score_schema():
        array = columns.get(field.name, empty.get(field.name, pa.repeat(0.0, n)))
        arrays.append((pa.nulls(n) if array is None else array).cast(field.type))
    return pa.table(arrays, schema=_score_schema())


def _measure(folder: Path, command: str) -> None:
    from scipy import stats  # noqa: F401  # imports are not measured

    from nextset.auditing.choices.choice_arrays import GROUPINGS
    from nextset.auditing.choices.choice_audit import audit_choices
    from nextset.auditing.choices.choice_counts import choice_set, count_choices
    from nextset.auditing.choices.choice_measure_rows import choice_values

    began = time.process_time()
    items, scores = (pq.ParquetFile(folder / f"{name}.parquet") for name in ("items", "scores"))
    pieces = (scores.read_row_group(i) for i in range(scores.num_row_groups))
    counts = count_choices(choice_set("dataset", [items.read()]), pieces)
    if command == "points":
        for by in GROUPINGS:
            choice_values(counts, by)
    else:
        audit_choices([counts], "choice")
    (folder / command).write_text(str(time.process_time() - began))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _measure(Path(sys.argv[2]), sys.argv[1])
    else:
        measure_figures()
