"""The validator model on a study: features of a real model, judgments from an export, an artifact."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.artifact import Recipe, open_artifact
from nextset.build import Made, Part, build
from nextset.cli.validator import predict_validity
from nextset.errors import ModelError, StudyError, WaitingForPeople
from nextset.items import Bindings, NliItem, content_id, table_of
from tests.records import ITEM
from validation.kept import kept_units
from validation.validator.stage import prediction

ENDS = {"valid": ("is brave", "was kind"), "incoherent": ("the the of", "and of by")}


def item(i: int, verdict: str) -> NliItem:
    text = f"The {('doctor', 'nurse', 'woman', 'man')[i % 4]} {ENDS[verdict][i // 4 % 2]} {i}."
    bindings = Bindings("men", "women")
    return replace(ITEM, id=content_id("item", text), hypothesis=text, bindings=bindings)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nextset.Study:
    """A study whose filter kept 48 valid and 32 incoherent hypotheses."""
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    folder = nextset.new_study(tmp_path / "mine")
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: rule", "judge: people"))
    study = nextset.Study.load(folder)
    kept = table_of([item(i, "valid" if i % 5 < 3 else "incoherent") for i in range(80)], NliItem)
    build(study.out / "filter", Recipe("filter", 1), lambda: [Part("kept", lambda: Made(kept))])
    return study


def judge(study: nextset.Study, n: int) -> dict[str, str]:
    """One person judges the first ``n`` units; the true verdict of every unit."""
    truth = {
        row["unit_id"]: "incoherent" if row["hypothesis"].split(" ", 2)[2][:3] in ("the", "and") else "valid"
        for row in kept_units(study).to_pylist()
    }
    tasks = json.loads(nextset.export_tasks(study).tasks.read_text())
    for i, task in enumerate(tasks[:n]):
        task["annotations"] = [_annotation(i + 1, truth[task["data"]["unit_id"]])]
    file = study.folder / "export.json"
    file.write_text(json.dumps(tasks[:n]))
    nextset.import_judgments(study, file)
    return truth


def _annotation(number: int, verdict: str) -> dict[str, Any]:
    given = {"verdict": verdict} | ({"stance": "pro"} if verdict == "valid" else {})
    return {
        "id": number,
        "completed_by": 1,
        "was_cancelled": False,
        "result": [
            {"from_name": name, "to_name": "hypothesis", "type": "choices", "value": {"choices": [value]}}
            for name, value in given.items()
        ],
        "updated_at": "2026-01-01T10:00:00Z",
        "lead_time": 4.5,
    }


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
    with pytest.raises(WaitingForPeople, match="wait for people"):
        predict_validity(study)
    judge(study, 10)
    with pytest.raises(WaitingForPeople, match="too little to learn from"):
        predict_validity(study)
    with pytest.raises(ModelError):
        predict_validity(study, "builtin:no-such-model")
    assert prediction(study) is None


def test_a_rule_is_not_predicted(study: nextset.Study) -> None:
    file = study.folder / "study.yaml"
    file.write_text(file.read_text().replace("judge: people", "judge: rule"))
    with pytest.raises(StudyError, match="a rule judges"):
        predict_validity(nextset.Study.load(study.folder))
