"""The packs of a study are read again as the stage generate read them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.artifacts.manifest import read_manifest, write_manifest
from nextset.errors import ArtifactError, DamagedShard
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.snapshot_packs import snapshot_sets

HERE = Path(__file__).parent


@pytest.fixture
def study(tmp_path: Path) -> nextset.Study:
    for name in ("small_pack", "small_published"):
        shutil.copytree(HERE / name, tmp_path / "study" / name)
    text = "format: 1\nname: pets\nquestions: {packs: [small_pack, small_published]}\n"
    (tmp_path / "study" / "study.yaml").write_text(text)
    study = nextset.Study.load(tmp_path / "study")
    nextset.generate(study)
    return study


def texts(study: nextset.Study) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {"quads": [], "statements": []}
    for s in snapshot_sets(study.out / "generate"):
        rows = quad_table(s, full_cells(s, range(s.n_pairs))).to_pylist()
        found["quads" if s.form == "question" else "statements"] += rows
    return found


def test_packs_that_changed_or_went_are_read_as_they_were(study: nextset.Study) -> None:
    made = open_artifact(study.out / "generate")
    before = {name: made.table(name).to_pylist() for name in ("quads", "statements")}
    assert texts(study) == before
    cats = study.folder / "small_pack" / "subjects" / "cats.yaml"
    cats.write_text(cats.read_text().replace("Ivy", "Eve"))
    assert texts(study) == before
    shutil.rmtree(study.folder / "small_published")
    assert texts(study) == before


def changed(generated: Path, settings: dict[str, Any]) -> None:
    manifest = read_manifest(generated)
    recipe = json.loads(json.dumps(dict(manifest.recipe)))
    recipe["settings"] |= settings
    write_manifest(generated, manifest.model_copy(update={"recipe": recipe}))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"packs": []}, "does not list the files of its packs"),
        ({"packs": [{"../pack.yaml": "pack.yaml"}]}, "'../pack.yaml' is not a path within a pack"),
        ({"packs": [{"pack.yaml": "pack.yaml"}]}, "can no longer be read"),
    ],
)
def test_a_manifest_that_names_no_packs_is_refused(
    study: nextset.Study, settings: dict[str, Any], says: str
) -> None:
    changed(study.out / "generate", settings)
    with pytest.raises(ArtifactError, match=says) as caught:
        snapshot_sets(study.out / "generate")
    assert "nextset generate" in caught.value.remedy


def test_an_altered_snapshot_is_refused(study: nextset.Study) -> None:
    snapshot = next((study.out / "generate" / "snapshots").glob("*cats.yaml"))
    snapshot.write_text(snapshot.read_text() + "\n")
    with pytest.raises(DamagedShard, match="altered"):
        snapshot_sets(study.out / "generate")
