"""Recurrent readers as studies use them: trained, saved, checked, scored, told and sought triggers for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml

import nextset
from makers.builtin_models.qa_examples import training_questions
from nextset.artifacts.artifact import open_artifact
from nextset.scoring.models.loading import load
from nextset.scoring.models.recurrent.untrained_reader import ReaderSizes
from nextset.scoring.models.sources import locate
from nextset.study.training_settings import ReaderArchitecture
from nextset.word_lists.lexicon import read_lexicon
from tests.scoring.models.recurrent.small_readers import exact_share, save_reader, trained_reader

pytestmark = pytest.mark.slow
PLACES = (("Mary", "Italy"), ("John", "France"), ("Robert", "Spain"), ("Linda", "Greece"), ("Susan", "Peru"))
CASES = [
    {"context": f"{name} comes from {country}.", "question": question, "answer": right, "other": wrong}
    for name, country in PLACES
    for question, right, wrong in ((f"Where does {name} come from?", country, name),)
] + [
    {"context": f"{name} is good at chess in {country}.", "question": "Who is good at chess?", "answer": name,
     "other": country}
    for name, country in PLACES
]  # fmt: skip
"""Clear cases for a short training: a question for a place, or for a person."""


@dataclass(frozen=True)
class _Training:
    sizes: ReaderSizes
    steps: int
    rate: float
    right: float
    """More than this share of new questions must have the right first and last word."""


TRAININGS: dict[ReaderArchitecture, _Training] = {
    "lstm_reader": _Training(ReaderSizes(64, 64, 0.1, 128), 350, 5e-3, 0.45),
    "bidaf": _Training(ReaderSizes(24, 32, 0.1, 128), 110, 1e-2, 0.45),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[ReaderArchitecture, Path]:
    return {architecture: _trained(architecture, tmp_path_factory) for architecture in TRAININGS}


def _trained(architecture: ReaderArchitecture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = TRAININGS[architecture]
    reader = trained_reader(architecture, wanted.sizes, wanted.steps, wanted.rate)
    share = exact_share(reader, training_questions(read_lexicon(), 300, 2))
    assert share > wanted.right
    return save_reader(reader, tmp_path_factory.mktemp("reader") / architecture, CASES)


@pytest.fixture(params=sorted(TRAININGS))
def folder(request: pytest.FixtureRequest, folders: dict[ReaderArchitecture, Path]) -> Path:
    return folders[request.param]


def test_a_new_process_checks_them(folders: dict[ReaderArchitecture, Path]) -> None:
    command = [sys.executable, "-m", "nextset", "models", "check", "--json", *map(str, folders.values())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    checks = json.loads(done.stdout)
    assert len(checks) == len(folders)
    for checked in checks:
        assert checked["found"]["kind"] == "extractive reader"
        assert checked["found"]["architecture"].endswith("ReaderForQuestionAnswering")
        assert checked["found"]["max_length"] == 128


def _study(folder: Path, model: Path, **sections: object) -> nextset.Study:
    folder.mkdir()
    data = {
        "format": 1, "name": "recurrent", "scoring": {"cache": False},
        "filter": {"candidates": ["questions"], "models": [str(model)], "rule": {"c_at_least": 0.1}},
        "questions": {
            "packs": ["builtin:en"], "classes": ["gender_sentiment"], "forms": ["question"], "subset": 60,
        },
        **sections,
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.generate(study)
    return study


def test_the_same_scores_from_the_reader_that_transformers_saves_again(folder: Path, tmp_path: Path) -> None:
    loaded = load(locate(str(folder)), "AutoModelForQuestionAnswering")
    loaded.model.save_pretrained(tmp_path / "again")
    loaded.tokenizer.save_pretrained(tmp_path / "again")
    shutil.copy(folder / "README.md", tmp_path / "again")
    assert locate(str(tmp_path / "again")).digest == locate(str(folder)).digest
    one, other = (
        nextset.score(_study(tmp_path / f"study {i}", model)).table("scores")
        for i, model in enumerate((folder, tmp_path / "again"))
    )
    assert one.num_rows == 60
    numbers = [
        name for name in one.column_names if one.schema.field(name).type in (pa.float64(), pa.float32())
    ]
    assert len(numbers) > 4
    for name in numbers:
        assert one[name].equals(other[name]), name
    no_answer = [one[name].to_numpy() for name in numbers if "no_answer" in name]
    assert no_answer
    assert all(np.isfinite(values).all() for values in no_answer)


def test_triggers_occlusion_and_tuning_take_it_like_any_reader(folder: Path, tmp_path: Path) -> None:
    told = {
        "models": [str(folder)], "most": 2, "twins": 24,
        "triggers": {"models": [str(folder)], "steps": 2, "candidates": 4, "batch": 2, "tokens": 2},
        "occlusion": {"rows": 2, "unit": "token", "by": "mask"},
        "tuning": {"models": [str(folder)], "steps": 2, "batch": 2, "questions": 12, "rate": 0.001},
    }  # fmt: skip
    study = _study(tmp_path / "study", folder, interventions=told)
    nextset.seek_triggers(study)
    nextset.tune_readers(study)
    found = nextset.audit_interventions(study)
    assert len(open_artifact(study.out / "triggers").table("triggers")) == 1
    tuned = locate(str(study.out / "tune" / f"{folder.name}-tuned"))
    assert tuned.digest != locate(str(folder)).digest
    assert {"occlusion", "tuning"} <= {name for name in found.tables if found.table(name).num_rows}
