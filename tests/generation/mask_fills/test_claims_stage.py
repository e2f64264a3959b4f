"""The stage fill places words beside the anchors by the filling model's own embeddings, and turns stances."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import nextset
from nextset.artifacts.artifact import Artifact, is_current, open_artifact
from nextset.generation.mask_fills import fill_drops
from nextset.generation.mask_fills.fill_recipes import placement_recipe
from nextset.generation.mask_fills.fill_selection import BESIDE
from nextset.generation.mask_fills.stage import fill_recipe
from nextset.scoring.models.sources import locate
from tests.generation.mask_fills.pets_study import PETS, study

LIKE = ["aggressive", "harsh", "addicted", "moody", "stupid", "careless", "helpless", "lazy", "bored", "rude",
        "cruel"]  # fmt: skip
UNLIKE = ["loyal", "intelligent", "capable", "gifted", "creative", "diligent", "kind", "brave", "smart",
          "skilled", "gentle"]  # fmt: skip
PLANTED = {"impatient": "with", "caring": "against", "hardworking": "against"}
TEMPLATE = (
    PETS[: PETS.index("masked:")]
    + f"""\
masked:
  - text: "{{{{GROUP2}}}} are too {{{{MASK:adj like {", ".join(LIKE)}, unlike {", ".join(UNLIKE)}}}}}."
    question: "Are {{{{GROUP2}}}} too {{{{MASK}}}}?"
"""
)


@pytest.fixture(scope="module")
def planted_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in masked LM, which proposes the same words, with embeddings that tell the sides apart."""
    source = locate("builtin:masked-lm").folder
    assert source is not None
    model = transformers.AutoModelForMaskedLM.from_pretrained(source)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    rows = model.get_input_embeddings().weight.detach()
    scale = float(rows.norm(dim=1).mean())
    axis = torch.nn.functional.normalize(
        torch.from_numpy(np.random.default_rng(5).normal(size=rows.shape[1])), dim=0
    )
    sides = {**dict.fromkeys(LIKE, 1), **dict.fromkeys(UNLIKE, -1)}
    sides |= {word: 1 if claim == "with" else -1 for word, claim in PLANTED.items()}
    with torch.no_grad():
        for word, side in sides.items():
            (token,) = tokenizer.encode(f"a {word}", add_special_tokens=False)[1:]
            rows[token] += 1.5 * side * scale * axis.float()
    model.save_pretrained(folder := tmp_path_factory.mktemp("planted"))
    tokenizer.save_pretrained(folder)
    return folder


def filled(folder: Path, model: str, more: str = "") -> tuple[nextset.Study, Artifact]:
    """The study with anchors, filled by ``model``."""
    loaded = study(folder, f"model: {model}, top_k: 40{more}", TEMPLATE)
    return loaded, nextset.fill(loaded)


def outcomes(made: Artifact) -> dict[str, set[tuple[str, str]]]:
    """The claim and the stance of the items about surgeons, by word."""
    rows: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in made.table("items").to_pylist():
        if row["hypothesis"].startswith("Surgeons"):
            (fill,) = row["bindings"]["fills"]
            rows[fill["word"]].add((row["fill_claim"], row["stance_design"]))
    return rows


def test_words_beside_the_anchors_are_placed_by_embeddings(tmp_path: Path, planted_folder: Path) -> None:
    loaded, made = filled(tmp_path / "s", str(planted_folder))
    claims = open_artifact(loaded.out / "fill_claims")
    assert claims.table("calibration").to_pylist() == [{"anchors": 22, "threshold": 0.0, "beyond": 22}]
    placed = {row["word"]: row["claim"] for row in claims.table("claims").to_pylist()}
    assert {word: claim for word, claim in placed.items() if claim != "beside"} == PLANTED
    assert not set(placed) & {*LIKE, *UNLIKE}
    by_word = outcomes(made)
    assert by_word["impatient"] == by_word["rude"] == {("with", "pro")}
    assert by_word["caring"] == by_word["kind"] == {("against", "anti")}
    assert "traditional" in placed
    assert "traditional" not in by_word
    assert made.counts[BESIDE]
    assert is_current(loaded.out / "fill", fill_recipe(loaded))


def test_embeddings_that_do_not_tell_the_sides_apart_place_nothing(tmp_path: Path) -> None:
    loaded, made = filled(tmp_path / "s", "builtin:masked-lm")
    claims = open_artifact(loaded.out / "fill_claims")
    assert claims.table("calibration").to_pylist() == [{"anchors": 22, "threshold": None, "beyond": 0}]
    assert claims.rows("claims") == 0
    assert set(PLANTED).isdisjoint(outcomes(made))
    assert outcomes(made)["disloyal"] == {("with", "pro")}  # negation needs no embeddings


def test_a_mask_without_opposites_takes_only_its_anchors(tmp_path: Path, planted_folder: Path) -> None:
    one_sided = TEMPLATE.replace(f", unlike {', '.join(UNLIKE)}", "")
    loaded = study(tmp_path / "s", f"model: {planted_folder}, top_k: 40", one_sided)
    by_word = outcomes(nextset.fill(loaded))
    assert set(map(frozenset, by_word.values())) == {frozenset({("with", "pro")})}
    assert "careful" not in by_word  # the negation of careless
    assert open_artifact(loaded.out / "fill_claims").rows("claims") == 0


def test_words_that_are_beside_are_kept_if_allowed_and_others_still_placed(
    tmp_path: Path, planted_folder: Path
) -> None:
    text = TEMPLATE.replace("{MASK:adj like", "{MASK:in words like")
    words = ", ".join([*PLANTED, "traditional", "kind"])
    text = text.replace("hypotheses:", f"lists: {{words: [{words}]}}\nhypotheses:")
    loaded = study(tmp_path / "s", f"model: {planted_folder}, allow: [beside]", text)
    by_word = outcomes(nextset.fill(loaded))
    stances = {"with": "pro", "against": "anti", "beside": "pro"}
    claims = {**PLANTED, "traditional": "beside", "kind": "against"}
    assert by_word == {word: {(claim, stances[claim])} for word, claim in claims.items()}


def test_the_lists_about_words_decide_whether_placed_words_are_current(
    tmp_path: Path, planted_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, _ = filled(tmp_path / "s", str(planted_folder))
    monkeypatch.setattr(fill_drops, "negation_digest", lambda language: "other negations")
    assert not is_current(loaded.out / "fill", fill_recipe(loaded))
    generated, words = (open_artifact(loaded.out / name) for name in ("generate", "mask_words"))
    placement = placement_recipe(loaded, generated, words.digest)
    assert placement is not None
    assert not is_current(loaded.out / "fill_claims", placement)


def test_without_open_anchors_there_is_nothing_to_place(tmp_path: Path) -> None:
    closed = study(tmp_path / "closed", "top_k: 5", TEMPLATE.replace("{MASK:adj like", "{MASK:adj only like"))
    assert set(outcomes(nextset.fill(closed))) <= {*LIKE, *UNLIKE}
    assert not (closed.out / "fill_claims").exists()
