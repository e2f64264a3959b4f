"""`nextset status`: whether each stage is done, stale or missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.artifacts.artifact import intact, is_current, open_artifact
from nextset.cli.stage_list import Stage, stages_of
from nextset.errors import ArtifactError, NextsetError
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study

__all__ = ["StageStatus", "status"]

State = Literal["done", "stale", "missing", "unfinished", "damaged", "wrong"]


@short_repr
@dataclass(frozen=True)
class StageStatus:
    """The state of a stage."""

    stage: str
    """The stage's name."""
    state: State
    """done; stale (its input or settings changed); missing; unfinished (a run was stopped in it); damaged (a
    file was altered); wrong (the study or one of its files has an error)."""
    why: str
    """The reason for the state; may be empty."""
    rows: dict[str, int]
    """Rows by table of the existing artifact."""


@of_study
def status(study: Study) -> list[StageStatus]:
    """Return the state of each stage of ``study``, in their order; changes nothing."""
    found: list[StageStatus] = []
    for stage in stages_of(study):
        unfinished = next((s.stage for s in found if s.state != "done"), None)
        found.append(_status(study, stage, unfinished))
    return found


def _status(study: Study, stage: Stage, unfinished: str | None) -> StageStatus:
    folder = study.out / stage.name
    rows: dict[str, int] = {}
    try:
        if folder.with_name(folder.name + ".partial").exists():
            return StageStatus(stage.name, "unfinished", "run it again to resume", rows)
        if not folder.exists():
            return StageStatus(stage.name, "missing", "", rows)
        artifact = open_artifact(folder)
        rows = {s.table: artifact.rows(s.table) for s in artifact.shards if s.table}
        broken = [s.file for s in artifact.shards if not intact(folder / s.file, s.sha256)]
        if broken:
            return StageStatus(stage.name, "damaged", ", ".join(broken), rows)
        if unfinished is not None:
            return StageStatus(stage.name, "stale", f"run {unfinished} first", rows)
        if not is_current(folder, stage.recipe(study)):
            return StageStatus(stage.name, "stale", "its input or settings changed", rows)
    except ArtifactError as e:
        return StageStatus(stage.name, "damaged", str(e), rows)
    except NextsetError as e:
        return StageStatus(stage.name, "wrong", str(e), rows)
    return StageStatus(stage.name, "done", "", rows)
