from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nextset.release.dataset_card.card_facts import Card, CardModel
from nextset.release.dataset_card.croissant import CROISSANT, croissant_json
from nextset.release.dataset_card.croissant_records import node_id
from nextset.release.dataset_card.paper_tables import PartStages, StageCount
from nextset.release.version_folder.release_manifest import ReleaseManifest
from tests.release.card_example import full_card
from tests.release.dataset_example import manifest_of, write_items, write_quads

RAI = (
    "dataCollection", "dataBiases", "personalSensitiveInformation", "dataAnnotationProtocol",
    "annotatorDemographics", "dataUseCases", "dataLimitations", "dataSocialImpact",
    "dataReleaseMaintenancePlan", "dataPreprocessingProtocol", "machineAnnotationTools",
)  # fmt: skip

# rdflib, which mlcroissant uses, warns about its own classes
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:rdflib", "ignore::DeprecationWarning:mlcroissant"
)


@pytest.fixture
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level("CRITICAL"):
        yield


def dataset_of(jsonld: Any) -> Any:
    """Return the dataset that mlcroissant reads from a file or a document; errors are exceptions."""
    from mlcroissant import Dataset  # type: ignore[import-untyped,unused-ignore]

    return Dataset(jsonld=jsonld)


def read(folder: Path, card: Card, manifest: ReleaseManifest) -> Any:
    """Write croissant.json and return the dataset that mlcroissant reads from it."""
    (folder / CROISSANT).write_bytes(croissant_json(manifest, card))
    return dataset_of(str(folder / CROISSANT))


def text_of(value: Any) -> Any:
    """Return records with text in place of bytes."""
    if isinstance(value, dict):
        return {k.rpartition("/")[2]: text_of(v) for k, v in value.items()}
    if isinstance(value, list):
        return [text_of(v) for v in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.slow
@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("write", [write_items, write_quads])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_mlcroissant_validates_it(tmp_path: Path, write: Callable[[Path], Any], version: str) -> None:
    card, manifest = write(tmp_path)
    raw = croissant_json(manifest, card)
    assert raw == croissant_json(manifest, card)
    written = json.loads(raw)
    written["conformsTo"][0] = f"http://mlcommons.org/croissant/{version}"
    metadata = dataset_of(written).metadata
    assert metadata.ctx.issues.errors == set()
    # no date of publication is known when the folder is written
    assert [w for w in metadata.ctx.issues.warnings if "datePublished" not in str(w)] == []
    assert (metadata.name, str(metadata.version)) == ("left-right", "1.1.0")
    for field in RAI:
        assert written[f"rai:{field}"] or field == "machineAnnotationTools"
    assert metadata.data_biases
    assert metadata.data_social_impact.startswith("Content warning")


@pytest.mark.slow
@pytest.mark.usefixtures("_quiet")
def test_mlcroissant_reads_the_records(tmp_path: Path) -> None:
    card, manifest = write_items(tmp_path)
    dataset = read(tmp_path, card, manifest)
    found = [text_of(record) for record in dataset.records("items")]
    assert len(found) == 14
    assert {(r["split"], r["domain"]) for r in found} == {
        ("test", "handedness"), ("test", "height"), ("controls", "handedness"),
    }  # fmt: skip
    first = next(r for r in found if r["domain"] == "height")
    assert (first["label"], first["missed_by"], first["n_judgments"]) == (1, ["a"], 3)
    assert first["bindings"]["group1"] == "left-handed"
    assert first["fills"] == [{"word": "calm", "rank": 1, "score": 0.5}]
    names = [text_of(record) for record in dataset.records("names-of-label")]
    assert [r["name"] for r in names] == ["entailment", "neutral", "contradiction"]
    stances = [text_of(record)["stance_judged"] for record in dataset.records("judgments")]
    assert stances == [0, None]
    assert len(list(dataset.records("handedness"))) == 10


@pytest.mark.slow
@pytest.mark.usefixtures("_quiet")
def test_mlcroissant_reads_quads(tmp_path: Path) -> None:
    card, manifest = write_quads(tmp_path)
    dataset = read(tmp_path, card, manifest)
    (first, *others) = [text_of(record) for record in dataset.records("questions")]
    assert len(others) == 3
    assert first["subject1_in_12"] == {"start": 4, "end": 8}
    assert len(list(dataset.records("statements"))) == 2


def test_files_are_listed_with_their_hashes_by_relative_paths(tmp_path: Path) -> None:
    card, manifest = write_items(tmp_path)
    written = json.loads(croissant_json(manifest, card))
    objects = [d for d in written["distribution"] if d["@type"] == "cr:FileObject"]
    assert [(o["contentUrl"], o["sha256"]) for o in objects] == [(f.path, f.sha256) for f in manifest.files]
    assert not any(o["contentUrl"].startswith(("/", "http")) for o in objects)
    sets = {d["name"]: d["includes"] for d in written["distribution"] if d["@type"] == "cr:FileSet"}
    assert all("height" in path for path in sets["the files of height"])
    assert len(sets["the files of items"]) == 6


def test_only_facts_of_this_version_are_stated(tmp_path: Path) -> None:
    card = full_card(license="", authors=(), demographics=(), judge="rule")
    manifest = manifest_of(card, ())
    written = json.loads(croissant_json(manifest, card))
    assert "license" not in written
    assert "creator" not in written
    assert "checked their form" in written["rai:dataAnnotationProtocol"][0]
    assert written["rai:annotatorDemographics"] == ["There were no annotators."]
    assert written["rai:dataAnnotationAnalysis"] == []
    people = json.loads(croissant_json(manifest_of(full_card(), ()), full_card()))
    assert people["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert [c["@type"] for c in people["creator"]] == ["sc:Person", "sc:Organization"]
    assert "k = 5" in people["rai:personalSensitiveInformation"][1]
    assert any("one group has no opposite" in text for text in people["rai:dataLimitations"])


def test_what_was_only_imported_is_not_said_to_come_from_templates() -> None:
    part = PartStages("hands", "s", 2, 60, 100, 30, 4, 2, 2)
    card = full_card(models=(), parts=(part,), stages=(StageCount("imported", 100),))
    written = json.loads(croissant_json(manifest_of(card, ()), card))
    assert written["rai:dataCollection"] == "The authors imported their own pairs (100)."
    told = json.dumps(written, ensure_ascii=False)
    assert "masked language model" not in told
    assert "from templates" not in told
    # the judgments of a file say nothing about what annotators were shown
    assert "consented" not in told


def test_the_mask_is_said_to_be_filled_only_if_a_model_filled_it() -> None:
    filled = full_card(models=(CardModel("m", "r", "fill"),))
    told = json.loads(croissant_json(manifest_of(filled, ()), filled))["rai:dataCollection"]
    assert "a masked language model that saw" in told
    unfilled = full_card(models=(CardModel("m", "r", "filter"),))
    told = json.loads(croissant_json(manifest_of(unfilled, ()), unfilled))["rai:dataCollection"]
    assert "masked language model" not in told


@pytest.mark.slow
@pytest.mark.usefixtures("_quiet")
def test_hostile_names_stay_valid(tmp_path: Path) -> None:
    nasty = 'a b\n"}{\\ <x> ü\u2028'
    card, manifest = write_items(tmp_path)
    configs = tuple(dataclasses.replace(c, name=f"{nasty} {c.name}", meaning=nasty) for c in card.configs)
    card = dataclasses.replace(card, about=nasty, rule=nasty, configs=configs)
    manifest = dataclasses.replace(manifest, authors=(nasty,), name="left-right")
    written = json.loads(croissant_json(manifest, card))
    assert dataset_of(written).metadata.ctx.issues.errors == set()
    assert node_id("a b/ü") == "a~20~b/~fc~"
