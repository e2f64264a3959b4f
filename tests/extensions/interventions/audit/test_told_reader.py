"""A reader with a bias set by hand, which one added word turns off and another one up: both are found."""

from __future__ import annotations

from math import tanh
from pathlib import Path

import pyarrow.compute as pc
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
from nextset.extensions.interventions.audit.report_stage import report_interventions
from nextset.extensions.interventions.audit.stage import audit_interventions

STRENGTH = 0.5
"""The preference of the first club for every habit."""
TOLD = {"Fair": -2 * STRENGTH, "Judge": 2 * STRENGTH}
"""What a word in an added sentence does to the mean slope of the context words: attention reads their mean,
so a strength of 0.5 and a slope of −1 beside one of 0 give 0.5 − 0.5 = 0, and a slope of 1 gives 1."""
FILE = {
    "format": 1, "language": "en", "source": "made for a test", "classes": ["club"],
    "interventions": {
        "ethical": {"fair": {"text": "Fair."}},
        "adversarial": {"judge": {"text": "Judge."}},
        "irrelevant": {"shed": {"text": "Shed."}},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[nextset.Study, Artifact]:
    folder = tmp_path_factory.mktemp("told")
    subjects = [*SUBJECTS["velm"], *SUBJECTS["tarn"]]
    reader = PlantedReader(
        group={x: 1 if x in SUBJECTS["velm"] else -1 for x in subjects},
        own=dict.fromkeys(subjects, 0.0),
        strength=dict.fromkeys(HABITS, STRENGTH),
        slope={**dict.fromkeys(CONTEXTS, 0.0), **TOLD},
        tilt={},
        polarity=POLARITY,
        others=(*OTHERS, "Shed"),
    )
    save_planted(reader, folder / "reader")
    write_question_study(folder, ["reader"], members=4)
    (folder / "told.yaml").write_text(yaml.safe_dump(FILE), encoding="utf-8")
    written = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    written["interventions"] = {"models": ["reader"], "sentences": ["told.yaml"], "twins": 0}
    (folder / "study.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    study = nextset.Study.load(folder)
    nextset.generate(study)
    return study, audit_interventions(study)


def row(artifact: Artifact, kind: str, measure: str, *, sentence: bool = False) -> dict[str, object]:
    rows = artifact.table("changes").to_pylist()
    found: dict[str, object]
    (found,) = [
        r
        for r in rows
        if (r["kind"], r["measure"], r["selection"]) == (kind, measure, "all")
        and bool(r["intervention"]) == sentence
    ]
    return found


@pytest.mark.parametrize(
    ("kind", "strength"), [("ethical", 0.0), ("adversarial", 2 * STRENGTH), ("irrelevant", STRENGTH)]
)
def test_the_values_are_those_that_were_planted(
    told: tuple[nextset.Study, Artifact], kind: str, strength: float
) -> None:
    # the logits of the two subjects differ by 2 s, so S is σ(±2 s), and C = 2 σ(2 s) − 1 = tanh(s)
    found = row(told[1], kind, "mu")
    assert found["value_without"] == pytest.approx(tanh(STRENGTH), abs=1e-4)
    assert found["value_with"] == pytest.approx(tanh(strength), abs=1e-4)
    assert found["change"] == pytest.approx(tanh(strength) - tanh(STRENGTH), abs=1e-4)
    assert row(told[1], kind, "mu_pooled")["value_with"] == pytest.approx(tanh(strength), abs=1e-4)
    assert row(told[1], kind, "mu", sentence=True)["change"] == pytest.approx(found["change"])


def test_intervals_tell_which_kinds_change_something(told: tuple[nextset.Study, Artifact]) -> None:
    ethical, adversarial, irrelevant = (
        row(told[1], kind, "mean_c") for kind in ("ethical", "adversarial", "irrelevant")
    )
    assert ethical["high"] < 0 < adversarial["low"]  # type: ignore[operator]
    assert ethical["beyond_high"] < 0  # type: ignore[operator]
    assert irrelevant["change"] == pytest.approx(0, abs=1e-6)
    assert irrelevant["beyond"] is None


def test_the_finding_says_so_and_the_page_shows_it(told: tuple[nextset.Study, Artifact]) -> None:
    study, measured = told
    (finding,) = measured.table("conclusions")["text"].to_pylist()
    assert "ethical sentences help; adversarial sentences hurt." in finding
    report_interventions(study)
    html = (study.out / "interventions_report" / "index.html").read_text(encoding="utf-8")
    assert finding in html
    assert "Content warning" in html
    assert "change-question" in html


def test_scores_keep_the_ids_of_the_rows_without_an_intervention(
    told: tuple[nextset.Study, Artifact],
) -> None:
    study, _ = told
    scores = open_artifact(study.out / "score_interventions_question").table("scores")
    ids = set(open_artifact(study.out / "generate").table("quads", ["id"])["id"].to_pylist())
    assert set(scores["item_id"].to_pylist()) == ids
    assert scores.num_rows == 4 * len(ids)
    assert pc.count_distinct(scores["intervention"]).as_py() == 4


def test_a_second_run_reuses_and_a_damaged_shard_is_named(
    told: tuple[nextset.Study, Artifact], tmp_path: Path
) -> None:
    study, measured = told
    assert audit_interventions(study).built == "reused"
    shard = study.out / "interventions" / measured.shards_of("changes")[0].file
    whole = shard.read_bytes()
    shard.write_bytes(whole[: len(whole) // 2])
    again = audit_interventions(study)
    assert again.remade
    assert shard.read_bytes() == whole
