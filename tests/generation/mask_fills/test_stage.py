"""The stage fill in a small study: its settings, its artifacts, and what makes it stale."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import is_current, open_artifact
from nextset.errors import ModelError, StudyError
from nextset.filtering.candidates import Candidates
from nextset.generation.mask_fills.fill_marks import MARKS
from nextset.generation.mask_fills.fill_model import check_fill_model
from nextset.generation.mask_fills.stage import fill_recipe
from nextset.generation.templates.item_rendering import counterfactual_renderer
from nextset.scoring.study_models import candidate_sources
from tests.generation.mask_fills.pets_study import PETS, study
from tests.generation.mask_fills.tiny_tagger import save_tagger
from tests.scoring.generative.tiny_causal import save_gpt2

# of the best words for the first of two masks most are of these kinds: "Many surgeons seem"
ALLOW = "allow: [other_groups, closed_class, template_words, names, numbers, fragments]"


def items(loaded: nextset.Study) -> pa.Table:
    return nextset.fill(loaded).table("items")


def texts(table: pa.Table) -> set[str]:
    return set(table["hypothesis"].to_pylist())


def words(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(fill["word"] for fill in row["bindings"]["fills"])


def one_mask(table: pa.Table) -> list[dict[str, Any]]:
    return [row for row in table.to_pylist() if len(row["bindings"]["fills"]) == 1]


def test_one_and_two_masks_are_filled(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", f"top_k: 5, {ALLOW}")
    table = items(loaded)
    # 2 premises × 2 orders of the groups × 2 masked texts × 5; those of the premise without group differ too
    assert table.num_rows == 2 * 2 * 2 * 5
    for row in table.to_pylist():
        assert "{{" not in row["hypothesis"] + row["question"]
        assert row["set_id"] is None
    words = open_artifact(loaded.out / "mask_words").table("words").to_pylist()
    assert {row["mask"] for row in words} == {1, 2}
    assert {row["premise"] for row in words} == {""}


def test_joint_fills_are_the_same_for_both_groups(tmp_path: Path) -> None:
    table = items(study(tmp_path / "s", f"top_k: 5, groups: joint, {ALLOW}"))
    sets: dict[str, set[str]] = {}
    for row in table.to_pylist():
        sets.setdefault(row["set_id"], set()).add(row["hypothesis"])
    assert all(len(hypotheses) == 2 for hypotheses in sets.values())
    scores: dict[tuple[str, ...], set[float]] = {}
    for row in one_mask(table):
        (fill,) = row["bindings"]["fills"]
        scores.setdefault((fill["word"],), set()).add(fill["score"])
    assert all(len(found) == 1 for found in scores.values())
    assert len(sets) == 2 * 2 * 5


def test_the_order_of_the_groups_is_nothing_to_joint_fills(tmp_path: Path) -> None:
    here = texts(items(study(tmp_path / "s", "top_k: 5, groups: joint")))
    turned = study(tmp_path / "t", "top_k: 5, groups: joint")
    swapped = PETS.replace("{GROUP1: neighbours, GROUP2: surgeons}", "{GROUP1: surgeons, GROUP2: neighbours}")
    (turned.folder / "pets.yaml").write_text(swapped, encoding="utf-8")
    nextset.generate(turned)
    assert texts(items(turned)) == here


def test_a_premise_in_sight_makes_other_prompts(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5, premise: true")
    items(loaded)
    seen = set(open_artifact(loaded.out / "mask_words").table("words")["premise"].to_pylist())
    assert seen == {"Surgeons sleep 14 hours.", "Neighbours sleep 14 hours.", "Ten people met in town."}


def test_fluency_is_a_column_behind_those_of_an_item(tmp_path: Path) -> None:
    plain = items(study(tmp_path / "s", "top_k: 5"))
    loaded = study(tmp_path / "s", "top_k: 5, fluency: true")
    table = items(loaded)
    assert table.column_names == [*plain.column_names, "fluency", "relative_fluency"]
    assert table.drop_columns(["fluency", "relative_fluency"]).equals(plain)
    assert all(value < 0 for value in table["fluency"].to_pylist())
    by_text = dict(zip(table["hypothesis"].to_pylist(), table["fluency"].to_pylist(), strict=True))
    made = open_artifact(loaded.out / "fluency").table("sentences").to_pylist()
    scored = {row["sentence"]: row["fluency"] for row in made}
    assert {text: scored.pop(text) for text in by_text} == by_text
    assert sorted(scored) == ["Neighbours idle.", "Surgeons idle."]  # the plain ones
    for row in table.to_pylist():
        plain_text = f"{row['bindings']['group2'].capitalize()} idle."
        assert row["relative_fluency"] == row["fluency"] - scored[plain_text]
    # what was not filled has none
    mixed = Candidates.of(candidate_sources(loaded)).table().to_pylist()
    assert {row["fluency"] is None for row in mixed if "{{MASK}}" not in row["hypothesis"]} == {True, False}
    assert all((row["fluency"] is None) == (not row["bindings"]["fills"]) for row in mixed)


def test_of_the_most_probable_words_the_most_fluent_are_kept(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "groups: joint, keep: best 2 of 6 by fluency")
    assert loaded.settings.fill.top_k == 6
    made = nextset.fill(loaded)
    everything = items(study(tmp_path / "all", "groups: joint, top_k: 6, fluency: true"))
    sets: dict[str, list[dict[str, Any]]] = {}
    for row in everything.to_pylist():
        sets.setdefault(row["set_id"], []).append(row)
    # of 6 fills of each sentence 4 are dropped: what is kept and what is dropped are all that was looked at
    assert made.counts["fills not among the 2 most fluent of 6, dropped"] == everything.num_rows * 4 // 6
    assert made.counts["fills kept"] == everything.num_rows * 2 // 6
    kept = made.table("items")
    assert all(
        sum(row["set_id"] == name for row in kept.to_pylist()) == len(sets[name])
        for name in set(kept["set_id"].to_pylist())
    )
    for masks in (1, 2):
        means = {
            words(rows[0]): sum({r["hypothesis"]: r["fluency"] for r in rows}.values()) / 2
            for rows in sets.values()
            if len(words(rows[0])) == masks
        }
        best = sorted(means, key=lambda some: -means[some])[:2]
        assert {words(r) for r in kept.to_pylist() if len(words(r)) == masks} == set(best)


def test_a_causal_model_scores_fluency_and_a_bound_drops(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    save_gpt2(tmp_path / "s" / "gpt2")
    before = items(study(tmp_path / "s", "top_k: 5, fluency: {model: ./gpt2}"))
    scored = open_artifact(tmp_path / "s" / "out" / "fluency")
    bound = sorted(before["relative_fluency"].to_pylist())[3]
    loaded = study(tmp_path / "s", f"top_k: 5, fluency: {{model: ./gpt2, at_least: {bound}}}")
    made = nextset.fill(loaded)
    assert made.table("items").to_pylist() == [
        row for row in before.to_pylist() if row["relative_fluency"] >= bound
    ]
    assert made.counts[f"fills less fluent than {bound:g}, dropped"] == before.num_rows - made.rows("items")
    assert made.counts["fills kept"] == made.rows("items")
    # another bound asks no model again
    assert open_artifact(loaded.out / "fluency").key == scored.key
    assert is_current(loaded.out / "fill", fill_recipe(loaded))


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        ("keep: the best 8", r"keep.*not in the expected form"),
        ("keep: best 8 of 20 by fluency, top_k: 10", "top_k is a different number"),
        ("keep: best 21 of 20 by fluency", "21 of 20 is too many"),
        ("fluency: {at_most: 1}", r"unknown key 'fill\.fluency\.at_most'"),
        ("fluency: {at_least: .nan}", r"fill\.fluency\.at_least: not a number"),
        ("fluency: [yes]", r"fill\.fluency: neither true nor false"),
    ],
)
def test_a_wrong_choice_by_fluency_is_named(tmp_path: Path, fill: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study(tmp_path / "s", fill)


@pytest.mark.parametrize("fill", ["fluency: {model: builtin:nli-bart}", "meaning: builtin:masked-lm"])
def test_a_model_of_the_wrong_kind_is_refused_before_a_run(tmp_path: Path, fill: str) -> None:
    with pytest.raises(ModelError, match="is a model of the kind"):
        check_fill_model(study(tmp_path / "s", fill))


def test_marks_are_a_column_and_the_figures_behind_them_an_artifact(tmp_path: Path) -> None:
    plain = items(study(tmp_path / "s", "top_k: 5"))
    loaded = study(tmp_path / "s", "top_k: 5, premise: true, marks: true, meaning: builtin:nli-bart")
    made = nextset.fill(loaded)
    table = made.table("items")
    assert table.column_names == [*plain.column_names, "fill_marks"]
    assert all(set(marks) <= set(MARKS) for marks in table["fill_marks"].to_pylist())
    known = open_artifact(loaded.out / "fill_marks")
    assert {row["premise"] for row in known.table("probabilities").to_pylist()} >= {
        "",
        "Ten people met in town.",
    }
    labels = {
        (r["plain"], r["filled"]): {r["from_plain"], r["from_filled"]}
        for r in known.table("meanings").to_pylist()
    }
    for row in table.to_pylist():
        found = labels[f"{row['bindings']['group2'].capitalize()} idle.", row["hypothesis"]]
        assert ("opposite meaning" in row["fill_marks"]) == (
            "contradiction" in found and "entailment" not in found
        )
        assert ("another meaning" in row["fill_marks"]) == (found == {"neutral"})
    assert nextset.fill(loaded).built == "reused"
    # dropping the marks leaves the rows as they are
    without = items(study(tmp_path / "s", "top_k: 5, premise: true"))
    assert table.drop_columns(["fill_marks"]).equals(without)


@pytest.mark.slow
def test_fluency_goes_with_the_items_to_the_dataset(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5, fluency: true")
    # a model that is unsure of some items and sure of others: some are kept, and some are not
    written = loaded.file.read_text(encoding="utf-8").replace("nli-electra", "nli-albert")
    ruled = written.replace("candidates:", "rule: {margin_below: 0.7}, candidates:")
    loaded.file.write_text(ruled + "validate: {judge: rule}\n", encoding="utf-8")
    loaded = nextset.Study.load(loaded.folder)
    summary = nextset.run(loaded)
    by_text = {
        row["id"]: row["fluency"] for row in open_artifact(loaded.out / "fill").table("items").to_pylist()
    }
    for stage, name in (
        ("filter", "kept"),
        ("filter", "rejected"),
        ("validate", "items"),
        ("release", "items"),
    ):
        rows = open_artifact(loaded.out / stage).table(name).to_pylist()
        assert rows
        assert all(
            row["fluency"] == by_text.get(row["id"])
            for row in rows
            if row["parent_id"] != row.get("counterpart_id")
        )
    assert summary.dataset is not None
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "Mean log probability of the hypothesis's tokens" in card


@pytest.fixture(scope="module")
def two_fills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose masks have two fills each; a test changes a copy."""
    loaded = study(tmp_path_factory.mktemp("two") / "s", "top_k: 2")
    nextset.fill(loaded)
    return loaded.folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("then", "asked_again"),
    [
        ("groups: joint", True),
        ("pieces: 2", True),
        ("premise: true", True),
        ("allow: [groups]", False),
        ("mask: adj", False),
        ("fluency: true", False),
    ],
)
def test_a_setting_that_changes_makes_the_fill_stale(
    two_fills: Path, tmp_path: Path, then: str, asked_again: bool
) -> None:
    shutil.copytree(two_fills, tmp_path / "s")
    loaded = study(tmp_path / "s", f"top_k: 2, {then}")
    assert not is_current(loaded.out / "fill", fill_recipe(loaded))
    before = (loaded.out / "mask_words" / "manifest.json").stat().st_mtime_ns
    nextset.fill(loaded)
    after = (loaded.out / "mask_words" / "manifest.json").stat().st_mtime_ns
    assert (before != after) == asked_again
    assert is_current(loaded.out / "fill", fill_recipe(loaded))
    assert nextset.fill(loaded).built == "reused"


@pytest.mark.slow
def test_fills_of_a_part_of_speech(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    (tmp_path / "s").mkdir()
    save_tagger(tmp_path / "s" / "tiny")
    loaded = study(tmp_path / "s", "top_k: 5, mask: adj, tagger: ./tiny")
    artifact = nextset.fill(loaded)
    assert artifact.counts["fills of another part of speech, dropped"] > 0
    words = open_artifact(loaded.out / "mask_words").table("words").to_pylist()
    first = [r["word"] for r in words if r["sentence"] == "Surgeons are too {{MASK}}."]
    kept = [
        row["bindings"]["fills"][0]["word"]
        for row in one_mask(artifact.table("items"))
        if row["hypothesis"].startswith("Surgeons") and row["premise"] == "Ten people met in town."
    ]
    assert len(first) == 5 * 16
    assert 0 < len(kept) <= 5
    assert [w for w in first if w in kept] == kept


@pytest.mark.parametrize(
    ("fill", "says"),
    [
        ("mask: ADJ", "'ADJ' in 'ADJ' is neither a category nor a form"),
        ("mask: adj or noun", "is not a constraint of a mask"),
        ("allow: [everything]", "allow"),
        ("part_of_speech: [ADJ]", "unknown key"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, fill: str, says: str) -> None:
    with pytest.raises(StudyError, match=rf"study.yaml:4: .*{says}"):
        study(tmp_path / "s", fill)


def test_a_mask_takes_the_words_of_its_list_and_its_question_inflects_them(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    pets = PETS.replace(
        "hypotheses:", "lists: {deeds: [cooked dinner, waited, dropped, neighbours]}\nhypotheses:"
    )
    pets = pets[: pets.index("masked:")] + (
        'masked:\n  - text: "{{GROUP2}} {{MASK:in deeds}} in the kitchen."\n'
        '    question: "Did {{GROUP2}} {{MASK:verb.base}} in the kitchen?"\n'
    )
    (loaded.folder / "pets.yaml").write_text(pets, encoding="utf-8")
    nextset.generate(loaded)
    artifact = nextset.fill(loaded)
    made = {(r["hypothesis"], r["question"]) for r in artifact.table("items").to_pylist()}
    assert made == {
        (f"{who.capitalize()} {past} in the kitchen.", f"Did {who} {base} in the kitchen?")
        for who in ("surgeons", "neighbours")
        for past, base in (("cooked dinner", "cook dinner"), ("waited", "wait"), ("dropped", "drop"))
    }
    swap = counterfactual_renderer(open_artifact(loaded.out / "generate").table("templates"))
    for row in artifact.table("items").to_pylist():
        texts = swap(row)
        assert texts is not None
        groups = row["bindings"]
        assert texts.question == row["question"].replace(groups["group2"], groups["group1"])


def test_words_of_a_list_that_the_model_cannot_read_are_counted(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    pets = PETS.replace("hypotheses:", "lists: {deeds: [waited, \u0643\u0628\u064a\u0631]}\nhypotheses:")
    pets = pets[: pets.index("masked:")] + (
        'masked:\n  - text: "{{GROUP2}} {{MASK:in deeds}} in the kitchen."\n'
    )
    (loaded.folder / "pets.yaml").write_text(pets, encoding="utf-8")
    nextset.generate(loaded)
    counts = nextset.fill(loaded).counts
    assert counts["words of lists that the model cannot read at their mask, skipped"] == 2  # two groups


def test_a_filter_without_items_says_what_was_dropped(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 3, fluency: {at_least: 100}")
    file = loaded.folder / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("[filled, plain]", "[filled]"), encoding="utf-8")
    made = nextset.fill(loaded)
    assert made.rows("items") == 0
    with pytest.raises(StudyError, match=r"\d+ fills less fluent than 100, dropped"):
        nextset.score(loaded.folder)


def test_a_sentence_that_is_too_long_is_named(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    long = PETS.replace("are too {{MASK}}", "are " + "too " * 300 + "{{MASK}}")
    (loaded.folder / "pets.yaml").write_text(long, encoding="utf-8")
    nextset.generate(loaded)
    with pytest.raises(
        ModelError, match=r"reads at most .* tokens; longer texts, 2 of 4: 'Neighbours are too"
    ):
        nextset.fill(loaded)


def test_a_study_without_masks_needs_neither_model_nor_tagger(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "model: ./none, mask: adj, tagger: nothere")
    text = (loaded.folder / "pets.yaml").read_text(encoding="utf-8")
    (loaded.folder / "pets.yaml").write_text(text[: text.index("masked:")], encoding="utf-8")
    nextset.generate(loaded)
    assert nextset.fill(loaded).rows("items") == 0


def test_a_tagger_that_is_not_there_is_named_before_the_model_is_asked(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "mask: adj, tagger: nothere")
    nextset.generate(loaded)
    with pytest.raises(ModelError, match="'nothere' is neither an installed spaCy model"):
        nextset.fill(loaded)
    assert not list(loaded.out.glob("mask_words*"))


def test_rows_without_a_fill_are_counted(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "top_k: 5")
    path = loaded.folder / "pets.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("too {{MASK}}", "too un{{MASK}}s"), encoding="utf-8"
    )
    generated = nextset.generate(loaded)
    counts = nextset.fill(loaded).counts
    assert 0 < counts["masked rows without a fill"] <= generated.rows("masked")


def test_words_of_a_list_that_do_not_fit_take_no_place_among_those_that_do(tmp_path: Path) -> None:
    """Of many listed nouns and an adjective, only the adjective is asked, wherever it would rank."""
    nouns = ", ".join(f"{a}{b}" for a in ("foot", "hand", "base", "soft", "snow") for b in ("ball", "work"))
    loaded = study(tmp_path / "s", "top_k: 1")
    pets = PETS.replace(
        "hypotheses:", f"lists: {{traits: [{nouns}, teacher, doctor, nurse, gentle]}}\nhypotheses:"
    )
    pets = pets[: pets.index("masked:")] + 'masked:\n  - text: "{{GROUP2}} are {{MASK:adj in traits}}."\n'
    (loaded.folder / "pets.yaml").write_text(pets, encoding="utf-8")
    nextset.generate(loaded)
    nextset.fill(loaded)
    words = open_artifact(loaded.out / "mask_words").table("words")
    assert set(words["word"].to_pylist()) == {"gentle"}
