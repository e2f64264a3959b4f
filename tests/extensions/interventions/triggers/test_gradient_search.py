"""The search itself, on the built-in models: its gradient, its rows, its journal."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

import nextset
from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.errors import ModelError, StudyError
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of
from nextset.extensions.interventions.triggers.gradient_search import GradientSearch, SearchJournal, promising
from nextset.extensions.interventions.triggers.stage import (
    JOURNALS,
    _found,
    _searches,
    seek_triggers,
    triggers_recipe,
)

MODELS = {"question": "builtin:qa-roformer", "statement": "builtin:masked-lm", "nli": "builtin:nli-electra"}


def written(folder: Path, form: str, **changed: object) -> nextset.Study:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {"models": [MODELS[form]], "steps": 4, "candidates": 8, "batch": 4, **changed}
    data: dict[str, object] = {
        "format": 1, "name": "sought",
        "interventions": {"models": list(MODELS.values()), "most": 1, "twins": 12, "triggers": wanted},
        "templates": ["builtin:gender/man_is_to_surgeon", "builtin:gender/man_is_to_rational"],
        "questions": {"packs": ["builtin:en"], "classes": ["gender_sentiment"], "subset": 24},
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.generate(study)
    return study


def search_of(study: nextset.Study) -> GradientSearch:
    settings = intervention_settings_of(study)
    assert settings is not None
    assert settings.triggers is not None
    (first, *_) = _searches(study, triggers_recipe(study).key)
    return _found(study, first, settings, settings.triggers, lambda: None)[1]


@pytest.fixture(scope="module", params=sorted(MODELS))
def sought(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[nextset.Study, str]:
    form = request.param
    study = written(tmp_path_factory.mktemp(form) / "study", form)
    seek_triggers(study)
    return study, form


def test_a_trigger_is_an_intervention_that_lowers_the_loss(sought: tuple[nextset.Study, str]) -> None:
    study, form = sought
    found = open_artifact(study.out / "triggers")
    rows, steps = found.table("triggers").to_pylist(), found.table("search").to_pylist()
    assert {r["form"] for r in rows} == {form}
    for row in rows:
        assert row["kind"] == "trigger"
        own = [s for s in steps if s["subject_class"] in (*row["classes"], *row["domains"])]
        assert len(own) == 4
        losses = [s["loss_sample"] for s in own if s["loss_sample"] is not None]
        assert row["loss_after"] <= min(losses, default=row["loss_after"])


def test_no_row_of_a_held_out_template_is_ever_read(sought: tuple[nextset.Study, str]) -> None:
    study, _ = sought
    held_out = {s["template_id"] for s in open_artifact(study.out / "triggers").table("splits").to_pylist()
                if s["held_out"]}  # fmt: skip
    assert held_out
    for search in _searches(study, triggers_recipe(study).key):
        rows = search.rows.rows
        for table in (rows.compared, rows.known):
            assert held_out.isdisjoint(table["template_id"].to_pylist())


def test_the_gradient_is_that_of_small_steps(sought: tuple[nextset.Study, str]) -> None:
    """Embeddings of the trigger moved by a little: the loss changes by as much as the gradient says."""
    import torch

    search = search_of(sought[0])
    batch = search.sample
    trigger = search._first(0)
    slope = batch.gradient(trigger)
    table = search.model.loaded.model.get_input_embeddings().weight
    position, token = len(trigger) - 1, trigger[-1]
    direction = torch.sign(slope.gradient[position]).to(table)
    assert slope.loss == pytest.approx(batch.losses([trigger])[0], rel=1e-5)
    assert not any(token in e.ids for e in batch.encoded.inputs)  # so that only the trigger has it
    size = 1e-3
    with torch.no_grad():
        before = table[token].clone()
        losses = []
        for sign in (1, -1):
            table[token] = before + sign * size * direction
            losses.append(batch.losses([trigger])[0])
        table[token] = before
    measured = (losses[0] - losses[1]) / (2 * size)
    others = [i for i, t in enumerate(trigger) if t == token]
    expected = sum(float((slope.gradient[i].to(direction) * direction).sum()) for i in others)
    assert measured == pytest.approx(expected, rel=0.05, abs=1e-6)


def test_with_the_whole_vocabulary_the_best_token_is_found(sought: tuple[nextset.Study, str]) -> None:
    search = search_of(sought[0])
    trigger = search._first(0)
    allowed = np.flatnonzero(search.vocabulary.allowed[0])[:40]
    losses = search.sample.losses([(int(t), *trigger[1:]) for t in allowed])
    slope = search.sample.gradient(trigger)
    table = search.model.loaded.model.get_input_embeddings().weight
    every = promising(table, slope.gradient[0], allowed, len(allowed))
    assert sorted(every) == sorted(allowed.tolist())
    again = search.sample.losses([(t, *trigger[1:]) for t in every])
    assert min(again) == pytest.approx(min(losses), rel=1e-6)


def bytes_of(artifact: Artifact) -> dict[str, bytes]:
    return {s.file: (artifact.folder / s.file).read_bytes() for s in artifact.shards}


def test_the_same_study_gives_the_same_bytes(sought: tuple[nextset.Study, str], tmp_path: Path) -> None:
    study, _ = sought
    shutil.copytree(study.folder, tmp_path / "again", ignore=shutil.ignore_patterns("triggers*", JOURNALS))
    again = seek_triggers(tmp_path / "again")
    assert bytes_of(again) == bytes_of(open_artifact(study.out / "triggers"))


@pytest.mark.slow
def test_a_killed_search_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    study = written(tmp_path / "whole", "question", steps=12)
    shutil.copytree(study.folder, tmp_path / "killed")
    code = f"import nextset; nextset.seek_triggers({str(tmp_path / 'killed')!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        journals = tmp_path / "killed" / "out" / JOURNALS
        while process.poll() is None:
            lines = (
                sum(len(p.read_bytes().splitlines()) for p in journals.glob("*")) if journals.is_dir() else 0
            )
            if lines >= 3:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    recorded = sum(len(p.read_bytes().splitlines()) for p in journals.glob("*"))
    assert 3 <= recorded < 12
    assert bytes_of(seek_triggers(tmp_path / "killed")) == bytes_of(seek_triggers(study))


def test_the_steps_of_another_search_are_not_taken(sought: tuple[nextset.Study, str], tmp_path: Path) -> None:
    study, _ = sought
    (file, *_) = sorted((study.out / JOURNALS).glob("*.jsonl"))
    assert SearchJournal(file).steps(0)
    other = tmp_path / "other.jsonl"
    shutil.copy(file, other)
    assert SearchJournal(other).steps(0) == []


def test_triggers_of_every_form_are_measured_on_held_out_templates(
    sought: tuple[nextset.Study, str], tmp_path: Path
) -> None:
    study, form = sought
    shutil.copytree(study.folder, tmp_path / "study")
    copy = nextset.Study.load(tmp_path / "study")
    nextset.audit_interventions(copy)
    (trigger, *_) = open_artifact(copy.out / "triggers").table("triggers").to_pylist()
    changes = open_artifact(copy.out / "interventions").table("changes").to_pylist()
    rows = [r for r in changes if r["intervention"] == trigger["id"] and r["selection"] == "all"]
    assert rows
    assert {r["form"] for r in rows} == {form}
    splits = open_artifact(copy.out / "triggers").table("splits").to_pylist()
    hidden = {s["template_id"] for s in splits if s["held_out"] and s["form"] == form}
    name = {"question": "quads", "statement": "statements", "nli": "items"}[form]
    items = open_artifact(copy.out / "generate").table(name).to_pylist()
    n = sum(r["template_id"] in hidden for r in items)
    if form == "nli":  # each measure counts the items of some labels
        assert 0 < max(r["n"] for r in rows) <= n
    else:
        assert {r["n"] for r in rows if r["measure"] == "mu"} == {n}


def test_readable_triggers_are_words(tmp_path: Path) -> None:
    study = written(tmp_path / "words", "question", words=True, steps=2)
    for row in seek_triggers(study).table("triggers").to_pylist():
        assert all(word.isalpha() and len(word) > 1 for word in row["text"].split())


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"models": ["openai:some-model"]}, StudyError, "not in interventions.models"),
        ({"steps": 0}, StudyError, "steps"),
        ({"held_out": 1.0}, StudyError, "held_out"),
        ({"accuracy_weight": -1}, StudyError, "accuracy_weight"),
    ],
)
def test_wrong_settings_are_refused(
    tmp_path: Path, changed: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        written(tmp_path / "wrong", "question", **changed)


def test_without_twins_there_is_nothing_whose_answers_a_search_keeps(tmp_path: Path) -> None:
    study = written(tmp_path / "study", "question")
    text = study.file.read_text(encoding="utf-8").replace("twins: 12", "twins: 0")
    study.file.write_text(text, encoding="utf-8")
    changed = nextset.Study.load(study.folder)
    nextset.generate(changed)
    with pytest.raises(StudyError, match="no specified twins"):
        seek_triggers(changed)


def test_a_model_behind_a_server_has_no_gradient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    study = written(tmp_path / "server", "question")
    text = study.file.read_text(encoding="utf-8").replace("builtin:qa-roformer", "openai:some-model")
    study.file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="gradients"):
        seek_triggers(study.folder)
