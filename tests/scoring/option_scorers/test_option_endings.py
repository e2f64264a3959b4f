"""Multiple-choice models on questions with options, against a plain forward pass of each option."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.option_scorers.option_endings import OptionEndings
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

ASKING = Asking("choice", ScoringSettings())
QUESTIONS = [
    ChoiceQuestion("The nurses met a surgeon.", "Who was late?", ("The nurses", "Nobody", "A surgeon"), 1),
    ChoiceQuestion("A man met women abroad.", "Who opened it?", ("The man", "Women"), -1),
    ChoiceQuestion("É {x}", "Who?", ("a", "b", "c", "d", "e", "f"), 5),
]


@pytest.fixture(scope="module")
def chooser(chooser_folder: Path) -> OptionEndings:
    found = scorer_of(locate(str(chooser_folder)), ASKING)
    assert isinstance(found, OptionEndings)
    return found


def plain(scorer: OptionEndings, asked: ChoiceQuestion) -> list[float]:
    loaded = scorer.head.precisions.quick
    texts = [f"{asked.question} {option}" for option in asked.options]
    inputs = loaded.tokenizer([asked.context] * len(texts), texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = loaded.model(**{name: tensor[None] for name, tensor in inputs.items()}).logits
    return logits[0].double().softmax(-1).tolist()  # type: ignore[no-any-return]


def test_probabilities_are_those_of_the_definition(chooser: OptionEndings) -> None:
    encoded = chooser.encoded(QUESTIONS)
    assert chooser.columns == CHOICE_COLUMNS
    numbers, alone = chooser.scores(encoded), chooser.alone(encoded)
    for each, exact, asked in zip(numbers, alone, QUESTIONS, strict=True):
        count = len(asked.options)
        np.testing.assert_allclose(each[:count], plain(chooser, asked), rtol=1e-3, atol=1e-6)
        np.testing.assert_allclose(exact[:count].sum(), 1, atol=1e-12)
        assert np.isnan(each[count:-1]).all()
        assert each[-1] == 0


def test_the_order_of_the_options_decides_nothing(chooser: OptionEndings) -> None:
    asked = QUESTIONS[0]
    expected = chooser.alone(chooser.encoded([asked]))[0]
    for order in itertools.permutations(range(3)):
        other = replace(asked, options=tuple(asked.options[i] for i in order), unknown=order.index(1))
        numbers = chooser.alone(chooser.encoded([other]))[0]
        np.testing.assert_allclose(numbers[:3], expected[list(order)], atol=1e-6)


def test_too_long_questions_are_refused_or_cut(chooser_folder: Path) -> None:
    long = ChoiceQuestion("Kind nurses live abroad. " * 100, "Who?", ("nurses", "men", "nobody"), 2)
    source = locate(str(chooser_folder))
    with pytest.raises(ModelError, match="at most"):
        OptionEndings.load(source, ASKING).encoded([long])
    cutting = OptionEndings.load(source, replace(ASKING, model=ModelSettings(too_long="truncate")))
    assert cutting.scores(cutting.encoded([long]))[0, -1] == 1
