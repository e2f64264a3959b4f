"""NLI models on questions with options: worked arithmetic, and the same numbers from single pairs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.option_scorers.option_hypotheses import OptionHypotheses, hypothesis_shares
from nextset.scoring.scorer_protocol import ChoiceQuestion
from nextset.study.scoring_settings import ScoringSettings

ASKING = Asking("choice", ScoringSettings())
QUESTIONS = [
    ChoiceQuestion("The nurses met a surgeon.", "Who is kind?", ("The nurses", "Nobody", "A surgeon"), 1),
    ChoiceQuestion("A man met women abroad.", "Who is quiet?", ("The man", "Women"), -1),
]


@pytest.fixture(scope="module")
def reader(nli_folder: Path) -> OptionHypotheses:
    found = scorer_of(locate(str(nli_folder)), ASKING)
    assert isinstance(found, OptionHypotheses)
    return found


def test_unknown_has_the_least_probability_of_neutral() -> None:
    """The first person is entailed with .6 and neutral with .3, the second with .1 and .5: unknown scores
    .3, and the sum of .6, .1 and .3 is 1."""
    numbers = np.array([[0.6, 0.3, 0.1, 0], [0.1, 0.5, 0.4, 0]])
    np.testing.assert_allclose(hypothesis_shares(numbers, 1), [0.6, 0.3, 0.1])
    np.testing.assert_allclose(hypothesis_shares(numbers, 2), [0.6, 0.1, 0.3])
    np.testing.assert_allclose(hypothesis_shares(numbers, -1), [0.6 / 0.7, 0.1 / 0.7])


def test_two_labels_give_unknown_the_rest_of_the_most_entailed() -> None:
    """Entailed with .9 and .2: unknown scores the smaller of .1 and .8, and the sum is 1.2."""
    numbers = np.array([[0.9, np.nan, np.nan, 0], [0.2, np.nan, np.nan, 0]])
    np.testing.assert_allclose(hypothesis_shares(numbers, 0), [0.1 / 1.2, 0.9 / 1.2, 0.2 / 1.2])


probability = st.floats(1e-6, 1)


@given(st.lists(st.tuples(probability, probability), min_size=1, max_size=5), st.data())
def test_shares_sum_to_one_and_follow_the_options(
    rows: list[tuple[float, float]], data: st.DataObject
) -> None:
    numbers = np.array([[e, n, 0, 0] for e, n in rows])
    unknown = data.draw(st.integers(0, len(rows)))
    shares = hypothesis_shares(numbers, unknown)
    assert shares.sum() == pytest.approx(1)
    back = hypothesis_shares(numbers[::-1], len(rows) - unknown)
    np.testing.assert_allclose(back[::-1], shares)


def test_each_option_is_a_hypothesis_after_its_question(reader: OptionHypotheses) -> None:
    encoded = reader.encoded(QUESTIONS)
    for numbers, asked in zip(reader.scores(encoded), QUESTIONS, strict=True):
        named = [o for n, o in enumerate(asked.options) if n != asked.unknown]
        pairs = reader.classifier.probabilities([(asked.context, f"{asked.question} {o}") for o in named])
        count = len(asked.options)
        np.testing.assert_allclose(numbers[:count], hypothesis_shares(pairs, asked.unknown), atol=1e-5)
        assert np.isnan(numbers[count:-1]).all()
    np.testing.assert_allclose(reader.alone(encoded), reader.scores(encoded), atol=1e-4)


def test_the_order_of_the_options_decides_nothing(reader: OptionHypotheses) -> None:
    asked = QUESTIONS[0]
    expected = reader.alone(reader.encoded([asked]))[0]
    for order in itertools.permutations(range(3)):
        other = replace(asked, options=tuple(asked.options[i] for i in order), unknown=order.index(1))
        numbers = reader.alone(reader.encoded([other]))[0]
        np.testing.assert_allclose(numbers[:3], expected[list(order)], atol=1e-12)


def test_a_question_with_unknown_alone_is_refused(reader: OptionHypotheses) -> None:
    with pytest.raises(ModelError, match="no option besides unknown"):
        reader.encoded([ChoiceQuestion("A b.", "Who?", ("unknown",), 0)])
