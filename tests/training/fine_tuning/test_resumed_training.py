"""A killed training goes on from its last checkpoint, and ends with the bytes of one that was not killed."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import Progress, Tick
from nextset.training.fine_tuning.sealed_checkpoints import SealedCheckpoints
from tests.forked_functions import forked
from tests.training.small_trainings import tiny_bert, written
from tests.training.squad_examples import write_reader_data

pytestmark = pytest.mark.slow


def _killed(file: Path, step: int, stage: str) -> None:
    """Train, and die when so many steps of ``stage`` are done."""

    def progress(name: str) -> Tick:
        def tick(done: int, total: int) -> None:
            if name == stage and done == step:
                os.kill(os.getpid(), signal.SIGKILL)

        return tick

    nextset.train_model(file, progress)


def _keys(folder: Path, **more: Any) -> dict[str, Any]:
    """A masked language model with dropout and random masks: both have to go on where they were."""
    lines = [f"The {a} dog {b} in the {c}." for a in ("old", "young") for b in ("sleeps", "runs", "sat")
             for c in ("garden", "house", "kitchen", "room")]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts.txt").write_text("\n".join(lines), encoding="utf-8")
    tiny_bert(folder / "tiny")
    return {
        "task": "masked_lm", "model": "./tiny", "train": ["texts.txt"], "validation": ["texts.txt"],
        "epochs": 4, "batch": 4, "rate": 0.005, "longest": 16, "evaluate_every": 8,
        "output": "trained", **more,
    }  # fmt: skip


def _kill(file: Path, step: int, stage: str = "train") -> Path:
    stderr = file.parent / "stderr.txt"
    assert forked(stderr, _killed, file, step, stage) == -signal.SIGKILL, stderr.read_text()
    (checkpoints,) = [p for p in (file.parent / "trained.checkpoints").iterdir() if p.is_dir()]
    return checkpoints


def _noting(seen: list[int]) -> Progress:
    """Write down the steps that are finished."""

    def progress(stage: str) -> Tick:
        return lambda done, total: seen.append(done) if stage == "train" else None

    return progress


def _bytes(artifact: Artifact) -> dict[str, bytes]:
    names = ("model.safetensors", "losses/00000.parquet", "figures/00000.parquet", "README.md")
    return {name: (artifact.folder / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    return _bytes(nextset.train_model(written(folder, **_keys(folder))))


def test_a_killed_training_ends_with_the_same_bytes(tmp_path: Path, whole: dict[str, bytes]) -> None:
    file = written(tmp_path, **_keys(tmp_path))
    checkpoints = _kill(file, 19)
    assert [p.name for p in sorted(checkpoints.iterdir())] == ["checkpoint-16", "checkpoint-8"]
    seen: list[int] = []
    found = nextset.train_model(file, _noting(seen))
    assert min(seen) == 16
    assert _bytes(found) == whole
    assert not (tmp_path / "trained.checkpoints").exists()


def test_a_long_training_has_the_same_losses(tmp_path: Path) -> None:
    """A loss is the mean of two steps or more here, and the checkpoint could be between them."""
    keys = {"epochs": 70, "evaluate_every": 133}
    whole = nextset.train_model(written(tmp_path / "whole", **_keys(tmp_path / "whole", **keys)))
    assert whole.table("losses")["step"].to_pylist()[:2] == [2, 4]
    file = written(tmp_path / "killed", **_keys(tmp_path / "killed", **keys))
    _kill(file, 140)
    assert _bytes(nextset.train_model(file)) == _bytes(whole)


def test_a_training_that_stopped_early_is_not_resumed_past_its_end(tmp_path: Path) -> None:
    """The rate rises in all steps, so that an evaluation after the end could be the best."""
    early = {"evaluate_every": 2, "patience": 1, "rate": 0.3, "warm_up": 1.0}
    keys = _keys(tmp_path / "whole", **early)
    whole = nextset.train_model(written(tmp_path / "whole", **keys))
    (run,) = whole.table("run").to_pylist()
    assert run["best_step"] < run["steps"] < run["planned_steps"]
    file = written(tmp_path / "killed", **_keys(tmp_path / "killed", **early))
    texts = 24  # the final evaluation, which comes after the last checkpoint, is at its end
    _kill(file, texts, "evaluate")
    found = nextset.train_model(file)
    assert found.table("run").to_pylist() == [run]
    assert _bytes(found) == _bytes(whole)


def test_a_damaged_checkpoint_is_not_resumed_from(tmp_path: Path, whole: dict[str, bytes]) -> None:
    file = written(tmp_path, **_keys(tmp_path))
    checkpoints = _kill(file, 19)
    state = checkpoints / "checkpoint-16" / "optimizer.pt"
    raw = bytearray(state.read_bytes())
    raw[len(raw) // 2] ^= 1
    state.write_bytes(raw)
    seen: list[int] = []
    found = nextset.train_model(file, _noting(seen))
    assert min(seen) == 8
    assert _bytes(found) == whole


def test_another_recipe_or_other_data_begin_anew(tmp_path: Path) -> None:
    keys = _keys(tmp_path)
    _kill(written(tmp_path, **keys), 19)
    for change in ({"seed": 1}, {}):
        if not change:
            with (tmp_path / "texts.txt").open("a") as texts:
                texts.write("\nThe cat sleeps.")
        seen: list[int] = []
        nextset.train_model(written(tmp_path, **{**keys, **change}), _noting(seen))
        assert min(seen) == 0
        shutil.rmtree(tmp_path / "trained")
    # the checkpoints of the training that was killed are still there, and it resumes from them
    with (tmp_path / "texts.txt").open("r+") as texts:
        texts.truncate((tmp_path / "texts.txt").stat().st_size - len("\nThe cat sleeps."))
    seen = []
    nextset.train_model(written(tmp_path, **keys), _noting(seen))
    assert min(seen) == 16
    assert not (tmp_path / "trained.checkpoints").exists()


def test_a_seal_is_for_one_training(tmp_path: Path) -> None:
    place = tmp_path / "checkpoint-3"
    place.mkdir()
    (place / "model.safetensors").write_bytes(b"weights")
    mine = SealedCheckpoints(tmp_path, "mine")
    mine.seal(3)
    assert mine.last() == place
    (place / "more.pt").write_bytes(b"")
    assert mine.last() is None
    assert not place.exists()
    place.mkdir()
    (place / "model.safetensors").write_bytes(b"weights")
    SealedCheckpoints(tmp_path, "other").seal(3)
    assert mine.last() is None


def _launched(file: Path) -> None:
    """What torchrun does with a script, with processes that need no imports."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    processes = LaunchConfig(
        1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", start_method="forkserver"
    )
    elastic_launch(processes, _trained)(file)


def _trained(file: Path) -> None:
    nextset.train_model(file)


def test_two_processes_train_together(tmp_path: Path) -> None:
    """gloo on this machine, as torchrun and accelerate start them; one evaluates and writes for both."""
    import torch
    from safetensors.torch import load

    write_reader_data(tmp_path, 48, 16)
    keys: dict[str, Any] = {
        "task": "qa", "model": "builtin:qa-roformer", "train": ["train.json"], "validation": ["dev.json"],
        "rate": 0.0001, "batch": 16, "longest": 64,
    }  # fmt: skip
    file = written(tmp_path, "together", **keys)
    stderr = tmp_path / "stderr.txt"
    assert forked(stderr, _launched, file) == 0, stderr.read_text()[-2000:]
    together, alone = nextset.train_model(file), nextset.train_model(written(tmp_path, "alone", **keys))
    assert together.built == "reused"
    runs = [one.table("run").to_pylist()[0] for one in (together, alone)]
    assert [(run["processes"], run["steps"]) for run in runs] == [(2, 6), (1, 6)]
    both, one = (load((f.folder / "model.safetensors").read_bytes()) for f in (together, alone))
    assert all(torch.allclose(both[name], tensor, atol=1e-4) for name, tensor in one.items())
