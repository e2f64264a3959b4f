"""From a log and a plan to the report's data, and the artifact on a study."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.records.arrow_schema import table_of
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.forms.judged_hypotheses import GoldHypothesis
from nextset.validation.hypothesis_units import Unit
from nextset.validation.judgments.judgment_log import append
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import AssignedItem, BatchAssigned, BatchPushed, SessionClosed
from nextset.validation.plan.state import fold
from nextset.validation.question_units import QuestionUnit
from nextset.validation.report.data_collection import collect_report_data
from nextset.validation.report.report_records import NotCounted, ValidationReport
from nextset.validation.report.stage import write_validation_report
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study
from tests.validation.plan.sample_plans import Played, entry, facts, gate_answer, joins, opened, settings

GOLD = GoldHypothesis(
    unit_id="gold", language="en", domain="d0", stereotype="s", group1="a", group2="b", hypothesis="Known.",
    premise="", verdict="valid", stance="pro", why="It is known.", source="us",
)  # fmt: skip


def played() -> Played:
    """Three people are dealt the same six units and one gold item."""
    study = Played(facts(6), settings(), gold={"gold": GOLD.facts})
    study.events.append(opened(list(study.units)))
    for person in "ABC":
        items = (
            *(AssignedItem(u, "unit") for u in study.units),
            AssignedItem("gold", "gold"),
            AssignedItem("r", "rest", 0),
        )
        study.events += [*joins(person), BatchAssigned(session="1", person=person, batch=1, items=items)]
        study.events.append(BatchPushed(session="1", person=person, batch=1))
    return study


def unit_table(study: Played) -> pa.Table:
    return table_of(
        (
            Unit(
                unit_id=unit_id, language="en", domain=fact.domain, stereotype=f"s of {fact.domain}",
                group1="a", group2="b", hypothesis=f"Text of {unit_id}.", stance_design="pro", n_items=1,
                premise="A premise.", disagreement=None, missed=None, fluency=None, relative_fluency=None,
                template=fact.template, fills=(), fill_rank=None, fill_marks=(),
            )
            for unit_id, fact in study.units.items()
        ),
        Unit,
    )  # fmt: skip


def report(study: Played, **others: Any) -> ValidationReport:
    given: dict[str, Any] = {
        "study": "made up",
        "form": "nli",
        "settings": ValidateSettings(session=study.settings),
        "units": unit_table(study),
        "gold": {"gold": GOLD},
        "state": fold(study.events),
        "counted": study.counted(),
        "enough": None,
        "validator": None,
        "features": (),
        **others,
    }
    return collect_report_data(**given)


def test_templates_and_what_can_be_expected() -> None:
    study = played()
    study.units = {u: replace(f, template="t0" if u < "u4" else "t1") for u, f in study.units.items()}
    for person in "ABC":
        study.answer(person, "u0", verdict="valid")
        study.answer(person, "u1", verdict="invalid")
        study.answer(person, "u2", outcome="declined")
    study.answer("A", "u4", verdict="valid")
    found = report(study)
    # u0 and u1 have three judgments; u4 has one, so its template has no unit with enough
    (row,) = found.templates
    assert (row.template, row.units, row.judged, row.valid, row.waiting) == ("t0", 4, 2, 1, 0)
    assert found.postpone_below is None
    # u0, u1 and u4 have a verdict: two of three are valid, so four of six
    assert (found.expected.ground, found.expected.judged, found.expected.valid) == ("share", 3, 2)
    assert found.expected.expected == pytest.approx(4)


def test_without_a_verdict_the_report_counts_units() -> None:
    found = report(played()).expected
    assert (found.ground, found.units) == ("nothing", 6)


def test_without_a_session_one_judgment_is_enough_for_a_template() -> None:
    study = played()
    study.events = []
    study.units = {u: replace(f, template="t0") for u, f in study.units.items()}
    study.answer("A", "u0", session="", verdict="valid")
    for person, verdict in (("A", "valid"), ("B", "invalid")):
        study.answer(person, "u1", session="", verdict=verdict)
    found = report(study)
    (row,) = found.templates
    # u1 has a tie
    assert (row.judged, row.valid, row.waiting) == (1, 1, 0)
    assert [domain.enough for domain in found.domains] == [0, 0]  # the section asks for three


def test_progress() -> None:
    study = played()
    for person in "ABC":
        study.answer(person, "u0", verdict="valid")
    study.answer("A", "u1", verdict="invalid")
    study.answer("B", "u1", verdict="incoherent")
    study.answer("C", "u1", outcome="declined")
    study.answer("A", "u2", outcome="skipped")
    found = report(study)
    assert found.judgments == 5
    assert [(row.judgments, row.units) for row in found.units_with] == [(0, 4), (1, 0), (2, 1), (3, 1)]
    d0, d1 = found.domains
    assert (d0.units, d0.judged, d0.enough, d0.valid, d0.tied) == (3, 1, 1, 1, 0)
    assert (d1.units, d1.judged, d1.enough, d1.valid, d1.tied) == (3, 1, 0, 0, 1)
    a, b, c = found.people
    assert (a.standing, a.batches, a.dealt, a.judged, a.declined, a.skipped) == ("takes part", 1, 8, 2, 0, 1)
    assert (b.judged, c.declined) == (2, 1)
    assert [(row.reason, row.answers) for row in found.problems] == [("declined", 1), ("skipped", 1)]
    assert found.budget == 1000
    assert [(row.person, row.read) for row in found.exposure] == [("A", 3), ("B", 2), ("C", 2)]


def test_agreement_confusion_and_gold() -> None:
    study = played()
    for person in "ABC":
        study.answer(person, "u0", verdict="valid")
        study.answer(person, "u1", verdict="invalid" if person != "C" else "valid")
    for person in "AB":
        study.answer(person, "gold", verdict="valid" if person == "A" else "invalid")
    found = report(study)
    overall = {(row.of, row.name): row for row in found.agreement if row.by == "all"}
    # of u0 all 3 pairs agree, of u1 one of 3
    assert overall["verdict", "per_cent"].value == pytest.approx(100 * 4 / 6)
    assert ("verdict and stance", "alpha") in overall
    assert {row.part for row in found.agreement if row.by == "domain"} == {"d0", "d1"}
    judges = {row.judge: row for row in found.judges}
    assert judges["A"].gold is not None
    assert judges["A"].gold.point == 1
    assert judges["B"].gold is not None
    assert judges["B"].gold.point == 0
    assert judges["C"].gold is None
    said = {(r.judge, r.reference, r.said): r.n for r in found.confusion if r.against == "others"}
    assert said["C", "invalid", "valid"] == 1
    assert report(study, gold={}).judges[0].gold is None


def test_where_few_who_agree_are_enough_the_first_alone_are_compared() -> None:
    study = played()
    for person in "AB":
        study.answer(person, "u0", verdict="valid")
    for person, verdict in zip("ABC", ("valid", "invalid", "invalid"), strict=True):
        study.answer(person, "u1", verdict=verdict)
    row = next(r for r in report(study, enough=2).agreement if r.name == "per_cent")
    assert (row.value, row.ratings) == (50, 4)
    assert row.note.startswith("from the first 2 ratings of a unit")


def test_what_divides_people_is_shown_with_their_words() -> None:
    study = played()
    study.answer("A", "u0", verdict="valid", comment="Clear.")
    study.answer("B", "u0", verdict="invalid", reason="not about the group")
    study.answer("A", "u1", verdict="valid")
    study.answer("B", "u1", verdict="valid")
    (divided,) = report(study).disagreements
    assert divided.unit_id == "u0"
    assert divided.texts == ("Text of u0.",)
    assert [(v.person, v.said, v.reason, v.comment) for v in divided.votes] == [
        ("B", "invalid", "not about the group", ""),
        ("A", "valid pro", "", "Clear."),
    ]
    shown = ValidateSettings(session=settings(premise=True))
    assert report(study, settings=shown).disagreements[0].texts == ("A premise.", "Text of u0.")


def test_who_withdrew_and_what_cannot_be_read() -> None:
    study = played()
    study.answer("A", "u0")
    study.answer("B", "u0", outcome="invalid", problem="unknown choice 'perhaps'")
    study.events.append(gate_answer("A", consent=False))
    found = report(study)
    assert found.people[0].standing == "withdrew"
    assert found.judgments == 0
    assert set(found.problems) == {
        NotCounted("consent withdrawn", 1),
        NotCounted("invalid: unknown choice 'perhaps'", 1),
    }


def test_an_adjudication_decides_and_is_no_vote() -> None:
    study = played()
    study.answer("A", "u0", verdict="valid")
    study.answer("B", "u0", verdict="invalid")
    study.events += [
        SessionClosed(session="1", at="2026-01-02T00:00:00+00:00"),
        opened(["u0"], "2", kind="adjudication", overlap=1),
        *joins("D", "2"),
        BatchAssigned(session="2", person="D", batch=1, items=(AssignedItem("u0", "unit"),)),
    ]
    study.answer("D", "u0", session="2", verdict="invalid")
    found = report(study)
    assert found.judgments == 2
    assert found.domains[0].invalid == 1
    assert found.domains[0].tied == 0
    assert [v.person for v in found.disagreements[0].votes] == ["B", "A"]
    assert [row.kind for row in found.sessions] == ["main", "adjudication"]


def test_answers_in_files_alone() -> None:
    study = Played(facts(4), settings())
    study.answer("x", "u0", session="", verdict="valid")
    study.answer("y", "u0", session="", verdict="valid")
    study.answer("", "u0", session="", outcome="invalid")  # it does not say who answered
    found = report(study, settings=ValidateSettings())
    assert found.sessions == ()
    assert found.totals[0].people == 2
    assert [row.standing for row in found.people] == ["by file", "by file"]
    assert sum(row.enough for row in found.domains) == 1
    assert found.budget is None


@pytest.mark.parametrize(("agree", "enough"), [(None, 1), (2, 2)])
def test_of_files_alone_as_many_judgments_are_enough_as_are_asked(agree: int | None, enough: int) -> None:
    study = Played(facts(4), settings())
    for person, *units in (("x", "u0", "u1", "u2"), ("y", "u0", "u1"), ("z", "u0")):
        for unit_id in units:
            study.answer(person, unit_id, session="", verdict="valid")
    asked = ValidateSettings(session=settings(overlap=3, agree=agree))
    found = report(study, settings=asked)
    # u0 has three judgments, u1 two that agree, u2 one
    assert sum(row.enough for row in found.domains) == enough


def test_questions() -> None:
    study = Played(facts(3), settings())
    rows = table_of(
        (
            QuestionUnit(
                unit_id=u, language="en", domain=f.domain, stereotype="lazy", group1="a", group2="b",
                context=f"Context of {u}.", question="Who?", question_negated="Who not?",
                disagreement=None, missed=None, template="c: t",
            )
            for u, f in study.units.items()
        ),
        QuestionUnit,
    )  # fmt: skip
    for person, grammatical in (("x", True), ("y", False)):
        checks = {"underspecified": True, "grammatical": grammatical, "free_of_hint": True}
        verdict = "valid" if grammatical else "incoherent"
        study.answer(person, "u0", session="", verdict=verdict, **checks, stance_judged=None)
    found = report(study, form="question", units=rows)
    rated = {row.of: row.value for row in found.agreement if row.by == "all" and row.name == "per_cent"}
    assert rated == {"verdict": 0, "underspecified": 100, "grammatical": 0, "free_of_hint": 100}
    assert found.disagreements[0].texts == ("Context of u0.", "Who?", "Who not?")


@pytest.fixture
def study(tmp_path: Path) -> nextset.Study:
    return kept_study(tmp_path / "mine", [f"Text number {i}." for i in range(6)], ("gender", "race"))


def judged(study: nextset.Study) -> list[str]:
    ids: list[str] = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    items = tuple(AssignedItem(u, "unit") for u in ids)
    append_events(study.judgments, [opened(ids), *joins("a-1"), *joins("a-2")])
    for person in ("a-1", "a-2"):
        append_events(study.judgments, [BatchAssigned(session="1", person=person, batch=1, items=items)])
        append_events(study.judgments, [BatchPushed(session="1", person=person, batch=1)])
    append(
        study.judgments,
        [
            entry(u, person, 10 * i + p, verdict="valid" if (i + p) % 3 else "invalid", comment="<b>so</b>")
            for i, u in enumerate(ids)
            for p, person in enumerate(("a-1", "a-2"), 1)
        ],
    )
    return ids


@pytest.mark.slow
def test_the_artifact(study: nextset.Study) -> None:
    ids = judged(study)
    made = write_validation_report(study)
    page = (made.folder / "index.html").read_text()
    assert "Judgments that count: 12, for 6 hypotheses" in page
    assert "&lt;b&gt;so&lt;/b&gt;" in page
    assert "payable" not in page
    payable = (made.folder / "payable_time.csv").read_text().splitlines()
    assert payable[1:] == ["a-1,6,6,0,0,0,0,0,0,300,24,1", "a-2,6,6,0,0,0,0,0,0,300,24,1"]
    divided = made.table("divided").to_pylist()
    assert {row["unit_id"] for row in divided} < set(ids)
    assert made.rows("judges") == 2
    again = write_validation_report(study)
    assert again.built == "reused"
    append(study.judgments, [entry(ids[0], "a-1", 1, outcome="skipped", seconds=900.0)])
    other = write_validation_report(study)
    assert other.key != made.key
    assert "Judgments that count: 11, for 6 hypotheses" in (other.folder / "index.html").read_text()


@pytest.mark.slow
def test_the_same_study_elsewhere_gives_the_same_bytes(study: nextset.Study, tmp_path: Path) -> None:
    judged(study)
    first = write_validation_report(study)
    other = kept_study(
        tmp_path / "else" / "mine", [f"Text number {i}." for i in range(6)], ("gender", "race")
    )
    judged(other)
    assert write_validation_report(other).digest == first.digest


def test_before_anybody_has_judged(study: nextset.Study) -> None:
    made = write_validation_report(study)
    assert "Judgments that count: 0, for 6 hypotheses" in (made.folder / "index.html").read_text()
    manifest = json.loads((made.folder / "manifest.json").read_text())
    assert manifest["recipe"]["stage"] == "validate_report"
    assert open_artifact(study.out / "validate_report").table("divided").num_rows == 0
    assert replace(made, built="reused") == replace(write_validation_report(study), built="reused")
