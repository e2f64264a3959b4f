"""The validator model on a study: features of a real model, judgments of the log, an artifact."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.cli.validate_predict import predict_validity
from nextset.errors import ModelError, StudyError, WaitingForPeople
from nextset.records.judgment import Verdict
from nextset.validation.judgments.judgment_log import append
from nextset.validation.study_units import kept_units
from nextset.validation.verdict_model.stage import prediction
from tests.validation.filtered_study import kept_study
from tests.validation.plan.sample_plans import entry

ENDS: dict[Verdict, tuple[str, str]] = {
    "valid": ("is brave", "was kind"),
    "incoherent": ("the the of", "and of by"),
}


def text(i: int) -> str:
    end = ENDS["valid" if i % 5 < 3 else "incoherent"][i // 4 % 2]
    return f"The {('doctor', 'nurse', 'woman', 'man')[i % 4]} {end} {i}."


@pytest.fixture
def study(tmp_path: Path) -> nextset.Study:
    """A study whose filter kept 48 valid and 32 incoherent hypotheses."""
    return kept_study(tmp_path / "mine", [text(i) for i in range(80)])


def judge(study: nextset.Study, n: int) -> dict[str, Verdict]:
    """One person judges the first ``n`` units; the true verdict of every unit."""
    truth: dict[str, Verdict] = {
        row["unit_id"]: "valid" if any(end in row["hypothesis"] for end in ENDS["valid"]) else "incoherent"
        for row in kept_units(study.out, study.filter, study.settings.validate_.unit).to_pylist()
    }
    append(
        study.judgments,
        [
            entry(unit_id, "a-1", i, session="", verdict=truth[unit_id])
            for i, unit_id in enumerate(sorted(truth)[:n], 1)
        ],
    )
    return truth


@pytest.mark.slow
def test_it_expects_what_people_will_say(study: nextset.Study) -> None:
    truth = judge(study, 50)
    found = predict_validity(study)
    assert found.report.model == "builtin:nli-electra"
    assert found.report.better
    assert len(found.predicted) == found.report.unjudged == 30
    right = [(row.p_valid > row.p_incoherent) == (truth[row.unit_id] == "valid") for row in found.predicted]
    assert sum(right) >= 27
    valid = sum(truth[row.unit_id] == "valid" for row in found.predicted)
    assert found.report.remaining_low is not None
    assert found.report.remaining_high is not None
    assert found.report.remaining_low <= valid <= found.report.remaining_high
    assert prediction(study) == found


@pytest.mark.slow
def test_it_is_made_again_only_when_judgments_or_model_are_others(study: nextset.Study) -> None:
    judge(study, 50)
    predict_validity(study)
    before = open_artifact(study.out / "validator")
    predict_validity(study)
    assert open_artifact(study.out / "validator").key == before.key
    predict_validity(study, "builtin:nli-roberta")
    other = open_artifact(study.out / "validator")
    assert other.key != before.key
    assert other.table("report")["model"].to_pylist() == ["builtin:nli-roberta"]
    judge(study, 60)
    predict_validity(study)
    assert prediction(study) is not None
    assert open_artifact(study.out / "validator").key not in (before.key, other.key)


def test_what_it_refuses(study: nextset.Study) -> None:
    assert prediction(study) is None
    with pytest.raises(WaitingForPeople, match="0 valid, 0 invalid, 0 incoherent"):
        predict_validity(study)
    judge(study, 10)
    with pytest.raises(WaitingForPeople, match="too few verdicts to train"):
        predict_validity(study)
    with pytest.raises(ModelError):
        predict_validity(study, "builtin:no-such-model")
    assert prediction(study) is None


def test_a_rule_is_not_predicted(study: nextset.Study) -> None:
    file = study.folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: people", "judge: rule"))
    with pytest.raises(StudyError, match="a rule judges this study"):
        predict_validity(nextset.Study.load(study.folder))


def test_of_questions_a_model_has_to_be_named(root: Path) -> None:
    study = nextset.Study.load(root / "studies" / "hard_questions")
    with pytest.raises(StudyError, match="not NLI classifiers") as e:
        predict_validity(study)
    assert "--model" in e.value.remedy
