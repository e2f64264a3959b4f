"""The audit of published predictions: each file is a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.audit_records import AuditedModel
from nextset.auditing.audit_tables import AuditTables, design_of
from nextset.auditing.datasets.result_folder import (
    SET,
    MeasuredDataset,
    check_earlier_results,
    check_result_folder,
    write_audit,
)
from nextset.auditing.model_comparisons import compare_models
from nextset.auditing.predictions.prediction_file import prediction_name, read_predictions
from nextset.auditing.predictions.subject_orders import Predictions
from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_columns import Floats, QuadModel, QuadSet
from nextset.errors import InputError, examples
from nextset.files.folder_lock import locked_folder
from nextset.files.regular_file import require_file

__all__ = ["audit_predictions"]

_CHUNK = 1 << 24


def audit_predictions(files: Sequence[Path], out: Path, progress: Progress = SILENT) -> Artifact:
    """Measure the predictions in ``files`` (see `read_predictions`), which all are for the same quads.

    A model is named by its file. Returns the artifact ``out``/audit with the tables of
    `nextset.auditing.audit_records`. Raises InputError for a file that cannot be read, for two with the same
    name, for files with other quads than the first, and for a folder with results of other files.
    """
    names = [prediction_name(file) for file in files]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(
            f"two files are named {examples(repeated)}, and a file's name is that of its model",
            remedy="rename one of them",
        )
    check_result_folder(out)
    with locked_folder(out, "audit"):
        digests = {name: _digest(file, progress) for name, file in zip(names, files, strict=True)}
        check_earlier_results(out, digests)
        by_name = dict(zip(names, files, strict=True))
        return write_audit(
            out,
            MeasuredDataset(name=", ".join(names), version="", inputs=digests),
            lambda: _tables(_set(by_name, digests, progress), progress),
            progress,
        )


def _tables(quads: QuadSet, progress: Progress) -> AuditTables:
    audited = audit_quads([quads], progress("measures"))
    return AuditTables(
        measures=audited.measures,
        preferences=audited.preferences,
        comparisons=compare_models(audited.compared),
        sensitivity=audited.sensitivity,
        models=[AuditedModel(model=m.model, role=m.role, revision=m.revision) for m in sorted(quads.scores)],
        design=design_of([quads.columns.form]),
    )


def _set(files: Mapping[str, Path], digests: Mapping[str, str], progress: Progress) -> QuadSet:
    """Return the quads of the files, and the scores of each as those of a model."""
    first: Predictions | None = None
    scores: dict[QuadModel, Callable[[], Floats]] = {}
    for name, file in files.items():
        found = read_predictions(file, progress=progress)
        if _digest(file, progress) != digests[name]:
            raise InputError("the file changed while it was read", file=file, remedy="run this again")
        if first is None:
            first = found
        elif not _same_quads(first, found):
            raise InputError(
                f"its quads are not those of {next(iter(files.values()))}: all files need the same",
                file=file,
                remedy="audit files with other subjects, attributes or templates by themselves",
            )
        scores[QuadModel("audit", name, digests[name])] = partial(_held, found.scores)
    assert first is not None
    return QuadSet(SET, first.columns, scores, {})


def _held(scores: Floats) -> Floats:
    return scores


def _same_quads(first: Predictions, other: Predictions) -> bool:
    """Whether both have the same quads; names that differ by case are the same."""
    for name, values in vars(first.columns).items():
        others = vars(other.columns)[name]
        if isinstance(values, tuple):
            if [v.lower() for v in values] != [v.lower() for v in others]:
                return False
        elif not np.array_equal(values, others):
            return False
    return True


def _digest(file: Path, progress: Progress) -> str:
    """Return the SHA-256 of ``file``; raises InputError if it cannot be read."""
    try:
        require_file(file, InputError)
        total, done, tick = file.stat().st_size, 0, progress("checksum")
        found = hashlib.sha256()
        with file.open("rb") as f:
            while chunk := f.read(_CHUNK):
                found.update(chunk)
                done += len(chunk)
                tick(min(done, total) >> 20, max(1, total >> 20))
    except OSError as e:
        raise InputError(
            f"the file cannot be read: {e.strerror}", file=file, remedy="check the path and its permissions"
        ) from None
    return found.hexdigest()
