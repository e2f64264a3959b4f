"""The figures of the audit: coverage and errors of its intervals, speeds and memory.

python benchmarks/auditing.py [coverage] [refusals] [errors] [quads] [predictions] [report] [items] [tuning]
    [ambiguity]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.audit_report import report_figures
from benchmarks.figures import Ran, figure, ran
from benchmarks.interval_errors import error_figures
from benchmarks.planted_bias import planted_figures
from benchmarks.planted_refusals import refusal_figures
from benchmarks.planted_retrieval import retrieval_figures
from benchmarks.prediction_files import prediction_figures
from benchmarks.quad_measures import quad_figures
from benchmarks.random_scores import ROWS, item_rows, scored_study
from benchmarks.tuning_gain import tuning_figures
from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build

FILES = (10, 100)
"""The sizes of the audits, in files of 100,000 items."""
IMPORTED = (1, 5)
"""The sizes of the imports, in files of 100,000 items."""
GIGABYTES = 2.0
"""The most memory that an audit of 10 million items and four models may take."""
GROWTH = 1.2
"""The most that this memory may be, as a multiple of an audit of a tenth of the items."""
MODELS = ("builtin:nli-electra", "builtin:nli-roberta", "builtin:nli-bart", "builtin:nli-albert")


def main() -> None:
    """Run all parts, or the named ones; each command runs in a separate process."""
    parts = {
        "coverage": planted_figures,
        "refusals": refusal_figures,
        "errors": error_figures,
        "quads": quad_figures,
        "predictions": prediction_figures,
        "report": report_figures,
        "tuning": tuning_figures,
        "ambiguity": retrieval_figures,
        "items": _item_figures,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


def _item_figures() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _audits(Path(scratch))
        megabytes = [_imported(Path(scratch) / f"import-{n}", n) for n in IMPORTED]
        for files, peak in zip(IMPORTED, megabytes, strict=True):
            figure(f"import of Parquet, {files * ROWS:,} items", peak, "measured only", True, "MB")
        added = (megabytes[1] - megabytes[0]) * 2**20 / ((IMPORTED[1] - IMPORTED[0]) * ROWS)
        figure("import of Parquet, memory per item", added, "measured only", True, "bytes")


def _audits(scratch: Path) -> None:
    done = [_audited(scratch / f"audit-{n}", n) for n in FILES]
    for files, found in zip(FILES, done, strict=True):
        name = f"audit, {files * ROWS:,} items × {len(MODELS)} models"
        size = found.megabytes / 1000
        figure(f"{name}, memory", size, f"≤ {GIGABYTES:g} GB", size <= GIGABYTES, "GB")
        figure(f"{name}, CPU", found.cpu_seconds, "measured only", True, "s")
    growth = done[1].megabytes / done[0].megabytes
    figure("audit, memory at 10 × the items", growth, f"≤ {GROWTH:g} ×", growth <= GROWTH, "×")


def _audited(folder: Path, files: int) -> Ran:
    """Write the plain expansion with scores of four models, and release a hundredth of it."""
    study = scored_study(folder, files, MODELS)
    plain = open_artifact(study.out / "generate")
    some = plain.piece(plain.shards[0]).slice(0, files * ROWS // 100)
    empty = open_artifact(study.out / "score").table("scores").slice(0, 0)
    for stage, table, rows in (
        ("release", "items", some),
        ("validate", "items", some),
        ("score_held_out", "scores", empty),
    ):
        build(
            study.out / stage,
            Recipe(stage, 1),
            lambda table=table, rows=rows: [Part(table, lambda: PartResult(rows))],
        )
    return ran([sys.executable, "-m", "nextset", "audit", study.folder])


def _imported(folder: Path, files: int) -> float:
    study = scored_study(folder, 0, MODELS)
    rows = pa.concat_tables(item_rows(i) for i in range(files))
    columns = ["premise", "hypothesis", "stereotype", "domain", "label"]
    numbered = pa.array([f"Person {i} was late." for i in range(rows.num_rows)])
    rows = rows.select(columns).set_column(0, "premise", numbered)
    pq.write_table(rows, folder / "pairs.parquet")
    return ran([sys.executable, "-m", "nextset", "import", study.folder, folder / "pairs.parquet"]).megabytes


if __name__ == "__main__":
    main()
