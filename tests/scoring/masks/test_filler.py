"""Fills: whole new words, ranked, whatever else is filled beside."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.masks.filler import Filling, MaskFiller
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.scoring.masks.word_pattern import is_word, words_in
from nextset.scoring.models.sources import locate

SENTENCES = [
    "The nurses are too {{MASK}} for surgery.",
    "{{MASK}} who live abroad are kind.",
    "A {{MASK}}, and the box.",
]
TWO = "The {{MASK}} are too {{MASK}} for surgery."
PROMPTS = [Prompt.alone(s) for s in SENTENCES]


@pytest.fixture(scope="module")
def filler(masked_lm_folder: Path) -> MaskFiller:
    return MaskFiller.load(locate(str(masked_lm_folder)))


def product(filling: Filling) -> float:
    result = 1.0
    for score in filling.scores:
        result *= score
    return result


@pytest.mark.parametrize("pieces", [1, 2])
def test_fills_are_whole_new_words_ranked_by_probability(filler: MaskFiller, pieces: int) -> None:
    for sentence, fills in zip(SENTENCES, filler.fill(PROMPTS, 8, pieces), strict=True):
        assert fills
        words = [f.words[0] for f in fills]
        assert all(0 <= f.scores[0] <= 1 for f in fills)
        assert sorted((f.scores[0] for f in fills), reverse=True) == [f.scores[0] for f in fills]
        assert len({w.casefold() for w in words}) == len(words)
        assert all(map(is_word, words))
        assert not words_in(sentence) & {w.casefold() for w in words}


@pytest.mark.parametrize("pieces", [1, 3])
def test_each_fill_is_read_as_few_tokens_between_word_boundaries(filler: MaskFiller, pieces: int) -> None:
    start = SENTENCES[0].index("{{MASK}}")
    for fill in filler.fill(PROMPTS[:1], 8, pieces)[0]:
        text = SENTENCES[0].replace("{{MASK}}", fill.words[0])
        encoding = filler.loaded.tokenizer.backend_tokenizer.encode(text)
        end = start + len(fill.words[0])
        over = [o for o in encoding.offsets if o[0] < end and o[1] > start]
        assert 1 <= len(over) <= pieces
        assert over[-1][1] == end


def test_more_pieces_find_words_that_are_no_token(filler: MaskFiller) -> None:
    one, two = (
        {f.words[0].casefold() for f in filler.fill(PROMPTS[:1], 1000, pieces)[0]} for pieces in (1, 2)
    )
    assert one < two


def test_scores_are_over_the_whole_vocabulary(filler: MaskFiller) -> None:
    fills = filler.fill(PROMPTS[:1], 1000)[0]
    assert sum(f.scores[0] for f in fills) < 1
    assert len(fills) < len(filler.loaded.tokenizer)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [1, 2])
def test_fewer_fills_are_the_first_of_more(filler: MaskFiller, pieces: int) -> None:
    prompts = [*PROMPTS, Prompt.alone(TWO)]
    more = filler.fill(prompts, 8, pieces)
    assert filler.fill(prompts, 3, pieces) == [fills[:3] for fills in more]


def test_every_mask_is_filled_and_the_product_ranks(filler: MaskFiller) -> None:
    (fills,) = filler.fill([Prompt.alone(TWO)], 30)
    assert len({f.words for f in fills}) == len(fills) == 30
    products = [product(f) for f in fills]
    assert products == sorted(products, reverse=True)
    for fill in fills:
        assert len(fill.words) == 2
        assert fill.words[0].casefold() != fill.words[1].casefold()


def test_a_filling_of_two_masks_has_the_scores_of_its_words_one_after_the_other(filler: MaskFiller) -> None:
    best = filler.fill([Prompt.alone(TWO)], 1)[0][0]
    rest = TWO.replace("{{MASK}}", best.words[0], 1)
    second = {f.words[0]: f.scores[0] for f in filler.fill([Prompt.alone(rest)], 1000)[0]}
    assert second[best.words[1]] == pytest.approx(best.scores[1], rel=1e-4)


def test_masks_that_touch_have_no_whole_words(filler: MaskFiller) -> None:
    assert filler.fill([Prompt.alone("The {{MASK}}{{MASK}} are kind.")], 4) == [[]]


def test_equal_sentences_get_equal_fills_and_none_gets_none(filler: MaskFiller) -> None:
    first, second = filler.fill([PROMPTS[0], PROMPTS[0]], 4)
    assert first == second
    assert filler.fill([], 4) == []


@pytest.fixture(scope="module")
def builtin() -> MaskFiller:
    return MaskFiller.load(locate("builtin:masked-lm"))


@pytest.mark.slow
@settings(max_examples=25)
@given(
    order=st.permutations([*SENTENCES, "Men are {{MASK}}.", "The {{MASK}} box in the garden."]),
    n=st.integers(1, 5),
)
def test_what_is_filled_beside_changes_no_fill(builtin: MaskFiller, order: list[str], n: int) -> None:
    alone = {s: builtin.fill([Prompt.alone(s)], 5)[0] for s in order[:n]}
    for sentence, fills in zip(order[:n], builtin.fill([Prompt.alone(s) for s in order[:n]], 5), strict=True):
        assert [f.words for f in fills] == [f.words for f in alone[sentence]]
        for a, b in zip(fills, alone[sentence], strict=True):
            assert a.scores == pytest.approx(b.scores, rel=1e-4)


def test_together_the_score_is_the_geometric_mean(filler: MaskFiller) -> None:
    pair = ["Men are too {{MASK}} for surgery.", "Women are too {{MASK}} for surgery."]
    apart = [
        {f.words: f.scores[0] for f in some} for some in filler.fill([Prompt.alone(s) for s in pair], 1000)
    ]
    masked = [Masked(s) for s in pair]
    (found,) = filler.fill([Prompt(tuple(masked))], 5)
    for fill in found:
        first, second = (scores[fill.words] for scores in apart)
        assert fill.scores[0] == pytest.approx((first * second) ** 0.5, rel=1e-4)
    (turned,) = filler.fill([Prompt(tuple(masked[::-1]))], 5)
    assert [f.words for f in turned] == [f.words for f in found]


def test_a_premise_in_sight_changes_the_scores(filler: MaskFiller) -> None:
    alone, seeing = filler.fill([PROMPTS[0], Prompt.alone(SENTENCES[0], "The nurses are kind.")], 5)
    assert [f.scores for f in alone] != [f.scores for f in seeing]


@pytest.mark.parametrize("text", ["No mask here.", ""])
def test_a_mask_is_needed(filler: MaskFiller, text: str) -> None:
    with pytest.raises(ModelError, match=r"no \{\{MASK\}\} in"):
        filler.fill([Prompt.alone(text)], 4)


@pytest.mark.parametrize(
    "prompt", [Prompt.alone("The [MASK] are {{MASK}}."), Prompt.alone("Men are {{MASK}}.", "A [MASK].")]
)
def test_the_models_own_mask_is_refused(filler: MaskFiller, prompt: Prompt) -> None:
    with pytest.raises(ModelError, match="own mask token"):
        filler.fill([prompt], 4)


def test_a_mask_in_the_premise_is_refused(filler: MaskFiller) -> None:
    with pytest.raises(ModelError, match="in the premise 'A"):
        filler.fill([Prompt.alone("Men are {{MASK}}.", "A {{MASK}}.")], 4)


@pytest.mark.parametrize(("words", "pieces"), [(80, 1), (1, 60)])
def test_a_sentence_that_is_too_long_is_named(filler: MaskFiller, words: int, pieces: int) -> None:
    with pytest.raises(ModelError, match=r"at most 40 tokens.*nurses"):
        filler.fill([Prompt.alone("nurses " * words + "{{MASK}}")], 4, pieces)


def test_a_tokenizer_without_its_mask_token_is_refused(masked_lm_folder: Path, tmp_path: Path) -> None:
    import json

    folder = shutil.copytree(masked_lm_folder, tmp_path / "model")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["mask_token"] = None
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="has no mask token"):
        MaskFiller.load(locate(str(folder)))
