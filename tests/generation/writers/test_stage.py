"""The stage fill with a model that writes: words for masks, or whole hypotheses."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.artifacts.artifact import is_current, open_artifact
from nextset.errors import MissingStage, ModelError, StudyError
from nextset.generation.mask_fills.fill_selection import BESIDE
from nextset.generation.mask_fills.stage import fill_recipe
from nextset.generation.templates.item_rendering import CounterfactualTexts, counterfactual_renderer
from nextset.generation.writers.stage import CHUNK
from nextset.study.item_tables import templates_of_items
from tests.generation.mask_fills.pets_study import PETS, STUDY
from tests.generation.writers.test_writer_prompts import PHRASES
from tests.generation.writers.tiny_writer import save_writer

WORDS = ["calm", "1. rude", "brisk", "Surgeons", "two words", "calm, odd", "few, rude", "{nothing}"]
SENTENCES = [
    "Surgeons sleep. | Do surgeons sleep?",
    "Neighbours idle more than surgeons. | Do neighbours idle more than surgeons?",
    "Surgeons idle. | Do surgeons idle?",
    "They idle. | Do they idle?",
    "{{GROUP1}} idle. | Do they?",
    "Here are sentences:",
]
PROMPTS = """\
format: 1
one_word: "{number} words: {sentences}"
several_words: "{number} lines: {sentences}"
pro: "{number} of {group1} and {group2}: {stereotype}"
anti: "{number} turned, of {group1} and {group2}: {stereotype}"
"""


def study(folder: Path, fill: str, *, lines: list[str] = WORDS) -> nextset.Study:
    """A study whose writer can write ``lines`` alone."""
    if not folder.exists():
        folder.mkdir()
        save_writer(folder / "tiny", lines)
        (folder / "prompts.yaml").write_text(PROMPTS, encoding="utf-8")
        (folder / "pets.yaml").write_text(PETS, encoding="utf-8")
    fill = f"{{model: ./tiny, {fill}}}"
    (folder / "study.yaml").write_text(STUDY.replace("{FILL}", fill), encoding="utf-8")
    loaded = nextset.Study.load(folder)
    nextset.generate(loaded)
    return loaded


def test_words_are_filled_in_the_order_of_the_answers(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "writer: {prompt: prompts.yaml, proposals: 4, seed: 5}")
    filled = nextset.fill(loaded)
    asked = open_artifact(loaded.out / "mask_words")
    words, prompts = asked.table("words").to_pylist(), asked.table("prompts").to_pylist()
    # 2 masked texts × 2 orders of the groups; the premise is not seen
    assert asked.counts["answers"] == nextset.preview(loaded).prompts == 4
    assert asked.counts["proposals that are not one word per mask, dropped"] > 0
    # a sentence may get the group that it does not name; the checks drop it afterwards
    assert {row["word"] for row in words} == {"calm", "rude", "brisk", "few", "odd", "Surgeons"}
    assert all(row["score"] is None for row in words)
    assert {(p["kind"], p["text"], p["seed"]) for p in prompts} == {
        ("one_word", "{number} words: {sentences}", 5),
        ("several_words", "{number} lines: {sentences}", 5),
    }
    assert [(m["model"], m["revision"]) for m in asked.table("models").to_pylist()] == [
        ("tiny", nextset_digest(loaded))
    ]
    by_id = {p["prompt"]: p["kind"] for p in prompts}
    assert filled.counts["fills that name a group, dropped"] > 0
    assert filled.counts["answers"] == 4
    items = filled.table("items").to_pylist()
    assert items
    for row in items:
        writer, fills = row["bindings"]["writer"], row["bindings"]["fills"]
        assert (writer["model"], writer["seed"]) == ("tiny", 5)
        assert by_id[writer["prompt"]] == ("one_word" if len(fills) == 1 else "several_words")
        assert all(f["score"] is None and f["word"].lower() in row["hypothesis"].lower() for f in fills)
    assert is_current(loaded.out / "fill", fill_recipe(loaded))
    assert nextset.fill(loaded).built == "reused"
    # the same study gives the same words, another seed others
    again = study(tmp_path / "s", "writer: {prompt: prompts.yaml, proposals: 4, seed: 6}")
    assert not is_current(again.out / "fill", fill_recipe(again))
    nextset.fill(again)
    assert open_artifact(again.out / "mask_words").table("words").to_pylist() != words
    back = study(tmp_path / "s", "writer: {prompt: prompts.yaml, proposals: 4, seed: 5}")
    nextset.fill(back)
    assert open_artifact(back.out / "mask_words").digest == asked.digest


def test_a_writer_is_told_the_anchors_and_words_beside_them_drop(tmp_path: Path) -> None:
    loaded = study(
        tmp_path / "s", "writer: {prompt: prompts.yaml, proposals: 6}", lines=["idle", "calm", "busy"]
    )
    own = PROMPTS.replace("{sentences}", "{sentences} ({demands})") + PHRASES.decode()
    (loaded.folder / "prompts.yaml").write_text(own, encoding="utf-8")
    sentence, rest = PETS.split('  - text: "{{MASK}}')[0], "{{MASK:like idle, unlike busy}}."
    (loaded.folder / "pets.yaml").write_text(sentence.replace("{{MASK}}.", rest), encoding="utf-8")
    nextset.generate(loaded)
    filled = nextset.fill(loaded)
    (prompt,) = open_artifact(loaded.out / "mask_words").table("prompts").to_pylist()
    assert "unlike {words}" in prompt["demands"]
    shown = {
        r["hypothesis"]: (r["fill_claim"], r["stance_design"]) for r in filled.table("items").to_pylist()
    }
    assert shown["Surgeons are too idle."] == ("with", "pro")
    assert shown["Surgeons are too busy."] == ("against", "anti")
    assert not any("calm" in hypothesis for hypothesis in shown)
    assert filled.counts[BESIDE] > 0
    assert is_current(loaded.out / "fill", fill_recipe(loaded))
    # other anchors are another request: the answers to the former are not read again
    (loaded.folder / "pets.yaml").write_text(sentence.replace("{{MASK}}.", rest.replace("busy", "calm")))
    nextset.generate(loaded)
    recipe = fill_recipe(loaded)
    assert recipe.inputs["mask_words"] != open_artifact(loaded.out / "mask_words").digest


def nextset_digest(loaded: nextset.Study) -> str:
    from nextset.scoring.models.sources import locate

    return locate("./tiny", loaded.folder).digest


def test_hypotheses_become_items_that_can_be_rendered_again(tmp_path: Path) -> None:
    wanted = "writer: {propose: hypotheses, prompt: prompts.yaml, proposals: 3}"
    loaded = study(tmp_path / "s", wanted, lines=SENTENCES)
    filled = nextset.fill(loaded)
    asked = open_artifact(loaded.out / "mask_words")
    assert asked.tables == ("hypotheses", "models", "prompts")
    # one stereotype, two stances; SENTENCES[2] is a hypothesis of the template if it is asked for pro
    assert filled.counts["hypotheses that name no group as the template does, dropped"] > 0
    previewed = nextset.preview(loaded)
    assert asked.counts["answers"] == previewed.prompts == 2
    hypotheses = {(r["stance"], r["hypothesis"]) for r in asked.table("hypotheses").to_pylist()}
    assert hypotheses == {
        ("pro", "{{GROUP2}} sleep."),
        ("pro", "{{GROUP1}} idle more than {{GROUP2}}."),
        ("anti", "{{GROUP1}} sleep."),
        ("anti", "{{GROUP2}} idle more than {{GROUP1}}."),
        ("anti", "{{GROUP1}} idle."),
    }
    items = filled.table("items").to_pylist()
    # each with two premises, in the order of the groups that was asked for
    assert len(items) == 2 * len(hypotheses)
    # two premises × two stances × three proposals, of which one was a hypothesis that the template has
    assert previewed.filled == 2 * 2 * 3
    shown = {(r["stance_design"], r["hypothesis"]) for r in items}
    assert shown == {
        ("pro", "Surgeons sleep."),
        ("pro", "Neighbours idle more than surgeons."),
        ("anti", "Surgeons sleep."),
        ("anti", "Neighbours idle more than surgeons."),
        ("anti", "Surgeons idle."),
    }
    kinds = {p["prompt"]: p["kind"] for p in asked.table("prompts").to_pylist()}
    assert all(kinds[r["bindings"]["writer"]["prompt"]] == r["stance_design"] for r in items)
    assert {r["label"] for r in items} == {"neutral"}
    known = set(templates_of_items(loaded.out)["template_id"].to_pylist())
    assert {r["template_id"] for r in items} <= known
    swap = counterfactual_renderer(templates_of_items(loaded.out))
    (compared,) = {swap(r) for r in items if r["hypothesis"].startswith("Neighbours idle more")}
    assert compared == CounterfactualTexts(
        "Surgeons idle more than neighbours.", "Do surgeons idle more than neighbours?"
    )
    assert is_current(loaded.out / "fill", fill_recipe(loaded))


def test_joint_hypotheses_are_asked_for_once_and_give_both_stances(tmp_path: Path) -> None:
    wanted = "groups: joint, writer: {propose: hypotheses, prompt: prompts.yaml, proposals: 3}"
    loaded = study(tmp_path / "s", wanted, lines=SENTENCES)
    items = nextset.fill(loaded).table("items").to_pylist()
    assert open_artifact(loaded.out / "mask_words").counts["answers"] == nextset.preview(loaded).prompts == 1
    stances: dict[str, list[str]] = {}
    for row in items:
        stances.setdefault(row["set_id"], []).append(row["stance_design"])
    assert stances
    assert all(sorted(found) == ["anti", "pro"] for found in stances.values())


def test_templates_that_changed_are_expanded_first(tmp_path: Path) -> None:
    wanted = "writer: {propose: hypotheses, prompt: prompts.yaml}"
    loaded = study(tmp_path / "s", wanted, lines=SENTENCES)
    file = loaded.folder / "pets.yaml"
    file.write_text(file.read_text().replace("idle", "doze"), encoding="utf-8")
    with pytest.raises(MissingStage, match="the templates have changed since they were expanded"):
        nextset.fill(loaded)


def test_a_model_that_writes_nothing_usable_is_stopped_early(tmp_path: Path) -> None:
    loaded = study(tmp_path / "s", "writer: {prompt: prompts.yaml}", lines=["As a language model,"])
    with pytest.raises(ModelError, match=r"./tiny proposed nothing .* so far \(4\) begin with:\n  'As"):
        nextset.fill(loaded)
    assert CHUNK > 4


@pytest.mark.parametrize(
    ("lines", "settings", "reason"),
    [
        (["the", "of", "and"], "", r"fills that are function words: \d+"),
        (["calm", "brisk"], "mask: noun, ", r"fills of another part of speech: \d+"),
        (["Surgeons"], "", "fills that name a group|proposals with a word of the sentence"),
        (["They idle. | Do they idle?"], "hypotheses", "hypotheses that name no group as the template does"),
    ],
)
def test_a_model_whose_proposals_are_all_dropped_is_stopped_early(
    tmp_path: Path, lines: list[str], settings: str, reason: str
) -> None:
    propose = "propose: hypotheses, " if settings == "hypotheses" else ""
    fill = f"{'' if propose else settings}writer: {{{propose}prompt: prompts.yaml, proposals: 10}}"
    loaded = study(tmp_path / "s", fill, lines=lines)
    with pytest.raises(ModelError, match=rf"proposed nothing that can be used \(.*({reason})") as caught:
        nextset.fill(loaded)
    assert "begin with:\n  '" in caught.value.message  # some answers are shown
    assert len(caught.value.message.splitlines()) < 6
    assert not (loaded.out / "fill").exists()


@pytest.mark.parametrize(
    ("fill", "error", "match"),
    [
        ("fluency: true", ModelError, "./tiny writes .* cannot score fluency"),
        (
            "fluency: {model: builtin:masked-lm}, writer: {propose: hypotheses}",
            ModelError,
            "fluency is scored only for filled masks",
        ),
        (
            "keep: best 2 of 5 by fluency, writer: {propose: hypotheses}",
            ModelError,
            "fluency is scored only for filled masks",
        ),
        ("writer: {prompt: none.yaml}", StudyError, "none.yaml"),
        ("writer: {prompt: 'builtin:xx'}", StudyError, "fill.writer.prompt: nextset has no prompts"),
        (
            "model: builtin:masked-lm, writer: {seed: 1}",
            ModelError,
            "fill.writer needs a model that writes",
        ),
        ("model: builtin:masked-lm, writer: {propose: hypotheses}", ModelError, "is a masked language model"),
    ],
)
def test_what_a_writer_cannot_do_stops_a_run_before_the_first_stage(
    tmp_path: Path, fill: str, error: type[Exception], match: str
) -> None:
    from nextset.generation.mask_fills.fill_model import check_fill_model

    loaded = study(tmp_path / "s", "top_k: 5")
    model = "" if fill.startswith("model") else "model: ./tiny, "
    loaded.file.write_text(STUDY.replace("{FILL}", f"{{{model}{fill}}}"), encoding="utf-8")
    loaded = nextset.Study.load(loaded.folder)
    with pytest.raises(error, match=match):
        check_fill_model(loaded)
    with pytest.raises(error, match=match):
        nextset.fill(loaded)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("format: 1\none_word: 'no place'\n", r"prompts.yaml:2: the placeholder \{number\} is missing"),
        ("format: 1\none_word: '{number} {sentence}'\n", r"prompts.yaml:2: unknown placeholder \{sentence\}"),
        ("format: 1\npro: '{number} {stereotype} {group1} {group2} {'\n", "a brace that is not part"),
        ("format: 1\n", "the file has no prompt '(one_word|several_words)'"),
    ],
)
def test_prompts_of_ones_own_are_checked(tmp_path: Path, text: str, match: str) -> None:
    loaded = study(tmp_path / "s", "writer: {prompt: prompts.yaml}")
    (loaded.folder / "prompts.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=match):
        nextset.fill(loaded)


@pytest.mark.slow
def test_proposed_hypotheses_are_released_with_their_counterparts(tmp_path: Path) -> None:
    wanted = "writer: {propose: hypotheses, prompt: prompts.yaml, proposals: 3}"
    loaded = study(tmp_path / "s", wanted, lines=SENTENCES)
    text = loaded.file.read_text(encoding="utf-8").replace(
        "candidates: [filled, plain]", "candidates: [filled]"
    )
    text = text.replace("builtin:nli-electra]", "builtin:nli-electra, builtin:nli-bart, builtin:nli-roberta]")
    loaded.file.write_text(text + "validate: {judge: rule}\n", encoding="utf-8")
    summary = nextset.run(nextset.Study.load(loaded.folder))
    assert summary.dataset is not None
    card = (summary.dataset / "README.md").read_text(encoding="utf-8")
    assert "A model proposed hypotheses for each stereotype when prompted." in card
    released = open_artifact(loaded.out / "release").table("items").to_pylist()
    by_id = {row["id"]: row for row in released}
    made = [row for row in released if row["counterpart_id"] and row["parent_id"] == row["counterpart_id"]]
    assert made
    for row in made:
        parent = by_id[row["counterpart_id"]]
        assert row["bindings"]["writer"] == parent["bindings"]["writer"]
        assert (row["bindings"]["group1"], row["bindings"]["group2"]) == (
            parent["bindings"]["group2"], parent["bindings"]["group1"],
        )  # fmt: skip
