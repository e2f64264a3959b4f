"""The audit of published predictions: of quads, where each file is a model, or of choice items."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from nextset.array_types import Floats
from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.choices.choice_audit import audit_choices
from nextset.auditing.choices.choice_counts import choice_set, count_choices
from nextset.auditing.datasets.result_folder import (
    SET,
    MeasuredDataset,
    check_earlier_results,
    check_result_folder,
    write_audit,
)
from nextset.auditing.form_tables import quad_tables
from nextset.auditing.predictions.choice_predictions import (
    has_choice_predictions,
    read_choice_predictions,
)
from nextset.auditing.predictions.prediction_entries import is_name
from nextset.auditing.predictions.prediction_file import prediction_name, read_predictions
from nextset.auditing.predictions.quad_differences import difference_of_quads
from nextset.auditing.predictions.subject_orders import Predictions
from nextset.auditing.quads.quad_columns import QuadModel, QuadSet
from nextset.errors import InputError, examples
from nextset.files.folder_lock import locked_folder
from nextset.files.regular_file import require_file
from nextset.forms import CHOICE
from nextset.records.content_ids import content_id

__all__ = ["audit_predictions"]

_CHUNK = 1 << 24


def audit_predictions(files: Sequence[Path], out: Path, progress: Progress = SILENT) -> Artifact:
    """Measure the predictions in ``files``: of quads (see `read_predictions`), or of published choice items.

    Files with quads must all have the same, and a model is named by its file. The choice items of all files
    are measured together, and a model is named by its column (see `read_choice_predictions`). Returns the
    artifact ``out``/audit with the tables of `nextset.auditing.audit_records`. Raises InputError for a file
    that cannot be read, for two files with the same name, for files whose quads or columns are not those of
    the first, and for a folder with results of other files.
    """
    names = [prediction_name(file) for file in files]
    for name, file in zip(names, files, strict=True):
        if not name.strip() or not is_name(name):
            raise InputError(
                f"{str(file)!a} does not name a model",
                remedy="name the file after its model, such as bert.output.json",
            )
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(
            f"two files are named {examples(repeated)}, but a file's name must identify its model",
            remedy="rename one of them",
        )
    for file in files:
        with _reading(file):
            require_file(file, InputError)  # before the folder is created
    check_result_folder(out)
    with locked_folder(out, "audit"):
        digests = {name: _digest(file, progress) for name, file in zip(names, files, strict=True)}
        check_earlier_results(out, digests)
        by_name = dict(zip(names, files, strict=True))
        measured = _choices if any(map(has_choice_predictions, files)) else _quads
        return write_audit(
            out,
            MeasuredDataset(name=", ".join(names), version="", inputs=digests),
            lambda: measured(by_name, digests, progress),
            progress,
        )


def _quads(files: Mapping[str, Path], digests: Mapping[str, str], progress: Progress) -> AuditTables:
    return quad_tables([_set(files, digests, progress)], progress("measures"))


def _choices(files: Mapping[str, Path], digests: Mapping[str, str], progress: Progress) -> AuditTables:
    digest = content_id("predictions", *digests.values())
    predictions = read_choice_predictions(list(files.values()), digest)
    for name, file in files.items():
        _check_unchanged(file, digests[name], progress)
    counts = count_choices(choice_set(SET, [predictions.items]), [predictions.scores])
    return audit_choices([counts], CHOICE.name)


def _set(files: Mapping[str, Path], digests: Mapping[str, str], progress: Progress) -> QuadSet:
    """Return the quads of the files; the scores in each file are the scores of one model."""
    first: Predictions | None = None
    scores: dict[QuadModel, Callable[[], Floats]] = {}
    for name, file in files.items():
        predictions = read_predictions(file, progress=progress)
        _check_unchanged(file, digests[name], progress)
        if first is None:
            first = predictions
        elif why := difference_of_quads(first.columns, predictions.columns):
            raise InputError(
                f"its quads are not those of {next(iter(files.values()))}, the first file: {why}",
                file=file,
                remedy="audit files with other quads separately",
            )
        scores[QuadModel("audit", name, digests[name])] = partial(_held, predictions.scores)
    assert first is not None
    return QuadSet(SET, first.columns, scores, {})


def _check_unchanged(file: Path, digest: str, progress: Progress) -> None:
    if _digest(file, progress) != digest:
        raise InputError("the file changed while it was read", file=file, remedy="run this again")


def _held(scores: Floats) -> Floats:
    return scores


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Raise InputError if ``file`` cannot be read."""
    try:
        yield
    except OSError as e:
        raise InputError(
            f"the file cannot be read: {e.strerror}", file=file, remedy="check the path and its permissions"
        ) from None


def _digest(file: Path, progress: Progress) -> str:
    """Return the SHA-256 of ``file``; raises InputError if it cannot be read."""
    with _reading(file):
        require_file(file, InputError)
        total, done, tick = file.stat().st_size, 0, progress("checksum")
        digest = hashlib.sha256()
        with file.open("rb") as f:
            while chunk := f.read(_CHUNK):
                digest.update(chunk)
                done += len(chunk)
                tick(min(done, total) >> 20, max(1, total >> 20))
    return digest.hexdigest()
