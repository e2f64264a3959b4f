"""Memory of an audit and of an import, at two sizes.

python benchmarks/auditing.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran
from benchmarks.random_scores import ROWS, item_rows, scored_study
from nextset.artifacts.artifact import Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build

FILES = (1, 5)
"""The sizes, in files of 100,000 items."""
MODELS = ("builtin:nli-electra", "builtin:nli-roberta", "builtin:nli-bart", "builtin:nli-albert")


def main() -> None:
    """Each command is a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        _growth("audit", [_audited(Path(scratch) / f"audit-{n}", n) for n in FILES])
        _growth("import of Parquet", [_imported(Path(scratch) / f"import-{n}", n) for n in FILES])


def _growth(name: str, megabytes: list[float]) -> None:
    """What each item adds."""
    for files, peak in zip(FILES, megabytes, strict=True):
        figure(f"{name}, {files * ROWS:,} items", peak, "measured only", True, "MB")
    added = (megabytes[1] - megabytes[0]) * 2**20 / ((FILES[1] - FILES[0]) * ROWS)
    figure(f"{name}, memory an item", added, "measured only", True, "bytes")


def _audited(folder: Path, files: int) -> float:
    """The plain expansion of four models, and a release of a hundredth of it."""
    study = scored_study(folder, files, MODELS)
    plain = open_artifact(study.out / "generate")
    some = plain.piece(plain.shards[0]).slice(0, files * ROWS // 100)
    empty = open_artifact(study.out / "score").table("scores").slice(0, 0)
    for stage, table, rows in (("release", "items", some), ("score_held_out", "scores", empty)):
        build(
            study.out / stage,
            Recipe(stage, 1),
            lambda table=table, rows=rows: [Part(table, lambda: PartResult(rows))],
        )
    return ran([sys.executable, "-m", "nextset", "audit", study.folder]).megabytes


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
