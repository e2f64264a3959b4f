"""Judgments whose unit or session is no longer in the study are named by the stage, not left out silently."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.errors import WaitingForPeople
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import stage_result
from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import append
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study
from tests.validation.plan.sample_plans import entry

LOST = (
    "2 judgments of units that the study does not have do not count: their sentences were changed or are no "
    "longer kept; undo the change, or have the new units judged"
)


def judged(folder: Path, hypotheses: list[str]) -> Study:
    """A study of which two people judged every unit in a file."""
    study = kept_study(folder, hypotheses)
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    given = [
        entry(u, p, f"#{2 * i + j}", session="") for i, u in enumerate(units) for j, p in enumerate("AB")
    ]
    append(study.judgments, given)
    return study


def changed(study: Study, hypotheses: list[str], folder: Path) -> Study:
    """The judgments of ``study`` beside a filter that keeps other hypotheses."""
    other = kept_study(folder, hypotheses)
    shutil.copytree(study.judgments, other.judgments)
    return other


def test_judgments_of_a_changed_sentence_are_named(tmp_path: Path) -> None:
    study = judged(tmp_path / "before", ["Men are calm.", "Women are loud."])
    before = nextset.apply_judgments(study)
    assert not [w for w in stage_result(STAGES["validate"], before).warnings if "do not count" in w]
    edited = changed(study, ["Men are calm.", "Women are very loud."], tmp_path / "after")
    result = stage_result(STAGES["validate"], nextset.apply_judgments(edited))
    assert LOST in result.warnings
    assert "1 unit has no judgment yet, and its items are not released" in result.warnings


def test_a_study_of_which_all_judgments_are_lost_says_so_while_it_waits(tmp_path: Path) -> None:
    study = judged(tmp_path / "before", ["Men are calm."])
    edited = changed(study, ["Men are very calm."], tmp_path / "after")
    with pytest.raises(WaitingForPeople, match="the log has 2 judgments of units that the study does not"):
        nextset.apply_judgments(edited)


def test_judgments_of_a_session_without_its_plan_are_named(tmp_path: Path) -> None:
    study = judged(tmp_path / "s", ["Men are calm."])
    (unit,) = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    append(study.judgments, [entry(unit, "C", 1, session="1")])
    (warning,) = [
        w for w in stage_result(STAGES["validate"], nextset.apply_judgments(study)).warnings if "plan" in w
    ]
    assert warning.startswith("1 judgment of sessions that the plan does not have does not count: restore")


def test_skipped_and_replaced_answers_are_not_lost(tmp_path: Path) -> None:
    study = judged(tmp_path / "s", ["Men are calm."])
    append(study.judgments, [entry("elsewhere", "C", "#9", session="", outcome="skipped", verdict=None)])
    assert "judgments of units that the study does not have" not in nextset.apply_judgments(study).counts
