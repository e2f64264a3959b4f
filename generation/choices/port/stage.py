"""The stage port: the decisions on templates as a page, a sheet to fill in, and a survey page for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import StudyError
from nextset.forms import CHOICE
from nextset.generation.choices.choice_tables import choice_sources
from nextset.generation.choices.port.decision_sheet import decision_sheet
from nextset.generation.choices.port.port_page import PortReport, render_port
from nextset.generation.choices.port.ported_parts import DECISIONS_TABLE
from nextset.generation.choices.port.ported_templates import MadeTemplate, made_templates
from nextset.generation.choices.port.survey_page import render_survey, survey_questions
from nextset.records.arrow_schema import records_of
from nextset.records.port_decisions import PortDecision
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.study_folder import Study, of_study

__all__ = ["port", "port_recipe"]


def port_recipe(study: Study) -> Recipe:
    """Return the recipe that `port` would use now.

    Raises StudyError without choices.port, and MissingStage before `generate` has run.
    """
    settings = study.settings.section("choices", ChoiceSettings)
    if settings is None or settings.port is None:
        raise StudyError(
            "the study brings no set to another culture",
            file=study.file,
            remedy="add choices: {port: {}}",
        )
    generated = open_artifact(study.out / "generate")
    shown: dict[str, Any] = {"study": study.settings.name, "language": study.settings.language}
    shown |= {"known_to": settings.port.known_to, "answers": settings.port.answers}
    return Recipe("port", 1, {"generate": generated.digest}, shown)


@of_study
def port(study: Study, progress: Progress = SILENT) -> Artifact:
    """Write out/port: the page index.html, the sheet decisions.csv, and the page survey.html.

    Raises MissingStage before `generate` has run.
    """
    with study.held("port"):
        generated = open_artifact(study.out / "generate")
        return build(
            study.out / "port",
            port_recipe(study),
            lambda: _files(study, generated),
            progress=progress("port"),
        )


def _files(study: Study, generated: Artifact) -> list[FilePart]:
    decisions = records_of(generated.table(DECISIONS_TABLE), PortDecision)
    # the templates that were left out are in the sheet and in the survey too
    templates = made_templates(_pieces(study))
    settings = study.settings.section("choices", ChoiceSettings)
    assert settings is not None
    assert settings.port is not None
    rows, masked = (generated.rows(table) for table in (CHOICE.generated, CHOICE.masked))
    report = PortReport(study.settings.name, settings.port, decisions, rows, masked)
    asked = survey_questions(templates, decisions)
    return [
        FilePart("index.html", lambda: render_port(report).encode()),
        FilePart("survey.html", lambda: render_survey(study.settings.name, asked).encode()),
        FilePart("decisions.csv", lambda: decision_sheet(_sheet(templates, decisions))),
    ]


def _pieces(study: Study) -> Iterator[pa.Table]:
    for source in choice_sources(study):
        yield from source.pieces()
        if source.masked is not None:
            yield source.masked()


def _sheet(templates: Iterable[MadeTemplate], decisions: Iterable[PortDecision]) -> Iterator[dict[str, str]]:
    made = {template.key: template for template in templates}
    for row in decisions:
        template = made.get((row.category, row.template_id))
        yield {
            "category": row.category,
            "template_id": row.template_id,
            "stereotype": row.stereotype,
            "target": "; ".join(template.target_groups if template is not None else row.target_groups),
            "context": "" if template is None else template.context,
            "question": "" if template is None else template.question,
            "decision": row.decision,
            "new_target": "; ".join(row.target_groups) if row.decision == "target changed" else "",
            "reason": row.reason,
        }
