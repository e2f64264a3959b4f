"""`nextset audit DATASET --model NAME`: the audit of a dataset version or of published predictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.counted import counted
from nextset.errors import InputError

if TYPE_CHECKING:
    from nextset.auditing.datasets.audited_dataset import AuditedDataset
    from nextset.study.model_key import ModelNames
    from nextset.study.scoring_settings import ModelSettings
    from nextset.tables.given_tables import TableLike

__all__ = ["audit_dataset", "audit_text", "dataset_version", "is_study_stage", "needs_models"]

_JUDGES: dict[str, Literal["people", "rule"]] = {"people": "people", "rule": "rule"}
"""Who judged, as the manifest of a version names it."""


def audit_dataset(
    dataset: str | Path | Sequence[str | Path] | TableLike,
    models: ModelNames = (),
    out: Path | str | None = None,
    *,
    endpoint: str | None = None,
    trust_code: bool = False,
    progress: Progress = SILENT,
) -> Artifact:
    """Measure ``models`` on a dataset without a study, and return the tables.

    ``models`` are names, or a mapping from names to settings, as in the section models of study.yaml.
    ``dataset`` is a study's folder (its released dataset), the folder of a dataset version, ORG/NAME@REVISION
    on the Hub, a table (as for ``nextset.measure``) with the columns premise, hypothesis and label or with
    those of questions, statements or choice items, or files with predictions, which need no models: in
    UnQover's format, or beside the choice items of BBQ and its ports. The results go to the folder ``out``,
    by default audit-NAME-VERSION in the current folder. Raises InputError if ``dataset`` is none of these,
    ArtifactError for a version whose files differ from its manifest, and ModelError for a model that fits no
    rows or fails its canaries.
    """
    from nextset.auditing.datasets.prediction_audit import audit_predictions
    from nextset.auditing.datasets.stage import audit_version
    from nextset.auditing.predictions.choice_predictions import has_choice_predictions
    from nextset.auditing.predictions.prediction_file import is_prediction_file, prediction_name
    from nextset.files.row_files import is_row_file
    from nextset.study.model_key import models_alone, settings_by_model

    settings = settings_by_model(models)
    if not isinstance(dataset, str | Path | Sequence):
        return _audit_table(dataset, settings, out, progress)
    named = [dataset] if isinstance(dataset, str | Path) else list(dataset)
    if not named:
        raise InputError("no dataset is named", remedy="name a dataset version, or files with predictions")
    _check_paths([Path(source) for source in named])
    files = [Path(source) for source in named if not needs_models(source)]
    if files:
        if len(files) < len(named):
            other = next(source for source in named if needs_models(source))
            raise InputError(
                f"{str(other)!r} is not a file with predictions", remedy="audit it by itself, with models"
            )
        other_file = next(
            (
                f
                for f in files
                if not is_prediction_file(f)
                and (settings or is_row_file(f))
                and not has_choice_predictions(f)
            ),
            None,
        )
        if other_file is not None:
            raise InputError(
                "this is a file, not a dataset version" + ("" if settings else " or predictions"),
                file=other_file,
                remedy="import pairs with `nextset import STUDY FILE` and audit the study, or give a table "
                "to nextset.audit_dataset in Python; for predictions of UnQover, name no model",
            )
        if settings:
            raise InputError(
                f"models cannot be asked about predictions: {next(iter(settings))}",
                remedy="remove the models, or name a dataset version",
            )
        return audit_predictions(files, Path(out or f"audit-{prediction_name(files[0])}"), progress)
    if len(named) > 1:
        raise InputError(
            f"{len(named)} datasets are named: {named[0]}, {named[1]}", remedy="audit them one by one"
        )
    _require_models(settings)
    version = dataset_version(named[0], endpoint=endpoint, trust_code=trust_code, progress=progress)
    where = Path(out or f"audit-{version.name}-{version.version}")
    with models_alone("models"):
        return audit_version(version, settings, where, progress=progress)


def _require_models(models: Mapping[str, ModelSettings]) -> None:
    if not models:
        raise InputError(
            "no model is named", remedy="name models to ask, such as --model builtin:nli-electra"
        )


def _audit_table(
    given: TableLike, models: Mapping[str, ModelSettings], out: Path | str | None, progress: Progress
) -> Artifact:
    """Audit ``models`` on a table; its rows are written to the folder of the results."""
    from nextset.auditing.datasets.result_folder import check_result_folder
    from nextset.auditing.datasets.stage import audit_version
    from nextset.study.model_key import models_alone
    from nextset.tables.given_items import given_items
    from nextset.tables.tabular_dataset import table_digest, tabular_dataset

    table = given_items(given)
    _require_models(models)
    version = table_digest(table)[:8]
    where = Path(out or f"audit-table-{version}")
    check_result_folder(where)
    dataset = tabular_dataset(table, "table", version, where / "rows")
    with models_alone("models"):
        return audit_version(dataset, models, where, progress=progress)


def is_study_stage(named: Sequence[str], models: Collection[str], out: Path | None) -> bool:
    """Return whether `nextset audit` was given only a study, so that its stage audit is meant."""
    if len(named) != 1 or models or out is not None or not needs_models(named[0]):
        return False
    path = Path(named[0])
    if _is_missing_file(path) or _data_files(path):
        return False
    return not (path / "manifest.json").exists() and (path.exists() or "@" not in named[0])


def _is_missing_file(path: Path) -> bool:
    """Return whether ``path`` has the name of a file with data, and does not exist."""
    from nextset.published_choices.published_rows import SUFFIXES

    return path.name.lower().endswith(SUFFIXES) and not path.exists()


def _data_files(folder: Path) -> list[Path]:
    """Return the files with data in ``folder``; none if it is a study or a dataset version."""
    from nextset.auditing.predictions.prediction_file import is_prediction_file
    from nextset.published_choices.published_rows import SUFFIXES

    if not folder.is_dir() or any((folder / name).exists() for name in ("study.yaml", "manifest.json")):
        return []
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return []
    return [f for f in inside if f.name.lower().endswith(SUFFIXES) or is_prediction_file(f)]


def _check_paths(paths: Sequence[Path]) -> None:
    """Raise InputError for a file that does not exist, and for one folder of files instead of these."""
    for path in paths:
        if _is_missing_file(path):
            raise InputError(
                "the file cannot be read: there is no such file", file=path, remedy="check the path"
            )
        if len(paths) == 1 and (files := _data_files(path)):
            raise InputError(
                f"this is a folder with {counted(len(files), 'files')} with data, not a study or a dataset "
                "version",
                file=path,
                remedy=f"for predictions, name the files: {path / f'*{files[0].suffix}'}",
            )


def needs_models(source: str | Path) -> bool:
    """Return whether ``source`` is a dataset version, a study or on the Hub, not a file with predictions."""
    from nextset.auditing.predictions.prediction_file import is_prediction_file

    path = Path(source)
    return not (path.is_file() and path.name != "study.yaml") and not is_prediction_file(path)


def dataset_version(
    source: str | Path,
    *,
    endpoint: str | None = None,
    trust_code: bool = False,
    progress: Progress = SILENT,
) -> AuditedDataset:
    """Return the dataset version in a folder, of a study, or on the Hub, with its files checked.

    Raises InputError if ``source`` is not one of these, ArtifactError if files differ from the manifest,
    ServerError if the Hub refuses.
    """
    from nextset.auditing.datasets.audited_dataset import AuditedDataset
    from nextset.cli.release_hub import version_in
    from nextset.release.hub.hub_reference import local_version
    from nextset.release.version_folder.release_manifest import read_release_manifest
    from nextset.scoring.row_chunks import Source

    path = Path(source)
    reference = (
        str(version_in(path.parent if path.name == "study.yaml" else path, trust_code))
        if path.exists()
        else str(source)
    )
    folder = local_version(reference, Path, endpoint=endpoint, progress=progress)
    manifest = read_release_manifest(folder)
    files: dict[str, list[Source]] = {}
    for file in manifest.files:
        if file.config is not None and file.rows is not None:
            files.setdefault(file.config, []).append(Source(folder / file.path, file.sha256, file.rows))
    return AuditedDataset(
        name=manifest.name,
        version=manifest.version,
        folder=folder,
        judge=_JUDGES.get(manifest.judge),
        stereotypes=manifest.stereotypes,
        files={config: tuple(sources) for config, sources in files.items()},
    )


def audit_text(audited: Artifact) -> str:
    """Return the measures over all rows as text, with their intervals and the folder of the results.

    The number of rows is that of the page: measures are on all of them, or on some.
    """
    from nextset.auditing.audit_records import MeasureRow
    from nextset.auditing.measures.measure import titled
    from nextset.auditing.missing_rows import missing_rows
    from nextset.auditing.report.result_tables import measured_rows

    measures = audited.table("measures").to_pylist()
    rows = [
        row
        for row in measures
        if row["by"] == "all" and row["selection"] in ("measured", "all") and row["value"] is not None
    ]
    width = max((len(row["model"]) for row in rows), default=0)
    of_parts: dict[tuple[str, str], list[MeasureRow]] = {}
    for row in rows:
        of_parts.setdefault((row["form"], row["subject_class"]), []).append(MeasureRow(**row))
    lines, before = [], None
    for row in rows:
        form_and_class = row["form"], row["subject_class"]
        part = " ".join(filter(None, form_and_class))
        if (part, row["model"]) != before:
            before = (part, row["model"])
            n = measured_rows(of_parts[form_and_class])
            lines.append(f"{row['model']:<{width}}  {part}, {counted(n, 'rows')}")
        interval = "" if row["low"] is None else f"  [{row['low']:.4f}, {row['high']:.4f}]"
        lines.append(f"  {titled(row['measure']):<54} {row['value']:>8.4f}{interval}")
    lines += missing_rows(measures).values()
    answers = ", ".join(counted(n, what) for what, n in audited.this_run.items())
    return "\n".join([*lines, *([answers] if answers else []), f"tables   {audited.folder}"])
