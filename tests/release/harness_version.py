"""A small dataset version with typed columns, what an audit measures on it, and runs of real harnesses."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.auditing.measures_without_study import measure_table
from nextset.files.atomic_files import write_atomically
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import LABELS, NliItem, NliScore
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    manifest_bytes,
)
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.scorer_protocol import Numbers, Pair
from tests.records import ITEM

__all__ = ["MANIFEST_OF", "WORDS", "Rows", "audited", "items", "pairs_of", "ran", "released", "scores_of"]

Rows = Sequence[dict[str, Any]]

WORDS = ("clumsy", "creative", "untidy", "patient", "careless", "musical", "slow", "honest")
HOSTILE = "{{ 7 * 7 }} {premise} {% raw %} !function x: [\\ \"'#"
"""Jinja, a placeholder and YAML in an item's text: a person's words, not instructions."""

MANIFEST_OF = ReleaseManifest(
    name="Left-Handed.v2",
    version="1.2.0",
    previous=None,
    kind="items",
    license="cc-by-4.0",
    authors=("Ann",),
    languages=("en",),
    canary="0f0c6f4e-6b5a-4a35-9e10-0d2a8b9e2a11",
    content_warning="The texts state <b>stereotypes</b>.",
    judge="people",
    verdicts={"majority": True},
    models=(),
    waivers=(),
    columns={},
    study={},
    nextset="0.1.0",
    private=False,
    gated=False,
    files=(),
)


def _row(i: int, premise: str, hypothesis: str, **more: Any) -> dict[str, Any]:
    known = {k: more.pop(k) for k in ("label", "stance_design", "names_group") if k in more}
    item: NliItem = replace(ITEM, id=f"{i:032x}", premise=premise, hypothesis=hypothesis, **known)
    judged = {"verdict": "valid", "stance_judged": None, "counterpart_id": None} | more
    return {name: value for name, value in asdict(item).items() if name != "bindings"} | judged


def items(controls: bool) -> list[dict[str, Any]]:
    """Thirty items, among them eleven pairs and items that do not count; or four controls."""
    if controls:
        rows = [_row(90 + i, f"The {w} cook sang.", f"A cook was {w}.", label="entailment",
                     stance_design="test") for i, w in enumerate(WORDS[:3])]  # fmt: skip
        return [*rows, _row(99, "A cook sang.", "Nobody sang.", label="contradiction", stance_design="test")]
    found = []
    for i, word in enumerate([*WORDS, *(f"very {w}" for w in WORDS[:4])]):
        premise = f"A left-handed and a right-handed cook met; {HOSTILE}" if i == 3 else "Two cooks met."
        pro, anti = 2 * i, 2 * i + 1
        # the first pair was judged the other way round
        judged = ("anti", "pro") if i == 0 else (None, None) if i % 2 else ("pro", "anti")
        verdict = "invalid" if i == 4 else None if i == 5 else "valid"
        found += [
            _row(pro, premise, f"The left-handed cook was {word}.", counterpart_id=f"{anti:032x}",
                 stance_judged=judged[0], verdict=verdict),
            _row(anti, premise, f"The right-handed cook was {word}.", counterpart_id=f"{pro:032x}",
                 stance_design="anti", stance_judged=judged[1]),
        ]  # fmt: skip
    found += [_row(40 + i, "A cook sang.", f"Left-handed cooks are {w}.") for i, w in enumerate(WORDS[:4])]
    found += [
        _row(50, "A cook sang.", "The cook was quick.", names_group=False),
        _row(51, "A left-handed cook sang.", "She was quick.", verdict="incoherent", stance_design="anti"),
    ]
    return found


def _features(typed: bool) -> Any:
    from datasets import ClassLabel, Features, Value

    plain = {name: Value("string") for name in items(False)[0]}
    plain |= {"premise_swapped": Value("bool"), "names_group": Value("bool")}
    if typed:
        stance = ClassLabel(names=["pro", "anti", "test"])
        plain |= {
            "label": ClassLabel(names=list(LABELS)),
            "stance_design": stance,
            "stance_judged": stance,
            "verdict": ClassLabel(names=["valid", "invalid", "incoherent"]),
        }
    return Features(plain)


def released(folder: Path, splits: Mapping[str, Rows] | None = None, *, typed: bool = True) -> Path:
    """Write a version with these splits, by default all `items`; ``typed`` columns are ClassLabels."""
    from datasets import Dataset

    files = []
    for split, rows in (splits or {"test": items(False), "controls": items(True)}).items():
        path = f"data/items/{split}-00000-of-00001.parquet"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        Dataset.from_list(list(rows), features=_features(typed)).to_parquet(folder / path)
        raw = (folder / path).read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        files.append(PublishedFile(path=path, bytes=len(raw), sha256=digest, rows=len(rows), config="items",
                                   split=split))  # fmt: skip
    write_atomically(folder / MANIFEST, manifest_bytes(replace(MANIFEST_OF, files=tuple(files))))
    return folder


def pairs_of(rows: Rows) -> list[Pair]:
    """The texts of items."""
    return [Pair(row["premise"], row["hypothesis"]) for row in rows]


def scores_of(rows: Rows, numbers: Numbers) -> pa.Table:
    """Scores as a stage writes them."""
    return table_of(
        (
            NliScore(item_id=row["id"], model="m", revision="r", role="audit", precision="float32",
                     mode="canonical", entailment=float(e), neutral=float(n), contradiction=float(c),
                     truncated=False)
            for row, (e, n, c, *_) in zip(rows, numbers, strict=True)
        ),
        NliScore,
    )  # fmt: skip


def audited(rows: Rows, numbers: Numbers) -> tuple[dict[str, float], dict[str, str]]:
    """The measures that an audit gives for these scores, and the predicted label of each item."""
    scores = scores_of(rows, numbers)
    measured = measure_table(pa.Table.from_pylist(list(rows)), scores).to_pylist()
    labels = predicted(scores)
    assert len(np.unique(labels)) > 1
    return (
        {row["measure"]: row["value"] for row in measured},
        dict(zip((row["id"] for row in rows), labels.tolist(), strict=True)),
    )


_IN_ORDER = """
import json, runpy, sys
for sys.argv in json.loads(sys.argv[1]):
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
"""


def ran(commands: Sequence[Sequence[str]], folder: Path) -> str:
    """Run a harness in ``folder``, all commands in one process, and return its output; it reaches no Hub."""
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder / "hub"),
        "HF_DATASETS_CACHE": str(folder / "datasets"),
        "INSPECT_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
        "PYTHONPATH": "",  # a task folder needs no nextset
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "200",
    }
    done = subprocess.run(
        [sys.executable, "-c", _IN_ORDER, json.dumps(commands)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr
