"""Models of a study: local folders, held-out models, models that change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

import nextset
from nextset.errors import ModelError
from nextset.scoring.models.sources import BUILTIN


@pytest.fixture
def study(starter_ran: Path, tmp_path: Path) -> Path:
    """A study that has a copy of a built-in model in a folder of its own."""
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    shutil.copytree(BUILTIN / "nli-electra", folder / "models" / "mine")
    return folder


def models(folder: Path, filter_models: str, held_out: str) -> nextset.Study:
    file = folder / "study.yaml"
    lines = file.read_text().splitlines()
    lines = [f"  models: [{filter_models}]" if line.startswith("  models:") else line for line in lines]
    lines = [f"  held_out: [{held_out}]" if line.startswith("  held_out:") else line for line in lines]
    file.write_text("\n".join(lines) + "\n")
    return nextset.Study.load(folder)


def test_a_folder_is_seen_from_the_study(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(study.parent)
    scores = nextset.score(models(study, "models/mine", "builtin:nli-albert")).table("scores")
    assert set(scores["model"].to_pylist()) == {"mine"}


def test_a_held_out_model_is_known_by_its_weights(study: Path) -> None:
    with pytest.raises(
        ModelError, match="builtin:nli-electra has the same weights as the filter's models/mine"
    ):
        nextset.score(models(study, "models/mine", "builtin:nli-electra"))


def test_a_changed_model_makes_its_scores_stale(study: Path) -> None:
    loaded = models(study, "models/mine", "builtin:nli-albert")
    nextset.score(loaded)
    assert {s.stage: s.state for s in nextset.status(loaded)}["score"] == "done"
    config = study / "models" / "mine" / "config.json"
    config.write_text(config.read_text() + "\n")
    assert {s.stage: s.state for s in nextset.status(loaded)}["score"] == "stale"


def test_models_in_another_order_are_another_artifact(study: Path) -> None:
    """Shards follow the models' order, so a damaged one must never be made again as another model's."""
    names = "builtin:nli-bart, builtin:nli-roberta"
    nextset.score(models(study, names, "builtin:nli-albert"))
    turned = models(study, "builtin:nli-roberta, builtin:nli-bart", "builtin:nli-albert")
    assert nextset.score(turned).built == "made"


def test_a_model_that_is_not_there_costs_no_finished_work(study: Path) -> None:
    before = {p: p.read_bytes() for p in (study / "out").rglob("*.parquet")}
    with pytest.raises(ModelError, match="there is no built-in model 'nli-elektra'") as caught:
        nextset.run(models(study, "builtin:nli-elektra", "builtin:nli-albert"))
    assert "builtin:nli-electra" in caught.value.remedy
    assert {p: p.read_bytes() for p in (study / "out").rglob("*.parquet")} == before


def test_no_path_of_this_machine_is_published(study: Path, tmp_path: Path) -> None:
    nets = tmp_path / "home" / "jane.doe" / "nets"
    for name in ("masked-lm", "nli-electra", "nli-bart", "nli-albert", "nli-roberta"):
        shutil.copytree(BUILTIN / name, nets / name)
    (nets / "corpus.txt").write_text("Nothing that the study has.", encoding="utf-8")
    written = yaml.safe_load((study / "study.yaml").read_text(encoding="utf-8"))
    written["fill"]["model"] = str(nets / "masked-lm")
    written["filter"] |= {"models": [str(nets / n) for n in ("nli-electra", "nli-bart")], "cascade": True}
    written["filter"]["held_out"] = [str(nets / "nli-albert")]
    written["audit"] = {"models": [str(nets / "nli-roberta")]}
    written["models"] = {str(nets / "nli-bart"): {"label": "second"}}
    written["release"]["overlap"] = {"against": [str(nets / "corpus.txt")]}
    (study / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    shutil.rmtree(study / "out")
    version = nextset.run(nextset.Study.load(study)).dataset
    assert version is not None
    published = [*version.rglob("*"), *(study / "out").rglob("*.html"), *(study / "out").rglob("*.parquet")]
    for file in filter(Path.is_file, published):
        raw = file.read_bytes()
        assert b"jane.doe" not in raw, file
        if file.suffix == ".parquet":
            assert "jane.doe" not in str(pq.read_table(file).to_pylist()), file
    card = (version / "README.md").read_text(encoding="utf-8")
    for name in ("masked-lm", "nli-electra", "second", "nli-albert"):
        assert f"| {name} | " in card
    assert "| corpus.txt | " in card
    missed = pq.read_table(next((version / "data" / "items").glob("test-*")))["missed_by"].to_pylist()
    assert {name for names in missed for name in names or ()} <= {"nli-electra", "second"}
