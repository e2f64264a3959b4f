"""A reader in which one word of the context alone decides: without it C is 0, and no other changes it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from math import tanh
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml

import nextset
from makers.planted_bias.planted_models import PlantedReader, save_planted
from makers.planted_bias.planted_study import (
    CONTEXTS,
    HABITS,
    OTHERS,
    POLARITY,
    SUBJECTS,
    write_question_study,
)
from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.errors import ModelError
from nextset.extensions.interventions.audit.report_stage import report_interventions
from nextset.extensions.interventions.audit.stage import _occlusion_requests, audit_interventions
from nextset.extensions.interventions.occlusion.occlusion_figures import occlusion_figures
from nextset.extensions.interventions.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.extensions.interventions.occlusion.occlusion_tables import occlusion_tables

SLOPE = 0.75
"""What the place of a context adds to the strength of every habit, which is 0 without it."""
FILE = {
    "format": 1, "language": "en", "source": "made for a test", "classes": ["club"],
    "interventions": {"ethical": {"shed": {"text": "The shed <b>waited</b> & [so] on."}}},
}  # fmt: skip


def study_of(folder: Path, **occlusion: object) -> nextset.Study:
    subjects = [*SUBJECTS["velm"], *SUBJECTS["tarn"]]
    reader = PlantedReader(
        group={x: 1 if x in SUBJECTS["velm"] else -1 for x in subjects},
        own=dict.fromkeys(subjects, 0.0),
        strength=dict.fromkeys(HABITS, 0.0),
        slope=dict.fromkeys(CONTEXTS, SLOPE),
        tilt={},
        polarity=POLARITY,
        others=OTHERS,
    )
    save_planted(reader, folder / "reader")
    write_question_study(folder, ["reader"], members=3)
    (folder / "told.yaml").write_text(yaml.safe_dump(FILE), encoding="utf-8")
    written = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    written["interventions"] = {
        "models": ["reader"], "sentences": ["told.yaml"], "twins": 0, "occlusion": {"rows": 8, **occlusion},
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.generate(study)
    return study


@pytest.fixture(scope="module")
def erased(tmp_path_factory: pytest.TempPathFactory) -> tuple[nextset.Study, Artifact]:
    study = study_of(tmp_path_factory.mktemp("erased"))
    return study, audit_interventions(study)


def test_only_the_word_that_decides_changes_anything(erased: tuple[nextset.Study, Artifact]) -> None:
    rows = erased[1].table("occlusion").to_pylist()
    assert {r["item_id"] for r in rows if r["intervention"] == ""} == {r["item_id"] for r in rows}
    for row in rows:
        # the logits of the subjects differ by 2 · slope, so |C| = tanh(slope); the first club is subject 1
        assert row["value"] == pytest.approx(tanh(SLOPE), abs=1e-4)
        expected = 0.0 if row["text"] in CONTEXTS else tanh(SLOPE)
        assert row["occluded_value"] == pytest.approx(expected, abs=1e-4), row
        assert row["change"] == pytest.approx(row["occluded_value"] - row["value"])


def test_every_word_of_context_and_sentence_is_erased_and_no_subject(
    erased: tuple[nextset.Study, Artifact],
) -> None:
    rows = erased[1].table("occlusion").to_pylist()
    subjects = {*SUBJECTS["velm"], *SUBJECTS["tarn"]}
    for item in {r["item_id"] for r in rows}:
        own = [r for r in rows if r["item_id"] == item]
        words = [r["text"] for r in own if r["intervention"] == ""]
        assert words[:3] == ["met", "at", "the"]
        assert words[3] in CONTEXTS
        assert subjects.isdisjoint(words)
        sentence = [r["text"] for r in own if r["part"] == "intervention"]
        assert {"shed", "waited", "so", "on"} <= set(sentence)


def test_averages_by_template_are_means_of_its_rows(erased: tuple[nextset.Study, Artifact]) -> None:
    rows = erased[1].table("occlusion").to_pylist()
    for average in erased[1].table("occlusion_by_template").to_pylist():
        key = ("template_id", "intervention", "part", "place", "units")
        own = [r for r in rows if all(r[name] == average[name] for name in key)]
        assert average["n"] == len(own)
        assert average["change_of_size"] == pytest.approx(sum(r["change_of_size"] for r in own) / len(own))


def test_figures_are_xml_and_the_page_shows_them(erased: tuple[nextset.Study, Artifact]) -> None:
    study, measured = erased
    figures = occlusion_figures(
        [OcclusionRow(**r) for r in measured.table("occlusion").to_pylist()],
        [TemplateOcclusionRow(**r) for r in measured.table("occlusion_by_template").to_pylist()],
    )
    assert len(figures.templates) == len(CONTEXTS)
    for figure in (*figures.templates, *figures.rows):
        assert ET.fromstring(figure.svg).tag.endswith("svg")
        assert "<b>waited" not in figure.svg
    report_interventions(study)
    html = (study.out / "interventions_report" / "index.html").read_text(encoding="utf-8")
    assert "which words the measure depends on" in html
    assert "<b>waited" not in html


@pytest.mark.parametrize(("unit", "by"), [("token", "erase"), ("word", "mask"), ("token", "mask")])
def test_tokens_and_masks_decide_the_same(tmp_path: Path, unit: str, by: str) -> None:
    """The reader's tokens are words, and its mask token has no effect."""
    rows = audit_interventions(study_of(tmp_path, unit=unit, by=by, rows=2)).table("occlusion").to_pylist()
    assert rows
    for row in rows:
        expected = 0.0 if row["text"] in CONTEXTS else tanh(SLOPE)
        assert row["occluded_value"] == pytest.approx(expected, abs=1e-4), row


def test_a_model_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    study = study_of(tmp_path, by="mask")
    file = tmp_path / "reader" / "tokenizer_config.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"mask_token": "[MASK]",', ""), encoding="utf-8")
    with pytest.raises(ModelError, match="mask token"):
        audit_interventions(study)


def test_a_changed_section_makes_the_stage_anew(erased: tuple[nextset.Study, Artifact]) -> None:
    study, measured = erased
    assert audit_interventions(study).built == "reused"
    text = study.file.read_text(encoding="utf-8")
    study.file.write_text(text.replace("rows: 8", "rows: 3"), encoding="utf-8")
    again = audit_interventions(nextset.Study.load(study.folder))
    assert again.built != "reused"
    assert again.rows("occlusion") < measured.rows("occlusion")
    study.file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("outcome", ["refused", "unreadable", "cut_off"])
def test_a_row_with_a_prompt_that_was_not_answered_does_not_count(
    erased: tuple[nextset.Study, Artifact], outcome: str
) -> None:
    """The first row without one word is not answered: all of its words are left out, not only this one."""
    study = erased[0]
    whole = audit_interventions(study)  # another test may have changed the section
    requests = _occlusion_requests(study)
    scores = open_artifact(study.out / requests[0].asked.stage).table("scores")
    item, without = scores["item_id"][1].as_py(), scores["occluded"][1].as_py()
    assert without
    silent = np.zeros(scores.num_rows)
    silent[1] = 1.0
    place = scores.column_names.index(outcome)
    found = occlusion_tables(requests, [scores.set_column(place, outcome, pa.array(silent))])
    assert found.skipped["rows that the model did not answer, whole or without a word"] == 1
    words = {(r["item_id"], r["intervention"]) for r in whole.table("occlusion").to_pylist()}
    assert words - {(r.item_id, r.intervention) for r in found.occlusion} == {(item, "")}
