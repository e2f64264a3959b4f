"""Export of tasks as files, for annotation without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.study.study_folder import Study, of_study
from nextset.validation.annotator_pages.briefing import Briefing, briefing
from nextset.validation.annotator_pages.guideline_routes import Route
from nextset.validation.annotator_pages.tasks import TaskFiles, write_tasks
from nextset.validation.annotator_pages.unwritten_text import refuse_unwritten_texts
from nextset.validation.file_exchange.csv_file import CsvFile, write_csv
from nextset.validation.file_exchange.potato import PotatoFiles, write_potato
from nextset.validation.plan.unit_priority import units_by_priority
from nextset.validation.study_units import kept_units, page_language, study_kind

__all__ = ["export_csv", "export_potato", "export_tasks"]


@of_study
def export_tasks(study: Study, sample: int | None = None) -> TaskFiles:
    """Write out/tasks for Label Studio: the tasks, the labelling configuration and the guidelines.

    ``sample`` units are drawn at random from the seed of validate.session (0 without that section); a smaller
    sample is a part of a larger one, and a pilot's units are the first of it. None: all units. Raises
    MissingStage before `filter` has run, StudyError if consent or support is unfinished, JudgmentError on a
    text that cannot be shown, ValueError if ``sample`` is less than 1.
    """
    with study.held("validate export"):
        shown = _shown(study, "label-studio", sample)
        return write_tasks(_folder(study) / "tasks.json", shown.briefing, shown.rows, premise=shown.premise)


@of_study
def export_csv(study: Study, sample: int | None = None) -> CsvFile:
    """Write out/tasks/tasks.csv, to be filled in, and guidelines.md; the rest as `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study, "csv", sample)
        return write_csv(_folder(study) / "tasks.csv", shown.briefing, shown.rows, premise=shown.premise)


@of_study
def export_potato(study: Study, sample: int | None = None) -> PotatoFiles:
    """Write out/tasks/potato, a project for the annotation tool Potato; the rest as `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study, "potato", sample)
        return write_potato(_folder(study) / "potato", shown.briefing, shown.rows, premise=shown.premise)


@dataclass(frozen=True)
class _Shown:
    briefing: Briefing
    rows: Sequence[Mapping[str, Any]]
    premise: bool


def _shown(study: Study, route: Route, sample: int | None) -> _Shown:
    if sample is not None and sample < 1:
        raise ValueError(f"sample is {sample}: it must be 1 or more, or None for all units")
    session, units = study.settings.validate_.session, kept_units(study.out, study.filter)
    refuse_unwritten_texts(session, study.file)
    texts = briefing(
        study_kind(study.filter.form),
        page_language(units, study.settings.language),
        session,
        study.path,
        route,
    )
    drawn = set(units_by_priority(units, "shuffled", session.seed if session else 0)[:sample])
    rows = [row for row in units.to_pylist() if row["unit_id"] in drawn]
    return _Shown(texts, rows, bool(session and session.premise))


def _folder(study: Study) -> Path:
    return study.out / "tasks"
