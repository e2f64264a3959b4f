"""Near ties: a list of fills is the same in any company, order and number of sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch

from nextset.scoring.masks import logits as mask_logits
from nextset.scoring.masks.beam import Beam
from nextset.scoring.masks.fill_ties import cut_is_close, order_is_close
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.logits import MaskLogits, Query
from nextset.scoring.masks.masked_text import Masked, Prompt, tokens_of
from nextset.scoring.models.sources import locate

SUBJECTS = ("nurses", "men", "women in a kitchen", "surgeons who live abroad", "doctors and the men")
PROMPTS = [
    *(Prompt.alone(f"The {s} are too {{{{MASK}}}} for surgery.") for s in SUBJECTS),
    *(Prompt((Masked(f"{s} are {{{{MASK}}}}."), Masked(f"Quiet {s} are {{{{MASK}}}}."))) for s in SUBJECTS),
    Prompt.alone("The {{MASK}} garden is {{MASK}}."),
]


@dataclass
class Word:
    log: float
    close: float = 1e-5


@pytest.fixture(scope="module")
def filler() -> MaskFiller:
    return MaskFiller.load(locate("builtin:masked-lm"))


def with_ties(filler: MaskFiller) -> MaskFiller:
    """The same model, in which four fifths of the words have nearly the weights of another one.

    Their logits differ by less than a batch moves them.
    """
    changed = MaskFiller.load(locate("builtin:masked-lm"))
    model = changed.loaded.model
    embeddings = model.get_output_embeddings()
    with torch.no_grad():
        for first in range(1000, embeddings.weight.shape[0] - 5, 5):
            embeddings.weight[first + 1 : first + 5] = embeddings.weight[first] * (1 + 1e-7)
            if embeddings.bias is not None:
                embeddings.bias[first + 1 : first + 5] = embeddings.bias[first]
    return replace(changed, logits=MaskLogits.of(changed.loaded))


def companies(prompts: Sequence[Prompt], seed: int) -> list[list[Prompt]]:
    """The prompts in another order, in parts of several sizes."""
    rng = random.Random(seed)
    order = rng.sample(prompts, len(prompts))
    size = rng.choice((1, 2, 3, 5, 11))
    return [order[i : i + size] for i in range(0, len(order), size)]


def lists(
    filler: MaskFiller, parts: Sequence[Sequence[Prompt]], pieces: int
) -> dict[Prompt, list[tuple[str, ...]]]:
    found = {}
    for part in parts:
        for prompt, fillings in zip(part, filler.fill(part, 12, pieces), strict=True):
            found[prompt] = [f.words for f in fillings]
    return found


@pytest.mark.parametrize("ties", [False, True], ids=["as it is", "many ties"])
@pytest.mark.parametrize("pieces", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_lists_are_the_same_in_every_company(
    filler: MaskFiller, monkeypatch: pytest.MonkeyPatch, ties: bool, pieces: int
) -> None:
    model = with_ties(filler) if ties else filler
    prompts = PROMPTS if pieces == 1 else PROMPTS[:2]
    alone = lists(model, [[p] for p in prompts], pieces)
    for seed, batch in enumerate((2, 7, 64)):
        monkeypatch.setattr(mask_logits, "BATCH", batch)
        assert lists(model, companies(prompts, seed), pieces) == alone


def test_many_ties_are_asked_again_and_few_of_a_plain_model(filler: MaskFiller) -> None:
    for model, again in ((filler, 0), (with_ties(filler), len(SUBJECTS))):
        tokens = tokens_of(model.loaded, [s for p in PROMPTS for s in p.sentences], 1)
        found = Beam(model.logits, model.judge, 1).fill(
            [[tokens[s] for s in p.sentences] for p in PROMPTS], 12
        )
        close = sum(f.close for f in found)
        assert close >= again if again else close <= 2


def test_a_sentence_that_is_asked_alone_has_the_same_numbers_in_every_company(filler: MaskFiller) -> None:
    tokens = tokens_of(filler.loaded, [p.sentences[0] for p in PROMPTS[:5]], 1)
    groups: list[tuple[Query, ...]] = [(t.asking((), 1),) for t in tokens.values()]
    alone = replace(filler.logits, alone=True)
    together = {g: row for s in alone.scored(groups) for g, row in zip(s.groups, s.logits, strict=True)}
    for group in groups:
        (one,) = alone.scored([group])
        assert torch.equal(one.logits[0], together[group])


def test_neighbours_and_the_cut_are_compared() -> None:
    ranked = [Word(-1.0), Word(-2.0), Word(-2.000004), Word(-3.0), Word(-3.000004)]
    assert not order_is_close(ranked, 1)  # −1 and −2
    assert order_is_close(ranked, 2)  # 4e-6 between the second and the third, less than 1e-5
    assert [cut_is_close(ranked, k) for k in (1, 2, 3, 4, 5)] == [False, True, False, True, False]
    assert not order_is_close([Word(-1.0, close=1e-6), Word(-1.000004, close=1e-6)], 1)
    assert order_is_close([Word(-1.0, close=0.0), Word(-1.0, close=0.0)], 2)
    assert not order_is_close([], 3)


def test_the_tiny_models_of_every_tokenizer_agree_too(masked_lm_folder: Path) -> None:
    tiny = MaskFiller.load(locate(str(masked_lm_folder)))
    alone = lists(tiny, [[p] for p in PROMPTS], 1)
    assert lists(tiny, companies(PROMPTS, 3), 1) == alone
    assert lists(tiny, [PROMPTS[::-1]], 1) == alone
