"""`nextset validate plan`: what a session would be with the settings as they are now."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.errors import MissingStage, StudyError
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import append
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import PersonLeft, SessionClosed
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.session.session_plan import SessionPlan, plan_session
from nextset.validation.study_units import kept_units
from tests.validation.plan.sample_plans import at, entry, joins, opened
from tests.validation.session.sample_study import SESSION, made_study


def study_of(folder: Path, n: int, *settings: str) -> Study:
    return made_study(folder / "s", n, SESSION + "".join(f"    {line}\n" for line in settings))


def ids(study: Study) -> list[str]:
    found: list[str] = kept_units(study.out, study.filter, study.settings.validate_.unit)[
        "unit_id"
    ].to_pylist()
    return sorted(found)


def judge(study: Study, units: list[str], person: str, seconds: float = 30.0) -> None:
    given = [entry(u, person, f"#{ord(person)}{i:03}", session="") for i, u in enumerate(units)]
    append(study.judgments, [replace(e, seconds=seconds + (i % 2) * 10) for i, e in enumerate(given)])


def files(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_plan_before_anybody_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("NEXTSET_PSEUDONYM_KEY", raising=False)
    study = study_of(tmp_path, 50, "overlap: 1.2")
    before = files(tmp_path)
    found = plan_session(study)
    assert (found.kind, found.units, found.overlap, found.drawn) == ("main", 50, 1.2, 10)
    assert (found.judged, found.enough) == (0, 0)
    assert (found.least_people, found.people) == (2, 2), "the drawn units need two"
    assert (found.workload.judgments, found.workload.not_covered) == (60, 0)
    assert (found.if_agreed, found.hours, found.hours_if_agreed) == (None, None, None)
    assert files(tmp_path) == before, "nothing was written, not even a key"


def test_judgments_that_exist_are_not_asked_again(tmp_path: Path) -> None:
    study = study_of(tmp_path, 10, "overlap: 1.2")
    units = ids(study)
    drawn = judgments_per_unit(1.2, units, 0).drawn
    judge(study, units, "A")
    found = plan_session(study)
    assert (found.judged, found.enough) == (10, 8)
    assert (found.workload.judgments, found.least_people) == (2, 1)
    judge(study, sorted(drawn), "B")
    done = plan_session(study)
    assert (done.judged, done.enough, done.workload.judgments, done.people) == (12, 10, 0, 0)


def test_with_agree_it_depends_on_how_far_people_agree(tmp_path: Path) -> None:
    study = study_of(tmp_path, 20, "overlap: 3", "agree: 2")
    units = ids(study)
    found = plan_session(study)
    assert found.if_agreed is not None
    assert (found.if_agreed.judgments, found.workload.judgments) == (40, 60)
    assert found.least_people == 3
    judge(study, units[:5], "A")  # one of two that agree
    found = plan_session(study)
    assert found.if_agreed is not None
    assert (found.if_agreed.judgments, found.workload.judgments) == (35, 55)


def test_a_pilot_is_judged_by_everyone(tmp_path: Path) -> None:
    study = study_of(tmp_path, 50, "pilot: 20", "overlap: 2.5", "agree: 2")
    judge(study, ids(study), "A")
    found = plan_session(study, people=3, pilot=True)
    assert (found.kind, found.units, found.drawn, found.judged) == ("pilot", 20, 0, 0)
    assert (found.workload.judgments, found.if_agreed) == (60, None)
    assert plan_session(study, pilot=True).people == 2, "to compare them"


def test_as_if_there_were_more_units(tmp_path: Path) -> None:
    study = study_of(tmp_path, 9, "overlap: 1.5")
    judge(study, ids(study), "A")
    found = plan_session(study, units=301)
    # 150.5 is rounded up
    assert (found.units, found.drawn, found.judged) == (301, 151, 0)
    assert (found.workload.judgments, found.workload.not_covered) == (452, 0)
    assert found.least_people == 5, "budget.person is 100"
    assert plan_session(study, units=1).workload.judgments == 2


def test_as_many_people_as_last_time(tmp_path: Path) -> None:
    study = study_of(tmp_path, 6, "overlap: 2")
    left = PersonLeft(session="1", person="C", at=at(9), why="stopped")
    append_events(
        study.judgments, [opened(ids(study)), *joins("A"), *joins("B"), *joins("C"), *joins("D"), left]
    )
    assert plan_session(study).people == 3
    append_events(study.judgments, [SessionClosed(session="1", at=at(99))])
    assert (plan_session(study).people, plan_session(study, people=7).people) == (3, 7)


def test_hours_are_said_when_each_pace_is_known(tmp_path: Path) -> None:
    study = study_of(tmp_path, 120, "overlap: 1")
    units = ids(study)
    judge(study, units[:20], "A")
    judge(study, units[20:39], "B")
    few = plan_session(study, people=2, hours=True).hours
    assert few is not None
    assert (few.same_people, few.more_answers, few.more_people) == (None, 1, 4)
    judge(study, units[39:40], "C")  # another person's answer is none of B's
    assert plan_session(study, people=2, hours=True).hours.more_answers == 1  # type: ignore[union-attr]
    judge(study, units[20:40], "B")
    plan = plan_session(study, people=2, hours=True)
    assert plan.hours is not None
    assert plan.hours.same_people is not None
    assert (plan.workload.judgments, plan.hours.answers, plan.hours.seconds) == (80, 40, 35)
    assert plan.hours.same_people.point == pytest.approx(plan.workload.items * 35 / 3600)


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["validate", "plan", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_says_it_as_text_and_as_json(tmp_path: Path) -> None:
    study = study_of(tmp_path, 120, "overlap: 1.5")
    units = ids(study)
    judge(study, units[:20], "A")
    judge(study, units[20:40], "B")
    said = call(study.folder, "--people", 2, "--hours").splitlines()
    assert said[0] == (
        "a session with the current settings: 120 units, "
        "overlap 1.5: 60 of them get one more judgment than the others"
    )
    assert said[1].startswith("  40 judgments so far; ")
    assert said[2] == "  people: 2 (needed: at least 2)"
    assert said[3].startswith("  to read: 140 judgments, 0 gold and ")
    assert "from 40 timed answers of 2 people" in said[4]
    assert said[5] == ("  hours, by others like them: not known: 3 more people need 20 timed answers each")
    data: dict[str, Any] = json.loads(call(study.folder, "--people", 2, "--hours", "--json"))
    assert data["hours"]["same_people"].keys() == {"low", "point", "high"}
    assert data["workload"]["judgments"] == 140
    fewer = call(study.folder, "--people", 1)
    # one person gives 1 judgment of each of the units that need any
    assert " judgments are not covered: add people, or raise" in fewer
    more = call(study.folder, "--people", 3, "--hours")
    assert (
        "by people whose pace is known: not known: 20 more timed answers are needed (20 per person)" in more
    )
    assert call(study.folder, "--pilot").startswith(
        "a pilot with the current settings: 20 units, judged by everyone"
    )


def test_the_command_says_both_cases_of_agree(tmp_path: Path) -> None:
    study = study_of(tmp_path, 30, "overlap: 3", "agree: 2")
    said = call(study.folder, "--hours")
    assert "30 units, up to 3 judgments each; 2 that agree are enough" in said
    assert "  if people disagree:   90 judgments" in said
    assert "  if they always agree: 60 judgments" in said
    assert said.count("not known") == 2


def test_there_is_nothing_to_judge(tmp_path: Path) -> None:
    study = study_of(tmp_path, 3, "overlap: 1")
    judge(study, ids(study), "A")
    assert call(study.folder, "--hours").splitlines()[1:] == [
        "  3 judgments so far; 3 units have enough",
        "  there is nothing to judge",
    ]


def test_what_a_plan_needs(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    text = "format: 1\nname: s\ntemplates: [builtin:gender/man_is_to_programmer]\n"
    text += "filter: {models: [builtin:nli-electra]}\nrelease: {name: s, version: 0.1.0}\n"
    (folder / "study.yaml").write_text(text)
    with pytest.raises(StudyError, match=r"validate\.session"):
        nextset.plan_session(folder)
    (folder / "study.yaml").write_text(f"{text}validate:\n  session:{SESSION}")
    with pytest.raises(MissingStage):
        nextset.plan_session(folder)
    study = study_of(tmp_path / "t", 3)
    for wrong in ({"people": 0}, {"units": 0}):
        with pytest.raises(ValueError, match="must be 1 or more"):
            plan_session(study, **wrong)  # type: ignore[call-overload]
    assert isinstance(plan_session(study), SessionPlan)
