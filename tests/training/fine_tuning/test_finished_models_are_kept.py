"""nextset train never replaces what is in a folder that exists: models, cards and files of the user."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import FilePart, build
from nextset.artifacts.progress_callback import SILENT
from nextset.cli.app import app
from nextset.errors import InputError
from nextset.study.training_settings import read_training
from nextset.training.fine_tuning import model_training
from nextset.training.fine_tuning.model_training import _Job
from nextset.training.fine_tuning.processes import processes
from nextset.training.fine_tuning.recipe_changes import recipe_changes
from tests.forked_functions import forked
from tests.training.small_trainings import tiny_bert, written

LINES = [f"The {a} dog {b} in the garden." for a in ("old", "young") for b in ("sleeps", "runs")]


def _killed(file: Path, step: str) -> None:
    """Train, and die at ``step``."""

    def kill(*args: object, **more: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    renamed = Path.rename

    def rename(path: Path, target: Path) -> Path:
        if step == "rename" and path.name == "model":
            kill()
        return renamed(path, target)

    Path.rename = rename  # type: ignore[method-assign, assignment]
    names = {"build": "build", "card": "signed_card", "update": "update_card"}
    if step in names:
        setattr(model_training, names[step], kill)
    model_training.train_model(file)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "texts.txt").write_text("\n".join(LINES), encoding="utf-8")
    tiny_bert(folder / "tiny")
    return {
        "task": "masked_lm", "model": str(folder / "tiny"), "train": [str(folder / "texts.txt")],
        "epochs": 2, "batch": 4, "longest": 16,
    }  # fmt: skip


def _content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_another_training_does_not_replace_a_model(keys: dict[str, Any], tmp_path: Path) -> None:
    folder = nextset.train_model(written(tmp_path, **keys)).folder
    (folder / "README.md").write_text("my own card")
    (folder / "notes.txt").write_text("my own file")
    beside = [folder.with_name(f"{folder.name}{end}") for end in (".old", ".partial")]
    for place in beside:
        place.mkdir()
        (place / "backup.txt").write_text("my own backup")
    before = _content(tmp_path)
    done = CliRunner().invoke(app, ["train", str(written(tmp_path, **{**keys, "epochs": 1, "seed": 3}))])
    assert done.exit_code == 3
    shown = " ".join(done.output.split())
    assert "holds a model of a different training (changes: epochs 2 → 1, seed 0 → 3)" in shown
    assert "set a different output, or delete the folder" in shown
    (tmp_path / "more.txt").write_text("The cat runs.", encoding="utf-8")
    with pytest.raises(InputError, match=r"changes: the data of train\)"):
        nextset.train_model(written(tmp_path, **{**keys, "train": ["more.txt"]}))
    (tmp_path / "more.txt").unlink()
    assert nextset.train_model(written(tmp_path, **keys)).built == "reused"
    assert _content(tmp_path) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["training.yaml", folder.name, *(p.name for p in beside)]
    )


@pytest.mark.slow
def test_missing_files_are_made_again_and_changed_ones_stay(keys: dict[str, Any], tmp_path: Path) -> None:
    file = written(tmp_path, **keys)
    folder = nextset.train_model(file).folder
    (folder / "README.md").write_text("my own card")
    (folder / "notes.txt").write_text("my own file")
    before = _content(folder)
    (folder / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"were changed after training: config\.json"):
        nextset.train_model(file)
    assert _content(folder) == {**before, "config.json": b"{}"}
    (folder / "config.json").unlink()
    shutil.rmtree(folder / "losses")
    found = nextset.train_model(file)
    assert found.built == "repaired"
    assert set(found.remade) == {"config.json", "losses/00000.parquet"}
    assert _content(folder) == before
    (folder / "manifest.json").write_text((folder / "manifest.json").read_text()[:-20])
    with pytest.raises(InputError, match="does not say which training made the model"):
        nextset.train_model(file)
    assert set(_content(folder)) == set(before)


@pytest.mark.slow
def test_a_card_follows_the_file_until_it_is_edited(
    keys: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = {**keys, "licence": "mit", "about": "One.", "validation": list(keys["train"])}
    card = nextset.train_model(written(tmp_path, **first)).folder / "README.md"
    assert "texts.txt is validation and training data" in caplog.text
    assert "Validation data are also training data" in card.read_text()
    caplog.clear()
    assert nextset.train_model(written(tmp_path, **{**first, "about": "Two."})).built == "reused"
    assert "Two." in card.read_text()
    assert "One." not in card.read_text()
    edited = card.read_text().replace("Two.", "My own words.")
    card.write_text(edited)
    nextset.train_model(written(tmp_path, **{**first, "about": "Two."}))
    assert not caplog.messages  # the file says what it said
    nextset.train_model(written(tmp_path, **{**first, "about": "Two.", "licence": "gpl-3.0"}))
    assert "README.md was edited and stays unchanged" in caplog.text
    assert card.read_text() == edited


@pytest.mark.slow
def test_a_new_name_of_the_base_model_trains_nothing(keys: dict[str, Any], tmp_path: Path) -> None:
    shutil.copytree(keys["model"], tmp_path / "one")
    first = nextset.train_model(written(tmp_path, **{**keys, "model": "./one"}))
    (tmp_path / "one").rename(tmp_path / "two")
    again = nextset.train_model(written(tmp_path, **{**keys, "model": "./two"}))
    assert (again.built, again.digest) == ("reused", first.digest)
    assert "| base model | `two` |" in (again.folder / "README.md").read_text()


@pytest.mark.slow
def test_data_that_change_before_they_are_read_train_nothing(keys: dict[str, Any], tmp_path: Path) -> None:
    """The file is written anew after its digest is taken, when the training has been begun."""
    text = Path(keys["train"][0]).read_text()
    (tmp_path / "texts.txt").write_text(text)
    file = written(tmp_path, **{**keys, "train": ["texts.txt"]})
    job = _Job(file, read_training(file), processes())
    assert job.recipe.inputs["train 0"]
    (tmp_path / "texts.txt").write_text("The cat runs.")
    with pytest.raises(InputError, match="the file was changed while it was read"):
        job.artifact(SILENT)
    (tmp_path / "texts.txt").write_text(text)
    assert nextset.train_model(file).built == "made"


@pytest.mark.parametrize("what", ["a folder", "a file", "a link"])
def test_a_folder_of_checkpoints_of_another_program_stays(
    keys: dict[str, Any], tmp_path: Path, what: str
) -> None:
    place = tmp_path / "training-model.checkpoints"
    if what == "a folder":
        (place / "epoch-1").mkdir(parents=True)
        (place / "epoch-1" / "weights.pt").write_text("mine")
    elif what == "a file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path)
    before = _content(tmp_path)
    file = written(tmp_path, **keys)
    with pytest.raises(InputError, match="has files that `nextset train` did not make") as caught:
        nextset.train_model(file)
    assert "set a different output" in caught.value.remedy
    assert _content(tmp_path) == {**before, "training.yaml": file.read_bytes()}


BUILT = {"build": "made", "card": "resumed", "rename": "resumed", "update": "reused"}


@pytest.mark.slow
@pytest.mark.parametrize("step", BUILT)
def test_a_kill_at_any_step_of_the_end_loses_nothing(keys: dict[str, Any], tmp_path: Path, step: str) -> None:
    """A user's folders beside it stay, and the next run trains nothing that is finished."""
    backup = tmp_path / "training-model.old"
    backup.mkdir()
    (backup / "backup.txt").write_text("mine")
    file = written(tmp_path, **keys)
    stderr = tmp_path.with_suffix(".txt")
    assert forked(stderr, _killed, file, step) == -signal.SIGKILL, stderr.read_text()
    again = nextset.train_model(file)
    assert again.built == BUILT[step]
    assert again.damaged(deep=True) == ()
    assert (again.folder / "README.md").read_bytes().startswith(b"---")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "training-model", "training-model.old", "training.yaml",
    ]  # fmt: skip
    assert (backup / "backup.txt").read_text() == "mine"


def test_other_results_of_nextset_are_no_models(keys: dict[str, Any], tmp_path: Path) -> None:
    build(tmp_path / "training-model", Recipe("filter", 1), lambda: [FilePart("a.txt", lambda: b"a")])
    with pytest.raises(InputError, match="is not a model that `nextset train` made"):
        nextset.train_model(written(tmp_path, **keys))
    assert (tmp_path / "training-model" / "a.txt").read_bytes() == b"a"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is not a model that `nextset train` made"):
        nextset.train_model(written(tmp_path, **keys, output="file"))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is not a model that `nextset train` made"):
        nextset.train_model(written(tmp_path, **keys, output="link"))


def test_a_tilde_is_the_home_folder(
    keys: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "model").mkdir(parents=True)
    with pytest.raises(InputError, match=r"home/model exists and is not a model"):
        nextset.train_model(written(tmp_path / "study", **keys, output="~/model"))
    assert {p.name for p in (tmp_path / "study").iterdir()} == {"training.yaml"}


def test_changes_in_words() -> None:
    old = Recipe("train", 1, {"train 0": "a"}, {"epochs": 2, "rate": 2e-5, "labels": {}}, {"base": "x"})
    new = Recipe("train", 2, {"train 0": "b", "train 1": "c"}, {"epochs": 1, "rate": 0.001, "labels": ("a",)})
    assert recipe_changes(old.as_json(), new.as_json()) == [
        "epochs 2 → 1", "labels none → ['a']", "rate 2e-05 → 0.001", "the data of train", "the base model",
        "the version of nextset's training",
    ]  # fmt: skip
    assert recipe_changes(new.as_json(), new.as_json()) == recipe_changes(old.as_json(), old.as_json()) == []
