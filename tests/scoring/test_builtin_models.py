"""The models that are shipped: what lies in their folders, and the floors on their held-out tests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from makers.builtin_models import held_out_accuracy as figures
from makers.builtin_models.builtin_card import front_matter
from makers.builtin_models.builtin_models import NAMES
from makers.builtin_models.masked_sentences import masked_test
from makers.builtin_models.nli_pairs import held_out_pairs
from makers.builtin_models.own_canaries import CANARIES
from makers.builtin_models.qa_examples import held_out_questions
from nextset.records.nli_items import LABELS
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.models.sources import BUILTIN, builtin_names, locate
from nextset.scoring.nli import NliClassifier
from nextset.word_lists.lexicon import read_lexicon

NLI = [name for name in NAMES if name.startswith("nli-")]
FILES = {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_all_are_there() -> None:
    assert builtin_names() == sorted(NAMES)
    assert _size(BUILTIN) <= 30_000_000


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_holds_a_small_safe_model_with_its_card(name: str) -> None:
    folder = BUILTIN / name
    assert {file.name for file in folder.iterdir()} == FILES
    assert _size(folder) <= 5_000_000
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "never for conclusions" in card
    assert "license: apache-2.0" in card
    assert "floor" in card
    own = next(cases for start, cases in CANARIES.items() if name.startswith(start))
    (tag,) = re.findall(r"^pipeline_tag: (.*)$", card, re.M)
    assert card.startswith(front_matter(tag, own))


def test_the_four_nli_models_are_of_four_architectures_and_name_their_labels() -> None:
    configs = [json.loads((BUILTIN / name / "config.json").read_text(encoding="utf-8")) for name in NLI]
    assert len({config["model_type"] for config in configs}) == 4
    assert all(tuple(config["id2label"].values()) == LABELS for config in configs)


@pytest.mark.parametrize("name", NLI)
def test_nli_floor(name: str) -> None:
    classifier = NliClassifier.load(locate(f"builtin:{name}"))
    assert figures.nli_accuracy(classifier, held_out_pairs(read_lexicon())) >= figures.NLI_FLOOR


@pytest.mark.slow
def test_qa_floor() -> None:
    reader = SpanAnswers.load(locate("builtin:qa-roformer"))
    assert figures.exact_matches(reader, held_out_questions(read_lexicon())) >= figures.QA_FLOOR


def test_masked_lm_floor() -> None:
    filler = MaskFiller.load(locate("builtin:masked-lm"))
    sentences = masked_test(read_lexicon())
    assert len(sentences) == 50
    assert figures.fitting_fills(filler, sentences).mean >= figures.FITTING_FLOOR
