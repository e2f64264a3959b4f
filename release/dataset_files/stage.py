"""The stage dataset_version: released rows become a folder with a card, a manifest and other tables."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, intact, is_finished, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import MissingStage
from nextset.files.file_hash import file_sha256
from nextset.pipeline.server_costs import server_costs
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.release.accompanying_data.accompanying_configs import (
    people_tables,
    published_tables,
    score_tables,
)
from nextset.release.accompanying_data.own_sources import own_sources
from nextset.release.accompanying_data.score_selection import SCORE_STAGES
from nextset.release.dataset_card.card_files import CardFiles
from nextset.release.dataset_card.study_facts import StudyFacts
from nextset.release.dataset_files.existing_version import existing_version_stays
from nextset.release.dataset_files.main_configs import write_main_configs, write_text_files
from nextset.release.dataset_files.splits import TEST
from nextset.release.source_rows import kinds_of
from nextset.release.version_folder.dataset_folder import DatasetFolder, Place
from nextset.release.version_folder.release_manifest import MANIFEST, PublishedFile, read_release_manifest
from nextset.release.versions.changelog import CHANGELOG
from nextset.release.versions.previous_folder import previous_folder
from nextset.release.versions.version_history import (
    History,
    PreviousVersion,
    first_version,
    following_version,
    previous_version,
    withdrawn_rows,
)
from nextset.release.versions.withdrawal import read_withdrawals
from nextset.study.imported_models import ImportedModel, imported_models
from nextset.study.study_folder import Study, of_study

__all__ = [
    "WrittenFile",
    "WrittenVersion",
    "changed_files",
    "dataset_folder",
    "dataset_version_recipe",
    "write_dataset_version",
]

_INPUTS = (
    "generate", "mask_words", "fill", "filter", "filter_report", "validate", "release", "release_report",
    *SCORE_STAGES,
)  # fmt: skip
"""The artifacts whose contents are in the folder or on its card, if a study has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVersion:
    """The dataset version that was written."""

    name: str
    """The dataset's name."""
    version: str
    """major.minor.patch."""
    previous: str | None
    """The version before it; null for the first."""
    because: str
    """The reason for the number, as text."""
    folder: str
    """Its folder, relative to the study's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """A file of the dataset version."""

    path: str
    """Its path in the folder."""
    bytes: int
    """Its size in bytes."""
    sha256: str
    """The hash of its content."""


def dataset_folder(study: Study) -> Path:
    """Return the folder of the version that was written last, which `datasets.load_dataset` opens.

    Raises MissingStage before `release build` has run.
    """
    return study.folder / _written(study)["folder"]


def version_text(study: Study) -> str:
    """Return a line with the version that was written last, and the reason for its number."""
    row = _written(study)
    same = row["because"].startswith("nothing changed")
    since = f", after {row['previous']}" if row["previous"] and not same else ""
    draft = " (draft)" if read_release_manifest(study.folder / row["folder"]).draft else ""
    return f"version  {row['version']}{draft}{since}: {row['because']}"


def _written(study: Study) -> dict[str, str]:
    (row,) = open_artifact(study.out / "dataset_version").table("version").to_pylist()
    return dict(row)


def dataset_version_recipe(study: Study) -> Recipe:
    """Return the recipe of the artifact that `write_dataset_version` would make now. Raises MissingStage."""
    inputs = {
        name: open_artifact(study.out / name).digest
        for name in _INPUTS
        if name not in _unused(study) and is_finished(study.out / name)
    }
    for needed in ("generate", "release", "release_report"):
        if needed not in inputs:
            open_artifact(study.out / needed)
    settings = study.release.model_dump(mode="json")
    shown: dict[str, Any] = {"study": study.settings.name, "about": study.settings.about, "release": settings}
    withdrawn = [[w.id, w.reason, w.kind] for w in read_withdrawals(study.withdrawn)]
    shown["withdrawn"] = content_id("withdrawn", str(withdrawn))
    shown["fill_premise"] = study.settings.fill.premise
    demographics = _demographics(study)
    if demographics is not None and demographics.is_file():
        inputs["demographics"] = file_sha256(demographics)
    own = own_sources(study.out)
    if own:
        inputs["own_code"] = content_id("own_code", *(x for o in own for x in (o.path, o.sha256, *o.uses)))
    imported = _imported_models(study)
    if imported:
        shown["imported_models"] = [asdict(model) for model in imported]
    previous = _previous(study)
    if previous is not None:
        inputs["previous"] = file_sha256(previous.folder / MANIFEST)
    return Recipe("dataset_version", 3, inputs, shown)


def _unused(study: Study) -> frozenset[str]:
    """Return the stages whose results are not used, because the study does not fill masks."""
    return frozenset() if study.settings.fills else frozenset({"mask_words", "fill"})


def _imported_models(study: Study) -> tuple[ImportedModel, ...]:
    """Return the models of imported versions whose items were candidates of the filter."""
    section = study.settings.filter
    named = section is not None and "imported" in section.candidates
    return imported_models(study.imported) if named else ()


def _demographics(study: Study) -> Path | None:
    named = study.release.annotators.demographics
    return study.path(named) if named else None


def _previous(study: Study) -> PreviousVersion | None:
    named = study.release.previous
    return previous_version(previous_folder(named, study.path), study.release.name) if named else None


@of_study
def write_dataset_version(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write the dataset folder out/dataset/NAME-VERSION; out/dataset_version lists its files.

    The version is release.version, or computed from the changes since release.previous. Raises StudyError for
    a version that needs a reason or exists with different contents, and for annotators who could be
    identified.
    """
    with study.held("dataset_version"):
        recipe = dataset_version_recipe(study)

        def parts() -> list[Part]:
            version, listed = _write(study, progress, _recorded(study))
            files = [WrittenFile(path=f.path, bytes=f.bytes, sha256=f.sha256) for f in listed]
            manifest = study.folder / version.folder / MANIFEST
            size, sha256 = manifest.stat().st_size, file_sha256(manifest)
            files.append(WrittenFile(path=MANIFEST, bytes=size, sha256=sha256))
            return [
                Part("version", lambda: PartResult(table_of([version], WrittenVersion))),
                Part("files", lambda: PartResult(table_of(files, WrittenFile))),
            ]

        folder, whole = study.out / "dataset_version", _is_whole(study)
        return build(folder, recipe, parts, progress=progress("dataset_version"), reuse=whole)


def changed_files(study: Study, *, deep: bool) -> tuple[str, ...]:
    """Return the files of the dataset folder that are missing, added or changed in size, relative to out/.

    With ``deep``, also files with different content. Raises MissingStage before `write_dataset_version` has
    run.
    """
    artifact = open_artifact(study.out / "dataset_version")
    folder = dataset_folder(study)
    listed = {f["path"]: f for f in artifact.table("files").to_pylist()}
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    changed = listed.keys() ^ present
    for path in listed.keys() & present:
        file = listed[path]
        size = (folder / path).stat().st_size if (folder / path).is_file() else -1
        if size != file["bytes"] or (deep and not intact(folder / path, file["sha256"])):
            changed.add(path)
    return tuple((folder / path).relative_to(study.out).as_posix() for path in sorted(changed))


def _is_whole(study: Study) -> bool:
    """Return whether the folder that was written last has exactly the files that were written."""
    try:
        return not changed_files(study, deep=True)
    except MissingStage:
        return True


def _recorded(study: Study) -> dict[Path, str]:
    """Return the sha256 of the manifest that was written last, by its version's folder."""
    try:
        files = open_artifact(study.out / "dataset_version").table("files").to_pylist()
    except MissingStage:
        return {}
    return {dataset_folder(study): f["sha256"] for f in files if f["path"] == MANIFEST}


def _write(
    study: Study, progress: Progress, recorded: Mapping[Path, str]
) -> tuple[WrittenVersion, tuple[PublishedFile, ...]]:
    released, name = open_artifact(study.out / "release"), study.release.name
    previous, withdrawals = _previous(study), read_withdrawals(study.withdrawn)
    folder = DatasetFolder(study.out / "dataset" / name)
    tick = progress("dataset_files")
    for left in study.out.glob("dataset.rows.*"):  # of a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="dataset.rows.", dir=study.out) as scratch:
        domains = write_main_configs(folder, released, study.release.by_domain)
        tick(1, 4)
        folder.write_rows(
            (Place(c, TEST), table) for c, table in _accompanying(study, released, Path(scratch))
        )
    tick(2, 4)
    write_text_files(folder, kinds_of(released), study.release.formats)
    _write_templates(study, folder)
    for own in own_sources(study.out):
        folder.write(own.path, own.source)
    tick(3, 4)
    declared = study.release.version
    # The card is compared with the previous version's card, so it is first written with that number.
    before: tuple[str, str | None] = (declared or "0.0.0", None)
    if previous is not None:
        before = (previous.manifest.version, previous.manifest.previous)
    facts = StudyFacts(
        study.out,
        released,
        _imported_models(study),
        study.local_models,
        server_costs(study),
        _unused(study),
    )
    card = CardFiles(study.settings, study.release, facts, folder, bool(domains))
    _write_withdrawn(folder, withdrawn_rows(previous, withdrawals, before[0]))
    if previous is not None and (earlier := previous.folder / CHANGELOG).is_file():
        folder.write(CHANGELOG, earlier.read_bytes())
    card.write(*before)
    history = _history(study, previous, folder, released)
    _write_withdrawn(folder, withdrawn_rows(previous, withdrawals, history.version))
    folder.write(CHANGELOG, history.changelog.encode())
    card.write(history.version, history.previous)
    target = study.out / "dataset" / f"{name}-{history.version}"
    if not _stays(folder.work, target, study.file, recorded.get(target)):
        folder.finish(target)
    files = read_release_manifest(target).files
    tick(4, 4)
    version = WrittenVersion(
        name=name,
        version=history.version,
        previous=history.previous,
        because=history.because,
        folder=target.relative_to(study.folder).as_posix(),
    )
    return version, files


def _stays(work: Path, target: Path, file: Path, recorded: str | None) -> bool:
    """Return whether ``target`` stays as it is. If it stays, or must not be replaced, remove ``work``."""
    stays = True
    try:
        stays = existing_version_stays(work, target, file, recorded)
    finally:
        if stays:
            shutil.rmtree(work)
    return stays


def _history(
    study: Study, previous: PreviousVersion | None, folder: DatasetFolder, released: Artifact
) -> History:
    settings = study.release
    if previous is not None:
        return following_version(previous, folder.work, settings.version, settings.version_reason)
    rows = [(kind, released.rows(kind)) for kind in kinds_of(released)]
    withdrawn = withdrawn_rows(None, read_withdrawals(study.withdrawn), settings.version or "1.0.0")
    return first_version(settings.version, rows, withdrawn)


def _accompanying(study: Study, released: Artifact, scratch: Path) -> Iterator[tuple[str, pa.Table]]:
    out, settings = study.out, study.release
    validated = open_artifact(out / "validate") if is_finished(out / "validate") else None
    yield from people_tables(validated, settings.name, _demographics(study), settings.annotators.k)
    yield from published_tables(out, settings.name)
    if study.settings.filter is not None:
        yield from score_tables(out, released, kinds_of(released), scratch)
    yield "pairs", released.table("pairs")
    report = open_artifact(out / "release_report")
    yield from ((name, report.table(name)) for name in ("duplicates", "contamination"))


def _write_withdrawn(folder: DatasetFolder, rows: pa.Table) -> None:
    folder.write_rows([(Place("withdrawn", TEST), rows)])


def _write_templates(study: Study, folder: DatasetFolder) -> None:
    generated = open_artifact(study.out / "generate")
    for name in generated.snapshots:
        folder.write(f"templates/{name}", generated.snapshot(name))
