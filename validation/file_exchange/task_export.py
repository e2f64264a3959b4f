"""Export of tasks as files, for annotation without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import StudyError
from nextset.study.study_folder import Study, of_study
from nextset.study.validation_settings import SessionSettings
from nextset.validation.annotator_pages.briefing import Briefing, briefing
from nextset.validation.annotator_pages.guideline_routes import Route
from nextset.validation.annotator_pages.tasks import TaskFiles, write_tasks
from nextset.validation.annotator_pages.unwritten_text import refuse_unwritten_texts
from nextset.validation.file_exchange.csv_file import CsvFile, write_csv
from nextset.validation.file_exchange.potato import PotatoFiles, write_potato
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.plan.unit_priority import sampled_units
from nextset.validation.study_units import kept_units, page_language

__all__ = ["export_csv", "export_potato", "export_tasks"]


@of_study
def export_tasks(study: Study, sample: int | None = None, *, drawn: bool = False) -> TaskFiles:
    """Write out/tasks for Label Studio: the tasks, the labelling configuration and the guidelines.

    ``sample`` units (default: all) are drawn with the seed of validate.session, or 0. A smaller sample is
    part of a larger one, and begins with a pilot's units. If pairs are judged, it has two premises of each
    hypothesis. ``drawn`` writes only the units that a fractional
    overlap asks one more annotator about. Raises StudyError if consent or support is unfinished or no unit is
    drawn, JudgmentError if a text cannot be shown, ValueError if ``sample`` is less than 1.
    """
    with study.held("validate export"):
        shown = _shown(study, "label-studio", sample, drawn=drawn)
        return write_tasks(_folder(study) / "tasks.json", shown.briefing, shown.rows, premise=shown.premise)


@of_study
def export_csv(study: Study, sample: int | None = None, *, drawn: bool = False) -> CsvFile:
    """Write out/tasks/tasks.csv, to be filled in, and guidelines.md; otherwise like `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study, "csv", sample, drawn=drawn)
        return write_csv(_folder(study) / "tasks.csv", shown.briefing, shown.rows, premise=shown.premise)


@of_study
def export_potato(study: Study, sample: int | None = None, *, drawn: bool = False) -> PotatoFiles:
    """Write out/tasks/potato, a project for the annotation tool Potato; otherwise like `export_tasks`."""
    with study.held("validate export"):
        shown = _shown(study, "potato", sample, drawn=drawn)
        return write_potato(_folder(study) / "potato", shown.briefing, shown.rows, premise=shown.premise)


@dataclass(frozen=True)
class _Shown:
    briefing: Briefing
    rows: Sequence[Mapping[str, Any]]
    premise: bool


def _shown(study: Study, route: Route, sample: int | None, *, drawn: bool) -> _Shown:
    if sample is not None and sample < 1:
        raise ValueError(f"sample is {sample}; it must be 1 or more, or None for all units")
    session, units = (
        study.settings.validate_.session,
        kept_units(study.out, study.filter, study.settings.validate_.unit),
    )
    refuse_unwritten_texts(session, study.file)
    texts = briefing(
        judged_form(study.filter.form, study.settings.validate_.unit),
        page_language(units, study.settings.language),
        session,
        study.path,
        route,
    )
    wanted = sampled_units(units, session.seed if session else 0)
    if drawn:
        more = _drawn(wanted, session, study.file)
        wanted = tuple(unit_id for unit_id in wanted if unit_id in more)
    shown = set(wanted[:sample])
    rows = [row for row in units.to_pylist() if row["unit_id"] in shown]
    return _Shown(texts, rows, study.settings.validate_.shows_premise)


def _drawn(units: Sequence[str], session: SessionSettings | None, file: Path) -> frozenset[str]:
    """Return the units that a fractional overlap draws."""
    drawn = judgments_per_unit(session.overlap, units, session.seed).drawn if session else frozenset()
    if not drawn:
        raise StudyError(
            "there are no units that get one more annotator: validate.session.overlap is a whole number, "
            "or there are too few units",
            file=file,
            remedy="set an overlap such as 1.2, or export without --drawn",
        )
    return drawn


def _folder(study: Study) -> Path:
    return study.out / "tasks"
