"""The masks of choice items are filled: one word for a whole set, by the rules for hypotheses."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import is_current, open_artifact
from nextset.errors import TemplateError
from nextset.generation.choices.choice_sentences import ChoiceSentences
from nextset.generation.forms.masked_choices import MASKED_CHOICES, SETS, UNFILLED
from nextset.generation.forms.masked_form import MASKED_FORMS
from nextset.generation.mask_fills.fill_recipes import fill_recipe
from nextset.generation.mask_fills.fill_selection import AGAINST
from nextset.generation.questions.pack import read_pack_choices
from nextset.generation.questions.pack_choices.expanded_choices import ChoiceExpansion
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import choice_ids
from nextset.records.nli_items import NliItem
from tests.complete_choice_sets import incomplete_sets
from tests.generation.questions.pack_choices.small_choices import AGES, KEYS, WINDOW, choice_pack

TWO = {"ages": {name: AGES[name] for name in ("grandfather", "grandson")}}
MASKED: dict[str, Any] = {
    **KEYS,
    "ambiguous": "In a {{MASK:adj}} room, [subj1:a] met [subj2:a].",
    "disambiguating": "[subj1:the] had lost the keys, and [subj2:the] found them in a {{MASK:noun}}.",
    "negative": "Who was {{MASK:only like careless, lazy, slow, unlike careful}}?",
    "words": {},
}


def study(folder: Path, fill: str, **pack: Any) -> nextset.Study:
    source = choice_pack(folder / "pack", **{"people": TWO, **pack})
    text = f'format: 1\nname: s\nchoices:\n  packs: ["{source}"]\nfill: {{{fill}}}\n'
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return nextset.Study.load(folder)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    """A study with a template of three masks and one without, whose masks are filled."""
    loaded = study(
        tmp_path_factory.mktemp("study"),
        "top_k: 4",
        templates={"masked": MASKED, "keys": KEYS},
        controls={"window": WINDOW},
    )
    nextset.generate(loaded)
    nextset.fill(loaded)
    return loaded


def test_all_rows_of_a_set_have_the_same_words(filled: nextset.Study) -> None:
    artifact = open_artifact(filled.out / "fill")
    items = artifact.table("choices")
    assert 0 < items.num_rows == len(set(items["set_id"].to_pylist())) * 12
    assert incomplete_sets(items) == []
    assert items["id"].to_pylist() == choice_ids(items)
    assert "{{" not in "".join(items["context"].to_pylist() + items["question"].to_pylist())
    words: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in items.to_pylist():
        kinds = ["ambiguous", *(["told"] if row["condition"] == "disambiguated" else [])]
        kinds += ["asked"] if row["polarity"] == "negative" else []
        assert len(row["fills"]) == len(kinds)
        for kind, fill in zip(kinds, row["fills"], strict=True):
            words[row["set_id"]][kind, row["template_id"]].add(fill["word"])
        text = f"{row['context']} {row['question']}"
        assert all(fill["word"] in text for fill in row["fills"])
        assert len({fill["rank"] for fill in row["fills"]}) == 1
    assert all(len(of_kind) == 1 for of_set in words.values() for of_kind in of_set.values())
    assert len({tuple(sorted(map(min, of_set.values()))) for of_set in words.values()}) == len(words)


def test_a_fill_against_the_claim_would_turn_the_question_and_is_dropped(filled: nextset.Study) -> None:
    artifact = open_artifact(filled.out / "fill")
    asked = {
        row["fills"][-1]["word"]
        for row in artifact.table("choices").to_pylist()
        if row["polarity"] == "negative"
    }
    assert asked <= {"careless", "lazy", "slow"}
    assert artifact.counts[AGAINST] > 0


def test_filled_items_name_their_masked_ones_and_others_stay(filled: nextset.Study) -> None:
    generated = open_artifact(filled.out / "generate")
    masked = {row["id"]: row for row in generated.table("masked_choices").to_pylist()}
    assert {row["template_id"] for row in masked.values()} == {"masked"}
    assert set(generated.table("choices")["template_id"].to_pylist()) == {"keys", "window"}
    for row in open_artifact(filled.out / "fill").table("choices").to_pylist():
        parent = masked[row["parent_id"]]
        same = ("condition", "polarity", "options", "label", "unknown", "target", "words", "first_group")
        assert [row[name] for name in same] == [parent[name] for name in same]
        assert row["set_id"] != parent["set_id"]


def test_a_set_is_one_prompt_per_text(filled: nextset.Study) -> None:
    words = open_artifact(filled.out / "mask_words").table("words").to_pylist()
    assert len({row["prompt_id"] for row in words}) == 3  # ambiguous, disambiguating, negative
    assert {row["mask"] for row in words} == {1}


def test_the_fills_are_current_until_the_pack_or_the_settings_change(filled: nextset.Study) -> None:
    recipe = fill_recipe(filled)
    assert is_current(filled.out / "fill", recipe)
    other = filled.file.read_text(encoding="utf-8").replace("top_k: 4", "top_k: 3")
    folder = filled.folder.parent / "other"
    folder.mkdir()
    (folder / "study.yaml").write_text(other, encoding="utf-8")
    assert fill_recipe_of(folder, filled) != recipe


def fill_recipe_of(folder: Path, filled: nextset.Study) -> Any:
    (folder / "out").symlink_to(filled.out)
    return fill_recipe(nextset.Study.load(folder))


def test_without_masks_no_model_is_needed(tmp_path: Path) -> None:
    loaded = study(tmp_path, "model: builtin:no-such-model")
    assert not any(part.has_masks(loaded) for part in MASKED_FORMS)
    run = nextset.run(loaded)
    assert run is not None
    assert open_artifact(loaded.out / "fill").table("choices").num_rows == 0
    assert open_artifact(loaded.out / "generate").table("choices").num_rows == 24


def test_published_items_alone_are_not_filled(tmp_path: Path) -> None:
    text = 'format: 1\nname: s\nchoices:\n  items: ["items.jsonl"]\n'
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    assert not nextset.Study.load(tmp_path).settings.fills


@pytest.mark.parametrize(
    ("language", "mask", "says"),
    [
        ("de", "{{MASK:adj}}", "needs a tagger for de"),
        ("en", "{{MASK:in lists_of_nobody}}", "there is no list lists_of_nobody for en"),
        ("en", "{{MASK:only like slow, lazy}} and {{MASK:adj}}", "is for the only mask of a text"),
    ],
)
def test_masks_that_cannot_be_filled_are_errors_before_anything_is_written(
    tmp_path: Path, language: str, mask: str, says: str
) -> None:
    questions = {"negative": f"Who was {mask}?", "non_negative": f"Who was not {mask}?"}
    loaded = study(tmp_path, "top_k: 2", head={"language": language}, template=questions)
    with pytest.raises(TemplateError, match=says):
        nextset.generate(loaded)
    assert not (loaded.out / "generate").exists()


def test_a_set_without_a_word_for_all_of_its_texts_is_counted(tmp_path: Path) -> None:
    pack = choice_pack(tmp_path, people=TWO, templates={"masked": MASKED})
    choices = read_pack_choices(pack)
    assert choices is not None
    masked = ChoiceExpansion(choices).table(choices.templates[0])
    sentences = ChoiceSentences.table(masked)
    # 2 ambiguous texts, 2 disambiguating ones, 1 question
    assert sentences.num_rows == 5
    assert len(set(sentences["set_id"].to_pylist())) == 3
    rows = [
        {
            **{name: row[name] for name in arrow_schema(NliItem).names},
            "parent_id": row["id"],
            "hypothesis": row["hypothesis"].replace("{{MASK}}", word),
            "bindings": {**row["bindings"], "fills": [{"word": word, "rank": rank, "score": 0.5}]},
        }
        for at, row in enumerate(sentences.to_pylist())
        # one of the two ambiguous texts takes no third word, and the question takes only two
        for rank, word in enumerate(["one", "two", "three"][: 2 if at == 0 else 3], 1)
    ]
    some = pa.Table.from_pylist(rows, schema=arrow_schema(NliItem))
    result = MASKED_CHOICES.filled(some, masked)
    assert (result.table.num_rows, result.counts[SETS]) == (24, 1)
    assert incomplete_sets(result.table) == []
    none = MASKED_CHOICES.filled(some.slice(0, 2), masked)
    assert (none.table.num_rows, none.counts[UNFILLED]) == (0, 1)
