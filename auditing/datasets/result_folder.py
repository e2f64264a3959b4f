"""The folder of an audit without a study: the scores by form, and the tables in audit/."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.manifest import read_manifest
from nextset.artifacts.progress_callback import Progress
from nextset.auditing.audit_tables import TABLES, AuditTables, measures_csv, measures_json
from nextset.auditing.datasets.audited_dataset import Judge
from nextset.auditing.datasets.dataset_page import dataset_page
from nextset.bootstrap_intervals import LEVEL
from nextset.cluster_bootstrap import DRAWS, SEED
from nextset.errors import DamagedShard, InputError, MissingStage

__all__ = ["SET", "MeasuredDataset", "check_earlier_results", "check_result_folder", "write_audit"]

SET = "dataset"
"""The name of the rows of a dataset in the tables of an audit."""
_STAGE = "audit_dataset"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDataset:
    """The measured dataset, as the page of an audit names it."""

    name: str
    """The dataset's name; for predictions, the name of the file."""
    version: str
    """Its version; empty for predictions."""
    judge: Judge | None = None
    """Who judged its rows: people, or a rule, which checks only their form; None if it is unknown."""
    inputs: Mapping[str, str]
    """Digests of everything that decides the measures, by name."""


def check_result_folder(out: Path, dataset: Path | None = None) -> None:
    """Raise InputError if ``out`` is in the folder ``dataset``, is a study or a dataset version, or is not a
    folder."""
    taken = next((n for n in ("study.yaml", "manifest.json") if (out / n).exists()), None)
    inside = dataset is not None and out.resolve().is_relative_to(dataset.resolve())
    if taken is not None or inside:
        why = f"it holds {taken}" if taken else "it is in the folder of the dataset version"
        raise InputError(
            f"the results cannot be written to {out}: {why}", remedy="name another folder with --out"
        )
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is not a folder", remedy="name a folder with --out")


def check_earlier_results(out: Path, inputs: Mapping[str, str]) -> None:
    """Raise InputError if ``out`` holds an audit of something other than ``inputs``, which are digests.

    An audit of a dataset version may be repeated with other models: its scores are inputs too, but ``inputs``
    with the key dataset has only the rows. Raises DamagedShard if the manifest of the earlier audit cannot be
    read.
    """
    try:
        recipe = read_manifest(out / "audit").recipe
    except MissingStage:
        return
    except DamagedShard as e:
        raise DamagedShard(
            e.message, remedy=f"remove the folder {out / 'audit'}, then run this again; scores are kept"
        ) from None
    recorded = recipe.get("inputs", {})
    if "dataset" in inputs:
        recorded = {name: recorded.get(name) for name in inputs}
    if recipe.get("stage") != _STAGE or recorded != dict(inputs):
        raise InputError(
            f"{out} holds the results of a different audit, which would be lost",
            remedy="name another folder with --out, or remove that one",
        )


def write_audit(
    out: Path,
    dataset: MeasuredDataset,
    measured: Callable[[], AuditTables],
    progress: Progress,
    scored: Sequence[Artifact] = (),
    explorer: Callable[[], Mapping[str, Any] | None] = lambda: None,
) -> Artifact:
    """Write the tables of ``measured`` to ``out``/audit, with the page, and the measures as CSV and JSON.

    Returns the artifact ``out``/audit. ``measured`` and ``explorer``, which gives the rows of the page's
    explorer, are only called if something changed.
    """
    shown = {"name": dataset.name, "version": dataset.version}
    drawn = {"draws": DRAWS, "seed": SEED, "level": LEVEL}
    audited = build(
        out / "audit",
        Recipe(_STAGE, 6, dict(dataset.inputs), {**shown, **drawn}),
        lambda: _parts(dataset, measured(), explorer),
        progress=progress("audit"),
    )
    this_run: dict[str, int] = {}
    for artifact in scored:
        for what, n in artifact.this_run.items():
            this_run[what] = this_run.get(what, 0) + n
    return replace(audited, this_run=this_run)


def _parts(
    dataset: MeasuredDataset, tables: AuditTables, explorer: Callable[[], Mapping[str, Any] | None]
) -> list[Part | FilePart]:
    measures = tables.table("measures")
    return [
        FilePart(
            "index.html",
            lambda: dataset_page(dataset.name, dataset.version, dataset.judge, tables, explorer()),
        ),
        *(Part(name, functools.partial(_part, tables, name)) for name in TABLES),
        FilePart("measures.csv", lambda: measures_csv(measures)),
        FilePart("measures.json", lambda: measures_json(measures)),
    ]


def _part(tables: AuditTables, name: str) -> PartResult:
    return PartResult(tables.table(name))
