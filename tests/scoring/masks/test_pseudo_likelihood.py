"""Targets and sentences are scored token by token; the sums are reckoned here from the model's own logits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from nextset.errors import ModelError
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.scoring.masks.pseudo_likelihood import PseudoLogLikelihood
from nextset.scoring.models.sources import locate

SENTENCE = Masked("The nurses are too {{MASK}} for surgery.")


@pytest.fixture(scope="module")
def filler(masked_lm_folder: Path) -> MaskFiller:
    return MaskFiller.load(locate(str(masked_lm_folder)))


def log_probability(filler: MaskFiller, ids: list[int], masked: list[int], at: int) -> float:
    """log P(ids[at]) with the tokens at ``masked`` hidden, from a plain forward pass."""
    hidden = [filler.loaded.tokenizer.mask_token_id if i in masked else t for i, t in enumerate(ids)]
    with torch.inference_mode():
        logits = filler.loaded.model(
            input_ids=torch.tensor([hidden]),
            attention_mask=torch.ones(1, len(ids), dtype=torch.long),
            token_type_ids=torch.zeros(1, len(ids), dtype=torch.long),
        ).logits[0, at]
    return float(torch.log_softmax(logits.double(), -1)[ids[at]])


def test_a_target_of_several_tokens_is_scored_whole(filler: MaskFiller) -> None:
    target = "surgeon kitchen"
    text = SENTENCE.sentence.replace("{{MASK}}", target)
    encoding = filler.loaded.tokenizer.backend_tokenizer.encode(text)
    start = text.index(target)
    at = [i for i, (a, b) in enumerate(encoding.offsets) if a < start + len(target) and b > start]
    assert len(at) > 1
    # log P(t1 | t1..tk masked) + log P(t2 | t1 there, t2..tk masked) + …
    expected = sum(log_probability(filler, encoding.ids, at[n:], i) for n, i in enumerate(at))
    assert filler.score([SENTENCE], [target]) == [pytest.approx(expected, rel=1e-4)]


def test_a_fill_of_several_tokens_has_the_score_of_its_target(filler: MaskFiller) -> None:
    for fill in filler.fill([Prompt((SENTENCE,))], 10, pieces=2)[0]:
        (log,) = filler.score([SENTENCE], [fill.words[0]])
        assert torch.tensor(log).exp().item() == pytest.approx(fill.scores[0], rel=1e-3)


def test_targets_behind_a_premise(filler: MaskFiller) -> None:
    seeing = Masked(SENTENCE.sentence, "Men should not work in a kitchen.")
    alone, with_premise = filler.score([SENTENCE, seeing], ["gentle", "gentle"])
    assert alone != pytest.approx(with_premise)
    fills = filler.fill([Prompt((seeing,))], 1000)[0]
    found = [f.scores[0] for f in fills if f.words == ("gentle",)]
    assert found in ([], [pytest.approx(torch.tensor(with_premise).exp().item(), rel=1e-3)])


@pytest.mark.parametrize(
    ("sentence", "target", "says"),
    [
        ("The {{MASK}} are {{MASK}}.", "kind", "exactly one mask, and this one has 2"),
        ("The nurses.", "kind", "no {{MASK}} in"),
        ("The {{MASK}} are kind.", "", "does not read '' as whole tokens"),
        ("nurses " * 39 + "{{MASK}}.", "kind kind kind", "at most 40 tokens"),
    ],
)
def test_what_cannot_be_scored_is_named(filler: MaskFiller, sentence: str, target: str, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        filler.score([Masked(sentence)], [target])
    assert says in caught.value.message


def test_fluency_masks_each_token_and_the_rest_of_its_word(filler: MaskFiller) -> None:
    text = "Quiet surgeons isn't."
    encoding = filler.loaded.tokenizer.backend_tokenizer.encode(text)
    expected = 0.0
    tokens = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
    # the words by hand: Quiet | surgeons | isn | ' | t | .
    ends = [5, 14, 18, 19, 20, 21]
    word = {i: next(n for n, end in enumerate(ends) if encoding.offsets[i][1] <= end) for i in tokens}
    for i in tokens:
        later = [j for j in tokens if j >= i and word[j] == word[i]]
        expected += log_probability(filler, encoding.ids, later, i)
    (found,) = filler.pseudo_log_likelihood([text])
    assert found.tokens == len(tokens)
    assert found.total == pytest.approx(expected, rel=1e-4)
    assert found.mean == pytest.approx(expected / len(tokens), rel=1e-4)


def test_sentences_that_are_filled_together_have_as_many_masks(filler: MaskFiller) -> None:
    uneven = Prompt((Masked("The {{MASK}} are {{MASK}}."), Masked("The nurses are {{MASK}}.")))
    with pytest.raises(ModelError, match="different numbers of masks"):
        filler.fill([uneven], 3)


def test_a_sentence_without_tokens_has_no_mean() -> None:
    assert PseudoLogLikelihood(0.0, 0).mean is None


def test_the_built_in_model_finds_shuffled_sentences_less_fluent() -> None:
    filler = MaskFiller.load(locate("builtin:masked-lm"))
    fluent, shuffled = filler.pseudo_log_likelihood(
        ["The surgeons are too calm.", "Calm the too surgeons are."]
    )
    assert fluent.mean is not None
    assert shuffled.mean is not None
    assert fluent.mean > shuffled.mean
