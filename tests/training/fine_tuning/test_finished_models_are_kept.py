"""nextset train never replaces what is in a folder that exists: models, cards and files of the user."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import FilePart, build
from nextset.cli.app import app
from nextset.errors import InputError
from nextset.training.fine_tuning.recipe_changes import recipe_changes
from tests.training.small_trainings import tiny_bert, written

LINES = [f"The {a} dog {b} in the garden." for a in ("old", "young") for b in ("sleeps", "runs")]


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
    assert "holds a model of another training (what changed: epochs 2 → 1, seed 0 → 3)" in shown
    assert "write another output, or delete the folder" in shown
    (tmp_path / "more.txt").write_text("The cat runs.", encoding="utf-8")
    with pytest.raises(InputError, match=r"what changed: the data of train\)"):
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
    with pytest.raises(InputError, match=r"files that are not as they were written: config\.json"):
        nextset.train_model(file)
    assert _content(folder) == {**before, "config.json": b"{}"}
    (folder / "config.json").unlink()
    shutil.rmtree(folder / "losses")
    found = nextset.train_model(file)
    assert found.built == "repaired"
    assert set(found.remade) == {"config.json", "losses/00000.parquet"}
    assert _content(folder) == before
    (folder / "manifest.json").write_text((folder / "manifest.json").read_text()[:-20])
    with pytest.raises(InputError, match="does not say which training the model is of"):
        nextset.train_model(file)
    assert set(_content(folder)) == set(before)


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


def test_changes_in_words() -> None:
    old = Recipe("train", 1, {"train 0": "a"}, {"epochs": 2, "rate": 2e-5, "labels": {}}, {"base": "x"})
    new = Recipe("train", 2, {"train 0": "b", "train 1": "c"}, {"epochs": 1, "rate": 0.001, "labels": ("a",)})
    assert recipe_changes(old.as_json(), new.as_json()) == [
        "epochs 2 → 1", "labels none → ['a']", "rate 2e-05 → 0.001", "the data of train", "the base model",
        "the version of nextset's training",
    ]  # fmt: skip
    assert recipe_changes(new.as_json(), new.as_json()) == recipe_changes(old.as_json(), old.as_json()) == []
