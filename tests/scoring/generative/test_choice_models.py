"""Causal and encoder-decoder models on choice items: sums, orders of the options, and exactness."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.prompt_wordings import render_prompts
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion
from nextset.study.scoring_settings import ScoringSettings
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama
from tests.scoring.generative.tiny_seq2seq import save_bart, save_t5

QUESTIONS = [
    ChoiceQuestion("Niger met Nigeria.", "Who was late?", ("Niger", "Not known", "Nigeria"), 1),
    ChoiceQuestion("Ann met Bob.", "Who was kind?", ("Ann", "Bob"), -1),
    ChoiceQuestion("A b c d.", "Who?", ("one", "two", "three", "four", "five", "six"), 5),
]
FLIPS = CHOICE_COLUMNS.index("flips")


@pytest.fixture(scope="module", params=[save_gpt2, save_llama, save_t5, save_bart])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return request.param(tmp_path_factory.mktemp("writer"))  # type: ignore[no-any-return]


def scorer(folder: Path, **scoring: Any) -> Any:
    return scorer_of(locate(str(folder)), Asking("choice", ScoringSettings(**scoring)))


def permuted(asked: ChoiceQuestion, order: tuple[int, ...]) -> ChoiceQuestion:
    unknown = order.index(asked.unknown) if asked.unknown >= 0 else -1
    return replace(asked, options=tuple(asked.options[i] for i in order), unknown=unknown)


def test_probabilities_sum_to_one_and_places_without_an_option_are_empty(folder: Path) -> None:
    found = scorer(folder)
    encoded = found.encoded(QUESTIONS)
    quick, alone = found.scores(encoded), found.alone(encoded)
    np.testing.assert_allclose(quick, alone, atol=1e-4)
    for numbers, asked in zip(alone, QUESTIONS, strict=True):
        count = len(asked.options)
        assert numbers[:count].sum() == pytest.approx(1)
        assert np.isnan(numbers[count:6]).all()
        assert numbers[FLIPS] in [pytest.approx(n / count) for n in range(count + 1)]
    np.testing.assert_array_equal(found.alone(encoded[::-1])[::-1], alone)


def test_the_order_of_the_item_decides_nothing_over_all_orders(folder: Path) -> None:
    found = scorer(folder)
    expected = found.alone(found.encoded([QUESTIONS[0]]))[0]
    for order in itertools.permutations(range(3)):
        numbers = found.alone(found.encoded([permuted(QUESTIONS[0], order)]))[0]
        np.testing.assert_allclose(numbers[:3], expected[list(order)], atol=1e-6)
        assert numbers[FLIPS] == expected[FLIPS]


def test_one_order_has_no_flips(folder: Path) -> None:
    found = scorer(folder, rotations="one")
    numbers = found.alone(found.encoded(QUESTIONS))
    assert np.isnan(numbers[:, FLIPS]).all()
    assert numbers[0, :3].sum() == pytest.approx(1)


def test_bfloat16_is_scored_again_in_float32(folder: Path) -> None:
    quick, exact = scorer(folder, precision="bfloat16"), scorer(folder)
    again = quick.alone(quick.encoded(QUESTIONS))
    np.testing.assert_array_equal(again, exact.alone(exact.encoded(QUESTIONS)))


def test_numbers_are_those_of_a_plain_computation(tmp_path: Path) -> None:
    """The probability of each choice after its prompt, divided by the sum, mean over four prompts."""
    found = scorer(save_llama(tmp_path / "llama"))
    tokenizer: Any = AutoTokenizer.from_pretrained(tmp_path / "llama")
    model: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "llama")
    (prompts,) = render_prompts(found.asking, QUESTIONS[1:2])
    shares = np.zeros(2)
    for prompt in prompts:
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt.prompt}], tokenize=False, add_generation_prompt=True
        )
        before = tokenizer(text, add_special_tokens=False).input_ids
        odds = []
        for choice in prompt.choices:
            ids = tokenizer(text + choice, add_special_tokens=False).input_ids
            assert ids[: len(before)] == before
            with torch.no_grad():
                logs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
            odds.append(sum(logs[i - 1, ids[i]].item() for i in range(len(before), len(ids))))
        each = np.exp(np.array(odds) - max(odds))
        for place, share in zip(prompt.places, each / each.sum(), strict=True):
            shares[place] += share / len(prompts)
    numbers = found.alone(found.encoded(QUESTIONS[1:2]))
    np.testing.assert_allclose(numbers[0, :2], shares, atol=1e-5)
