"""The search itself, on the built-in models: its gradient, its rows, its journal."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def written(folder: Path, form: str, *, twins: int = 12, **changed: Any) -> nextset.Study:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {"models": [MODELS[form]], "steps": 4, "candidates": 8, "batch": 4, **changed}
    data: dict[str, object] = {
        "format": 1, "name": "sought",
        "interventions": {"models": list(MODELS.values()), "most": 1, "twins": twins, "triggers": wanted},
        "templates": ["builtin:gender/man_is_to_surgeon", "builtin:gender/man_is_to_rational"],
        "questions": {"packs": ["builtin:en"], "classes": ["gender_sentiment"], "subset": 24},
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return nextset.Study.load(folder)


def untouched(study: nextset.Study, folder: Path) -> nextset.Study:
    """A copy of ``study`` before its search."""
    shutil.copytree(study.folder, folder, ignore=shutil.ignore_patterns("triggers*", JOURNALS))
    return nextset.Study.load(folder)


def changed_text(study: nextset.Study, before: str, after: str) -> nextset.Study:
    text = study.file.read_text(encoding="utf-8")
    assert before in text
    study.file.write_text(text.replace(before, after), encoding="utf-8")
    return nextset.Study.load(study.folder)


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
    nextset.generate(study)
    seek_triggers(study)
    return study, form


@pytest.fixture(scope="module")
def search(sought: tuple[nextset.Study, str]) -> GradientSearch:
    return search_of(sought[0])


questions_alone = pytest.mark.parametrize("sought", ["question"], indirect=True)


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


def test_the_gradient_is_that_of_small_steps(search: GradientSearch) -> None:
    """Embeddings of the trigger moved by a little: the loss changes by as much as the gradient says."""
    import torch

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


def test_with_the_whole_vocabulary_the_best_token_is_found(search: GradientSearch) -> None:
    trigger = search._first(0)
    allowed = np.flatnonzero(search.vocabulary.allowed[0])[:10]
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
    again = seek_triggers(untouched(study, tmp_path / "again"))
    assert bytes_of(again) == bytes_of(open_artifact(study.out / "triggers"))


STOPPED = """
import sys, nextset
def step(done, total):
    print(done, flush=True)
    if done == 2:
        sys.stdin.read()
nextset.seek_triggers(sys.argv[1], progress=lambda name: step)
"""


@pytest.mark.slow
@questions_alone
def test_a_killed_search_goes_on_and_ends_the_same(sought: tuple[nextset.Study, str], tmp_path: Path) -> None:
    killed = untouched(sought[0], tmp_path / "killed")
    command = [sys.executable, "-c", STOPPED, str(killed.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["1\n", "2\n"]
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    (journal,) = (killed.out / JOURNALS).glob("*")
    first, second = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + second + first[:40])  # a kill in the middle of a line
    resumed = seek_triggers(killed)
    assert bytes_of(resumed) == bytes_of(open_artifact(sought[0].out / "triggers"))
    assert journal.read_bytes().startswith(first + second)


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


@questions_alone
def test_readable_triggers_are_words(sought: tuple[nextset.Study, str], tmp_path: Path) -> None:
    study = changed_text(untouched(sought[0], tmp_path / "words"), "steps: 4", "steps: 2\n    words: true")
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
    tmp_path: Path, changed: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        written(tmp_path / "wrong", "question", **changed)


def test_without_twins_there_is_nothing_whose_answers_a_search_keeps(tmp_path: Path) -> None:
    study = written(tmp_path / "study", "question", twins=0)
    nextset.generate(study)
    with pytest.raises(StudyError, match="no specified twins"):
        seek_triggers(study)


@questions_alone
def test_a_model_behind_a_server_has_no_gradient(
    sought: tuple[nextset.Study, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    study = untouched(sought[0], tmp_path / "server")
    changed = changed_text(study, "builtin:qa-roformer", "openai:some-model")
    with pytest.raises(ModelError, match="gradients"):
        seek_triggers(changed)
