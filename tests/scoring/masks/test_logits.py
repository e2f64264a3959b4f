"""The vocabulary is met at the masks only, by every architecture, with the logits that the model gives."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.logits import Group, MaskLogits
from nextset.scoring.masks.masked_text import Masked, Prompt, tokens_of
from nextset.scoring.masks.top_k import top
from nextset.scoring.models.sources import locate

SENTENCES = [
    Masked("The nurses are too {{MASK}} for surgery."),
    Masked("{{MASK}} who live abroad are kind."),
    Masked("Men are {{MASK}}.", "A surgeon opened the wooden box in the garden."),
]


@pytest.fixture(scope="module")
def filler(architecture_folder: Path) -> MaskFiller:
    return MaskFiller.load(locate(str(architecture_folder)))


def asked_plainly(filler: MaskFiller, masked: Masked) -> torch.Tensor:
    """Log probabilities over the vocabulary at the mask, one sentence at a time, by transformers alone."""
    tokenizer = filler.loaded.tokenizer
    text = masked.sentence.replace("{{MASK}}", tokenizer.mask_token)
    inputs = tokenizer(*([masked.premise, text] if masked.premise else [text]), return_tensors="pt")
    with torch.inference_mode():
        logits = filler.loaded.model(**inputs).logits
    found: torch.Tensor = torch.log_softmax(logits[inputs["input_ids"] == tokenizer.mask_token_id], -1)[0]
    return found


def test_only_the_masks_are_projected(filler: MaskFiller) -> None:
    base = filler.loaded.model.base_model
    layers = getattr(getattr(base, "encoder", None), "layer", None)
    assert filler.logits.narrowed is (layers[-1].attention if layers else base)


@pytest.mark.parametrize("narrows", [True, False])
def test_log_probabilities_are_those_of_the_model(filler: MaskFiller, narrows: bool) -> None:
    sentences = [*SENTENCES, Masked("The nurses who live abroad are {{MASK}}.")]
    tokens = tokens_of(filler.loaded, sentences, 1)
    groups: list[Group] = [(tokens[s].asking((), 1),) for s in sentences]
    seen = 0
    narrowed = filler.logits.narrowed if narrows else None
    for scored in MaskLogits(filler.loaded, narrowed).scored([*groups, groups[0]]):
        for group, logits, norm in zip(scored.groups, scored.logits, scored.norms, strict=True):
            expected = asked_plainly(filler, sentences[groups.index(group)])
            torch.testing.assert_close(logits - norm, expected, rtol=1e-4, atol=1e-4)
            seen += 1
    assert seen == len(sentences)  # the one that was asked twice is answered once


def test_the_best_tokens_are_those_of_the_model(filler: MaskFiller) -> None:
    for masked, tokens in zip(SENTENCES, filler.tokens(SENTENCES, 5), strict=True):
        assert tokens == asked_plainly(filler, masked).topk(5).indices.tolist()


def test_the_fills_have_their_probability(filler: MaskFiller) -> None:
    fill = filler.fill([Prompt((SENTENCES[0],))], 1)[0][0]
    ids = filler.loaded.tokenizer.backend_tokenizer.encode(f"too {fill.words[0]} for").ids
    probabilities = asked_plainly(filler, SENTENCES[0]).exp()
    assert any(float(probabilities[i]) == pytest.approx(fill.scores[0], rel=1e-3) for i in ids)


floats = st.one_of(st.floats(-9, 9, width=32), st.sampled_from([0.0, 1.0, -math.inf]))


@pytest.mark.slow
@given(
    st.integers(1, 200).flatmap(
        lambda n: st.lists(st.lists(floats, min_size=n, max_size=n), min_size=1, max_size=3)
    ),
    st.integers(1, 9),
)
def test_top_is_a_stable_sort_from_the_largest(rows: list[list[float]], k: int) -> None:
    found = top(torch.tensor(rows, dtype=torch.float32), k)
    for row, columns in zip(torch.tensor(rows, dtype=torch.float32).tolist(), found, strict=True):
        finite = [i for i in range(len(row)) if row[i] != -math.inf]
        assert columns == sorted(finite, key=lambda i: (-row[i], i))[:k]


def test_top_of_a_long_row() -> None:
    torch.manual_seed(0)
    scores = torch.randint(0, 500, (2, 5000)).float()
    found = top(scores, 30)
    for row, columns in zip(scores.tolist(), found, strict=True):
        assert columns == sorted(range(5000), key=lambda i: (-row[i], i))[:30]
