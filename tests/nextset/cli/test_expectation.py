"""What the commands say of how many kept units are valid, before people are asked and after."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.cli.app import app
from nextset.cli.expectation_text import expectation_text
from nextset.records.arrow_schema import table_of
from nextset.records.expected_units import ExpectedValid
from nextset.records.nli_items import Bindings, NliItem
from nextset.study.study_folder import Study
from nextset.study.validation_settings import ValidateSettings
from nextset.validation.judgments.judgment_log import append
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import AssignedItem, BatchAssigned, BatchPushed, Event
from nextset.validation.report.stage import write_validation_report
from nextset.validation.study_units import kept_units
from nextset.validation.verdict_model.expected_valid import expected_without_verdicts
from nextset.validation.verdict_model.prediction_records import Predicted, ValidatorReport
from nextset.validation.verdict_model.stage import expectation
from nextset.validation.verdict_model.unit_features import FeatureRow
from tests.records import ITEM
from tests.validation.filtered_study import kept_study
from tests.validation.plan.sample_plans import entry, joins, opened, settings
from tests.validation.report.example import REPORT
from tests.validation.session.sample_study import SESSION, made_study


def said(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def test_with_no_verdict_the_commands_say_that_nothing_is_known_and_what_to_do(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 90)
    text = said("status", study.folder)
    assert "none of 90 kept units is judged, so the valid share is not known" in text
    assert "50 units drawn at random give the share to within 13 points" in text
    assert f"nextset validate export {study.folder} --for csv --sample 50" in text
    assert f"20 units in a pilot: nextset validate open {study.folder} --pilot" in text
    exported = said("validate", "export", study.folder, "--for", "csv", "--sample", 50)
    assert exported.startswith("50 tasks in ")
    assert "is not known" in exported
    data = json.loads(said("validate", "export", study.folder, "--json"))
    assert data["expected"]["ground"] == "nothing"
    assert data["expected"]["expected"] is None


def test_with_verdicts_the_commands_say_the_share_and_its_ground(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 90)
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    rows = [
        entry(u, "C", f"#{i}", session="", verdict="valid" if i < 12 else "incoherent")
        for i, u in enumerate(units[:20])
    ]
    append(study.judgments, rows)
    # 12 of 20 of 90: a sample of 20 * 90 / 70 = 25.7 with the share 0.6
    text = said("status", study.folder)
    assert "about 54 of 90 kept units can be expected to be valid (37 to 69, 95 %)" in text
    assert "based on the share of valid units: 12 valid of 20 judged" in text
    assert text.endswith("This holds for a random sample")
    stages = json.loads(said("status", study.folder, "--json"))
    (expected,) = [s["expected"] for s in stages if s["expected"]]
    assert (expected["ground"], expected["units"], expected["judged"], expected["valid"]) == (
        "share",
        90,
        20,
        12,
    )
    assert "about 54" in said("validate", "export", study.folder)


def test_a_prediction_of_units_that_are_gone_is_not_believed(tmp_path: Path) -> None:
    """Other fills give other units; as many of them, and as many verdicts, do not make it theirs."""
    study = made_study(tmp_path / "s", 90)
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    append(
        study.judgments,
        [entry(u, "C", f"#{i}", session="", verdict="valid") for i, u in enumerate(units[:20])],
    )
    assert REPORT.validator is not None
    report = replace(REPORT.validator, valid=20, invalid=0, incoherent=0, unjudged=70, better=True)
    for rest, ground in ((units[20:], "verdict model"), ([*units[20:-1], "gone"], "share")):
        rows = [Predicted(unit_id=u, p_valid=0.5, p_invalid=0.25, p_incoherent=0.25) for u in rest]
        parts = [
            Part("predicted", lambda rows=rows: PartResult(table_of(rows, Predicted))),  # type: ignore[misc]
            Part("report", lambda: PartResult(table_of([report], ValidatorReport))),
            Part("features", lambda: PartResult(table_of([], FeatureRow))),
        ]
        build(study.out / "validator", Recipe("validator", 1, {"of": ground}), lambda parts=parts: parts)  # type: ignore[misc]
        found = expectation(study)
        assert found is not None
        assert found.ground == ground


def judged_by(study: Study, session: str) -> None:
    """Two units judged by C, in a file or in session 1."""
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    numbers = ("1", "2") if session else ("#1", "#2")
    append(
        study.judgments,
        [entry(u, "C", n, session=session, verdict="valid") for u, n in zip(units[:2], numbers, strict=True)],
    )


LIKELY = f"{SESSION}    order: likely_valid_first\n"


def test_judgments_from_a_file_are_not_said_to_be_of_a_queue(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 9, LIKELY)
    judged_by(study, "")
    assert said("status", study.folder).endswith("This holds for a random sample")
    page = (write_validation_report(study).folder / "index.html").read_text()
    assert "This holds for a random sample." in page


@pytest.mark.parametrize(("kind", "queued"), [("pilot", False), ("main", True)])
def test_a_pilot_is_a_random_sample_and_a_main_session_is_not(
    tmp_path: Path, kind: str, queued: bool
) -> None:
    study = made_study(tmp_path / "s", 9, LIKELY)
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    items = tuple(AssignedItem(u, "unit") for u in units)
    batch: list[Event] = [
        BatchAssigned(session="1", person="C", batch=1, items=items),
        BatchPushed(session="1", person="C", batch=1),
    ]
    append_events(study.judgments, [opened(units, kind=kind), *joins("C"), *batch])
    judged_by(study, "1")
    doubt = "with validate.session.order: likely_valid_first the judged units are not a random sample"
    assert (doubt in said("status", study.folder)) == queued
    page = (write_validation_report(study).folder / "index.html").read_text()
    assert ("an order other than shuffled" in page) == queued


def test_units_are_counted_not_items(tmp_path: Path) -> None:
    """Two items of one hypothesis under two premises, and a test item, are one unit."""
    study = kept_study(tmp_path / "s", [])
    hypotheses = [
        replace(ITEM, id="1", premise="One.", hypothesis="Men cook.", bindings=Bindings("men", "women")),
        replace(ITEM, id="2", premise="Two.", hypothesis="Men cook.", bindings=Bindings("men", "women")),
        replace(ITEM, id="3", hypothesis="Ten met.", stance_design="test", label="entailment"),
    ]
    shutil.rmtree(study.out / "filter")
    table = table_of(hypotheses, NliItem)
    build(study.out / "filter", Recipe("filter", 1), lambda: [Part("kept", lambda: PartResult(table))])
    assert "none of 1 kept unit is judged, so the valid share is not known" in said("status", study.folder)


def test_a_damaged_log_is_said_and_the_status_goes_on(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 6)
    unit = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()[0]
    append(study.judgments, [entry(unit, "C", "#1", session="")])
    (study.judgments / "log.jsonl").write_text('{"verdict": 3}\n')
    text = said("status", study.folder)
    assert "valid units: " in text
    assert "log.jsonl:1" in text


def test_when_all_are_judged_nothing_is_estimated() -> None:
    found = ExpectedValid(ground="share", units=20, judged=20, valid=12, low=12.0, expected=12.0, high=12.0)
    assert expectation_text(found, ValidateSettings()) == (
        "12 of 20 kept units are valid: all have a verdict"
    )


def test_what_is_no_random_sample_is_said() -> None:
    found = ExpectedValid(
        ground="share", units=90, judged=20, valid=12, low=37.0, expected=54.0, high=69.0, queued=True
    )
    for others, doubt in (
        ({"order": "likely_valid_first"}, "validate.session.order: likely_valid_first"),
        ({"postpone_below": 0.2}, "validate.session.postpone_below: 0.2"),
    ):
        text = expectation_text(found, ValidateSettings(session=settings(**others)))
        assert text.endswith(
            f"for a random sample, but with {doubt} the judged units are not a random sample"
        )
    by_rule = expectation_text(expected_without_verdicts(30), ValidateSettings(judge="rule"))
    # all 30 are fewer than a sample
    assert "There are few enough to judge all of them" in by_rule
    assert "set validate: {judge: people}, then nextset validate export" in by_rule
    assert "pilot" not in by_rule
    assert expectation_text(expected_without_verdicts(0), ValidateSettings()).startswith("no item was kept")
