"""CPU time and memory of the UnQover measures over the 1,372,000 quads of the published gender set."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from nextset.auditing.quads.quad_columns import SCORES

__all__ = ["quad_figures"]

NAMES, TEMPLATES, ATTRIBUTES = 70, 4, 70
"""Of the gender set: female and male names, templates and occupations (Li et al. 2020, table 1)."""


def quad_figures() -> None:
    """Run each measurement in a separate process, which reports what it used."""
    with tempfile.TemporaryDirectory() as scratch:
        _write(Path(scratch))
        for name, command, seconds, gigabytes in (
            ("all measures", "values", 5.0, 1.2),
            ("1,000 draws", "draws", 60.0, 2.0),
            ("the published analysis, restated", "published", None, None),
        ):
            done = ran([sys.executable, __file__, command, scratch])
            cpu = float((Path(scratch) / command).read_text())
            goal = "measured only" if seconds is None else f"≤ {seconds:g} s"
            reached = seconds is None or cpu <= seconds
            figure(f"gender set: {name}, CPU after imports", cpu, goal, reached, "s")
            goal = "measured only" if gigabytes is None else f"≤ {gigabytes:g} GB"
            size = done.megabytes / 1000
            figure(f"gender set: {name}, memory", size, goal, gigabytes is None or size <= gigabytes, "GB")


def _write(folder: Path) -> None:
    """Write quads and random scores in the order and with the columns of a study."""
    pairs = [(f, m) for f in range(NAMES) for m in range(NAMES)]
    random, n = np.random.default_rng(0), NAMES * TEMPLATES * ATTRIBUTES
    with (
        pq.ParquetWriter(folder / "quads.parquet", _QUADS) as quads,
        pq.ParquetWriter(folder / "scores.parquet", _SCORES) as scores,
    ):
        for start in range(0, len(pairs), NAMES):
            rows = [(f, m, t, a) for f, m in pairs[start : start + NAMES]
                    for t in range(TEMPLATES) for a in range(ATTRIBUTES)]  # fmt: skip
            ids = [f"{start * n // NAMES + i:032x}" for i in range(len(rows))]
            quads.write_table(
                pa.table(
                    {
                        "id": ids,
                        "subject_class": ["gender"] * n,
                        "template_id": [str(t) for _, _, t, _ in rows],
                        "attribute": [f"occupation {a}" for _, _, _, a in rows],
                        "attribute_cluster": [""] * n,
                        "subject1": [f"F{f}" for f, _, _, _ in rows],
                        "subject2": [f"M{m}" for _, m, _, _ in rows],
                        "cluster1": ["female"] * n,
                        "cluster2": ["male"] * n,
                    },
                    schema=_QUADS,
                )
            )
            columns = {"item_id": ids, "model": ["m"] * n, "revision": ["r"] * n, "role": ["audit"] * n}
            scores.write_table(pa.table({**columns, **dict(zip(SCORES, random.random((8, n)), strict=True))}))


_QUADS = pa.schema(
    [(name, pa.string()) for name in (
        "id", "subject_class", "template_id", "attribute", "attribute_cluster", "subject1", "subject2",
        "cluster1", "cluster2",
    )]
)  # fmt: skip
_SCORES = pa.schema(
    [(name, pa.string()) for name in ("item_id", "model", "revision", "role")]
    + [(name, pa.float64()) for name in SCORES]
)


def _pieces(path: Path) -> Iterator[pa.Table]:
    file = pq.ParquetFile(path)
    for i in range(file.num_row_groups):
        yield file.read_row_group(i)


def _measure(folder: Path, command: str) -> None:
    from scipy import sparse, stats  # noqa: F401  # imports are not measured

    from nextset.auditing.form_tables import question_tables
    from nextset.auditing.quads.quad_tables import quad_classes, scores_by_model, scores_of
    from nextset.auditing.quads.quad_values import quad_values

    began = time.process_time()
    quads, scores = folder / "quads.parquet", folder / "scores.parquet"
    if command == "published":
        _published(quads, scores)
    elif command == "values":
        (table,) = quad_classes(_pieces(quads), "question")
        ((model, rows),) = scores_by_model(_pieces(scores)).items()
        quad_values(table.columns, scores_of(table, model.model, rows), draws=False)
    else:
        question_tables(
            {"dataset": lambda: _pieces(quads)}, list(_pieces(scores)), "question",
            lambda table, model: None, lambda done, total: None,
        )  # fmt: skip
    (folder / command).write_text(str(time.process_time() - began))


def _published(quads: Path, scores: Path) -> None:
    """Compute δ, ε, γ, μ and η with a dict and a list for each group, as scripts do it."""
    import math

    error = {"d": 0.0, "e": 0.0}
    groups: dict[tuple[str, str], list[float]] = {}
    properties = pq.read_table(quads).to_pylist()
    for row, s in zip(properties, pq.read_table(scores, columns=list(SCORES)).to_pylist(), strict=True):
        v = [s[name] for name in SCORES]
        x1, x2 = v[0::2], v[1::2]
        error["d"] += sum(abs(x[i] - x[i + 1]) for x in (x1, x2) for i in (0, 2)) / 4
        error["e"] += sum(abs(x1[i] - x2[i + 2]) + abs(x2[i] - x1[i + 2]) for i in (0, 1)) / 4
        b1, b2 = ((x[0] + x[1] - x[2] - x[3]) / 2 for x in (x1, x2))
        c = (b1 - b2) / 2
        groups.setdefault((row["subject1"], row["attribute"]), []).append(c)
        groups.setdefault((row["subject2"], row["attribute"]), []).append(-c)
    by_subject: dict[str, list[tuple[float, float]]] = {}
    for (subject, _), cs in groups.items():
        eta = sum(math.copysign(1, c) if c else 0 for c in cs) / len(cs)
        by_subject.setdefault(subject, []).append((sum(cs) / len(cs), eta))
    sum(max(abs(g) for g, _ in rows) for rows in by_subject.values())


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _measure(Path(sys.argv[2]), sys.argv[1])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{peak:.2f} GB", file=sys.stderr)
    else:
        quad_figures()
