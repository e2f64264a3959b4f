"""Questions and masked statements go through a session, up to their verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.question_quads import QuestionQuad
from nextset.study.study_folder import Study
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.stage import apply_judgments
from tests.validation.session.sample_annotators import pass_gate
from tests.validation.session.sample_study import SESSION
from tests.validation.studio import Annotator, Studio, choice
from tests.validation.test_question_units import QUAD

_STUDY = """
format: 1
name: asked
questions: {{packs: [builtin:en]}}
filter: {{candidates: [{form}s], models: [builtin:nli-electra], rule: {rule}}}
validate:
  session:{session}    overlap: 2
"""


def asked(folder: Path, form: str) -> Study:
    """A study whose filter kept three questions, or masked statements."""
    folder.mkdir(parents=True)
    rule = "{c_at_least: 0.1}"
    text = _STUDY.format(form=form, session=SESSION, rule=rule)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    study = Study.load(folder)
    quads = [replace(QUAD, id=content_id("quad", s), subject1=s) for s in ("Chad", "Mali", "Togo")]
    table = table_of(quads, QuestionQuad)
    table = table.rename_columns([name.replace("question", form) for name in table.column_names])
    table = table.append_column("found_by", pa.array([[]] * 3, pa.list_(pa.string())))
    build(study.out / "filter", Recipe("filter", 1), lambda: [Part("kept", lambda: PartResult(table))])
    return study


def answer(underspecified: str, grammatical: str, free_of_hint: str) -> list[dict[str, Any]]:
    given = {"underspecified": underspecified, "grammatical": grammatical, "free_of_hint": free_of_hint}
    return [choice(value, name, "question") for name, value in given.items()]


@pytest.mark.parametrize("form", ["question", "statement"])
def test_from_open_to_verdicts(tmp_path: Path, studio: Studio, form: str) -> None:
    study, client = asked(tmp_path / "study", form), studio.client()
    people: list[Annotator] = [studio.annotator(f"{name}@{form}.example") for name in ("ana", "ben")]
    opened = open_session(study, client, [a.email for a in people])
    right = session_materials(study).briefing.comprehension

    def project(annotator: Annotator, role: Any) -> str:
        session = list(EventLog(study.judgments).state.sessions.values())[-1]
        person = next(p.person for p in opened.people if p.email == annotator.email)
        return session.people[person].projects[role]

    for annotator in people:
        pass_gate(studio, annotator, project(annotator, "gate"), right)
    pull_session(study, client)
    said = [("yes", "yes", "yes"), ("no", "yes", "yes"), ("yes", "no", "yes")]
    units = sorted(session_materials(study).unit_ids)
    for annotator in people:
        there = studio.task_numbers(int(project(annotator, "work")))
        for unit_id, given in zip(units, said, strict=True):
            annotator.answer(there[unit_id], *answer(*given))
    assert pull_session(study, client).not_counted == {}
    close_session(study, client)
    items = apply_judgments(study).table("items")
    verdicts = dict(zip(items["id"].to_pylist(), items["verdict"].to_pylist(), strict=True))
    assert verdicts == dict(zip(units, ("valid", "invalid", "incoherent"), strict=True))
