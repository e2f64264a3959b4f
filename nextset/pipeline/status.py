"""`nextset status`: whether each stage is done, stale or missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nextset.artifacts.artifact import Artifact, is_current, is_finished, open_artifact
from nextset.errors import (
    ArtifactError,
    DependencyMissing,
    MissingStage,
    ModelError,
    NewerFormat,
    NextsetError,
    ServerError,
)
from nextset.files.atomic_files import check_folder_places
from nextset.files.downloads import without_downloads
from nextset.html.notebook_html import notebook_block, notebook_table
from nextset.pipeline.stage import Stage
from nextset.pipeline.stage_list import forecasters_of, shown_rows, stages_of
from nextset.records.expected_units import ExpectedValid
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study

__all__ = ["StageStatus", "StudyStatus", "stale_before", "status"]

_PARTIAL = ".partial"
"""The suffix of a result's folder until the result is finished."""

State = Literal["done", "unchecked", "stale", "missing", "unfinished", "damaged", "newer", "wrong"]


@short_repr
@dataclass(frozen=True)
class StageStatus:
    """The state of a stage."""

    stage: str
    """The stage's name."""
    state: State
    """done; unchecked (finished; a model, its server or a package that would show whether it is up to date is
    not at hand); stale (its input or settings changed); missing; unfinished (a run was stopped in it);
    damaged (a file was altered); newer (a newer version of nextset made it); wrong (the study or one of its
    files has an error)."""
    why: str
    """The reason for the state; may be empty."""
    rows: dict[str, int]
    """Rows by table of the existing artifact."""
    expected: ExpectedValid | None = None
    """For the stage filter: the kept units that annotators can be expected to call valid; else null."""


class StudyStatus(list[StageStatus]):
    """The states of a study's stages, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Return the states as HTML."""
        shown = 4 if any(s.why for s in self) else 3
        rows = [(s.stage, s.state, shown_rows(s.stage, s.rows), s.why)[:shown] for s in self]
        return notebook_block(notebook_table(("stage", "state", "rows", "reason")[:shown], rows))


@of_study
def status(study: Study, *, deep: bool = False) -> StudyStatus:
    """Return the state of each stage of ``study``, in their order; changes nothing.

    Files are checked for existence and size; with ``deep``, their content is compared with its hash. Other
    results in out/, such as scores of held-out models, follow if they are damaged, newer or unfinished.
    """
    stages = stages_of(study)
    statuses: list[StageStatus] = []
    for stage in stages:
        unfinished = next((s.stage for s in statuses if s.state not in ("done", "unchecked")), None)
        with without_downloads():
            statuses.append(_status(study, stage, unfinished, deep))
        for other in forecasters_of(stage.name):
            statuses[-1] = _with_expectation(study, statuses[-1], other)
    listed = {stage.name for stage in stages}
    others = sorted(p for p in study.out.glob("*") if p.name not in listed and is_finished(p))
    unusable = [s for folder in others if (s := _other(folder, deep)).state in ("damaged", "newer")]
    return StudyStatus([*statuses, *unusable, *_unfinished(study, listed)])


def _unfinished(study: Study, listed: Collection[str]) -> Iterator[StageStatus]:
    """Yield the unfinished results of a stopped run, such as vectors of passages or answers."""
    for folder in sorted(study.out.glob(f"*{_PARTIAL}")):
        name = folder.name.removesuffix(_PARTIAL)
        if name not in listed and folder.is_dir():
            yield StageStatus(name, "unfinished", "run it again to resume", {})


def stale_before(study: Study, name: str) -> StageStatus | None:
    """Return the status of the first stale stage before ``name``; None if there is none."""
    for stage in stages_of(study):
        if stage.name == name:
            return None
        stage_status = _status(study, stage, None, deep=False)
        if stage_status.state != "done":
            return stage_status if stage_status.state == "stale" else None
    return None


def _status(study: Study, stage: Stage, unfinished: str | None, deep: bool) -> StageStatus:
    folder = study.out / stage.name
    rows: dict[str, int] = {}
    try:
        check_folder_places(folder)
        if folder.with_name(folder.name + _PARTIAL).exists():
            return StageStatus(stage.name, "unfinished", "run it again to resume", rows)
        if not is_finished(folder):
            return StageStatus(stage.name, "missing", "", rows)
        artifact = open_artifact(folder)
        rows = {table: artifact.rows(table) for table in artifact.tables}
        if broken := _broken(artifact, deep):
            return StageStatus(stage.name, "damaged", _named(broken), rows)
        if broken := stage.changed_files(study, deep=deep):
            return StageStatus(stage.name, "damaged", _named(broken), rows)
        if unfinished is not None:
            return StageStatus(stage.name, "stale", f"run {unfinished} first", rows)
        if not is_current(folder, stage.recipe(study)):
            return StageStatus(stage.name, "stale", "its input or settings changed", rows)
    except MissingStage:
        return StageStatus(stage.name, "stale", "made by an earlier version of nextset", rows)
    except ArtifactError as e:
        return StageStatus(stage.name, _state(e), f"{e} ({e.remedy})", rows)
    except (ModelError, DependencyMissing, ServerError) as e:
        why = f"finished and whole, but whether it is up to date cannot be checked: {e} ({e.remedy})"
        return StageStatus(stage.name, "unchecked", why, rows)
    except NextsetError as e:
        return StageStatus(stage.name, "wrong", f"{e} ({e.remedy})", rows)
    return StageStatus(stage.name, "done", "", rows)


def _with_expectation(study: Study, state: StageStatus, other: Stage) -> StageStatus:
    """Return ``state`` with the expected number of valid units from ``other``, or why it is not known."""
    try:
        return replace(state, expected=other.forecast(study))
    except NextsetError as e:
        return replace(state, why="; ".join(filter(None, (state.why, f"valid units: {e}"))))


def _other(folder: Path, deep: bool) -> StageStatus:
    """Return the state of a result that is not one of the study's stages."""
    try:
        broken = _broken(open_artifact(folder), deep)
    except MissingStage:
        return StageStatus(folder.name, "stale", "made by an earlier version of nextset", {})
    except ArtifactError as e:
        return StageStatus(folder.name, _state(e), f"{e} ({e.remedy})", {})
    return StageStatus(folder.name, "damaged" if broken else "done", _named(broken), {})


def _state(e: ArtifactError) -> State:
    return "newer" if isinstance(e, NewerFormat) else "damaged"


def _broken(artifact: Artifact, deep: bool) -> tuple[str, ...]:
    """Return the damaged files of ``artifact``, and those that nextset did not write."""
    others = (f"{file} (nextset did not write this file)" for file in artifact.others())
    return (*artifact.damaged(deep=deep), *others)


def _named(files: Sequence[str]) -> str:
    """Return the first five of ``files``, and the number of the others."""
    more = f", and {len(files) - 5:,} more" if len(files) > 5 else ""
    return ", ".join(files[:5]) + more
