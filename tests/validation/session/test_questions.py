"""Underspecified questions through a session and into verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.artifact import Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.cli.stages import stages_of
from nextset.items import table_of
from nextset.quads import QuestionQuad
from nextset.study import Study
from tests.validation.session.made_study import SESSION
from tests.validation.session.people import pass_gate
from tests.validation.studio import Studio
from tests.validation.test_disagreement_and_question_units import QUAD, found_by
from validation.judgments.pseudonyms import KEY_VARIABLE
from validation.session.desk import desk_of
from validation.session.journal import Journal

STUDY = f"""
format: 1
name: asked
questions: {{packs: ["builtin:en"], forms: [question]}}
filter:
  candidates: [questions]
  models: ["builtin:qa-roformer"]
  rule: {{c_at_least: 0.1}}
validate:
  session:{SESSION}    overlap: 1
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "asked"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    study = Study.load(folder)
    quads = [replace(QUAD, id=f"{i:032x}", subject1=f"Land {i}") for i in range(4)]
    rows = found_by(table_of(quads, QuestionQuad), "found_by", [["builtin:qa-roformer"]] * 4)
    build(
        study.out / "filter",
        Recipe("filter", 1, {}, {}),
        lambda: [Part("kept", lambda: Made(rows))],
    )
    return study


def test_three_checks_become_a_verdict(study: Study, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")
    assert [stage.name for stage in stages_of(study)][-1] == "validate"
    client = studio.client()
    person = studio.annotator("questions@example.org")
    nextset.open_session(study, client, [person.email])
    session = Journal(study.judgments).state.current
    assert session is not None
    (part,) = session.people.values()
    right = [item.answer for item in desk_of(study).told.comprehension]  # type: ignore[union-attr]
    pass_gate(studio, person, part.projects["gate"], right)
    nextset.pull_session(study, client)
    session = Journal(study.judgments).state.current
    assert session is not None
    (part,) = session.people.values()
    tasks = studio.task_numbers(int(part.projects["work"]))
    said = {
        f"{0:032x}": ("yes", "yes", "yes"),
        f"{1:032x}": ("no", "yes", "yes"),
        f"{2:032x}": ("yes", "no", "yes"),
    }
    for unit_id, task in tasks.items():
        answers = said.get(unit_id, ("declined",) if unit_id == f"{3:032x}" else ("yes", "yes", "no"))
        blocks = zip(("underspecified", "grammatical", "free_of_hint"), answers, strict=False)
        person.answer(
            task,
            *(
                {"from_name": b, "to_name": "context", "type": "choices", "value": {"choices": [a]}}
                for b, a in blocks
            ),
        )
    closed = nextset.close_session(study, client)
    assert closed.taken.in_log == len(tasks)
    made = nextset.apply_judgments(study)
    verdicts = dict(zip(*(made.table("items")[c].to_pylist() for c in ("id", "verdict")), strict=True))
    assert verdicts == {
        f"{0:032x}": "valid",
        f"{1:032x}": "invalid",
        f"{2:032x}": "incoherent",
        f"{3:032x}": None,
    }
    checks = {row["unit_id"]: row["underspecified"] for row in made.table("checks").to_pylist()}
    assert checks == {f"{0:032x}": True, f"{1:032x}": False, f"{2:032x}": True, f"{3:032x}": None}
    assert {row["of"] for row in made.table("agreement").to_pylist()} >= {"verdict", "underspecified"}
    report = nextset.write_validation_report(study)
    page = (report.folder / "index.html").read_text(encoding="utf-8")
    assert "example.org" not in page
    assert isinstance(open_artifact(study.out / "validate").table("valid"), pa.Table)
