"""The stage release_report: duplicates, contamination, and the page about the release."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.files.file_hash import file_sha256
from nextset.records.arrow_schema import table_of
from nextset.release.forms.released_form import released_form
from nextset.release.overlap.canary_guid import canary_guid
from nextset.release.overlap.contamination import find_contamination
from nextset.release.overlap.duplicate_search import find_duplicates, find_earlier_duplicates
from nextset.release.overlap.overlap_records import ContaminationRow
from nextset.release.overlap.row_batches import Batches
from nextset.release.report import ReleaseReport, render, rows_of, shown_ids
from nextset.release.row_texts import texts_of
from nextset.release.source_rows import Kind, kinds_of
from nextset.release.version_folder.release_manifest import MANIFEST
from nextset.release.versions.previous_folder import previous_folder
from nextset.study.study_folder import Study, of_study

__all__ = ["release_report_recipe", "report_release"]


def release_report_recipe(study: Study) -> Recipe:
    """Return the recipe of what `report_release` would make now. Raises MissingStage before `release`."""
    settings = study.release
    inputs = {"release": open_artifact(study.out / "release").digest}
    for named in settings.overlap.against:
        if study.path(named).is_file():
            inputs[named] = file_sha256(study.path(named))
    previous = _previous(study)
    if previous is not None:
        inputs["previous"] = file_sha256(previous / MANIFEST)
    shown = {"overlap": settings.overlap.model_dump(mode="json"), "name": settings.name}
    shown["waivers"] = settings.waivers.model_dump(mode="json")
    return Recipe("release_report", 5, inputs, shown)


def _previous(study: Study) -> Path | None:
    named = study.release.previous
    return previous_folder(named, study.path) if named else None


@of_study
def report_release(study: Study, progress: Progress = SILENT) -> Artifact:
    """Look for duplicates and contamination; write out/release_report, with index.html.

    Duplicates are within the version, or new rows that an earlier version has under another id. Raises
    InputError for unreadable data.
    """
    with study.held("release_report"):
        recipe = release_report_recipe(study)
        released = open_artifact(study.out / "release")
        overlap = study.release.overlap

        @functools.cache
        def duplicates() -> pa.Table:
            tables = []
            for kind in kinds_of(released):
                batches = _batches(released, kind)
                tables.append(find_duplicates(kind, batches, overlap.near, scratch=study.out))
                previous = _previous(study)
                if previous is not None:
                    tables.append(
                        find_earlier_duplicates(kind, batches, previous, overlap.near, scratch=study.out)
                    )
            return pa.concat_tables(tables)

        @functools.cache
        def contamination() -> pa.Table:
            search = functools.partial(
                find_contamination,
                against=overlap.against,
                place=study.path,
                near=overlap.near,
                canary=canary_guid(study.release.name),
                progress=progress,
                scratch=study.out,
            )
            rows = [row for kind in kinds_of(released) for row in search(kind, _batches(released, kind))]
            return table_of(rows, ContaminationRow)

        return build(
            study.out / "release_report",
            recipe,
            lambda: [
                Part("duplicates", lambda: PartResult(duplicates())),
                Part("contamination", lambda: PartResult(contamination())),
                FilePart(
                    "index.html", lambda: _page(study, released, duplicates(), contamination()).encode()
                ),
            ],
            progress=progress("release_report"),
        )


def _batches(released: Artifact, kind: Kind) -> Batches:
    return lambda: (released.piece(shard, released_form(kind).compared) for shard in released.shards_of(kind))


def _page(study: Study, released: Artifact, duplicates: pa.Table, contamination: pa.Table) -> str:
    waivers = study.release.waivers.model_dump()
    findings, kinds = released.table("pairs"), kinds_of(released)
    ids, texts = shown_ids(findings, duplicates), dict[str, str]()
    for kind in kinds:
        shards = (released.piece(shard) for shard in released.shards_of(kind))
        texts |= texts_of(ids, shards, released_form(kind).shown)
    return render(
        ReleaseReport(
            name=study.release.name,
            rows=tuple((kind, released.rows(kind)) for kind in kinds),
            counts=released.counts,
            waivers=tuple((what, reason) for what, reason in waivers.items() if reason),
            findings=findings,
            duplicates=duplicates,
            contamination=rows_of(contamination),
            near=study.release.overlap.near,
            texts=texts,
        )
    )
