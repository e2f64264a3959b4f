"""Extractive readers on questions with options: mentions, and scores from a plain forward pass."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.model_kinds import scorer_of
from nextset.scoring.models.sources import locate
from nextset.scoring.option_scorers.option_mentions import option_mentions
from nextset.scoring.option_scorers.option_spans import OptionSpans
from nextset.scoring.scorer_protocol import ChoiceQuestion
from nextset.study.scoring_settings import ScoringSettings

ASKING = Asking("choice", ScoringSettings())
CONTEXT = "A surgeon met the nurses in a garden. The surgeon was quiet."
ASKED = ChoiceQuestion(CONTEXT, "Who was quiet?", ("The nurses", "Not known", "The surgeon"), 1)


@pytest.fixture(scope="module")
def reader(reader_folder: Path) -> OptionSpans:
    found = scorer_of(locate(str(reader_folder)), ASKING)
    assert isinstance(found, OptionSpans)
    return found


def texts(context: str, options: tuple[str, ...], unknown: int = -1) -> list[list[str]]:
    return [[context[a:b] for a, b in spans] for spans in option_mentions(context, options, unknown)]


def test_a_mention_is_the_option_with_and_without_its_article() -> None:
    assert texts(CONTEXT, ASKED.options, 1) == [
        ["nurses", "the nurses"],
        [],
        ["surgeon", "A surgeon", "surgeon", "The surgeon"],
    ]


@pytest.mark.parametrize(
    ("context", "options", "expected"),
    [
        ("Men met women.", ("men", "women"), [["Men"], ["women"]]),
        ("People of Guinea and Equatorial Guinea", ("Guinea", "Equatorial Guinea"),
         [["Guinea"], ["Equatorial Guinea"]]),
        ("Der alte Mann und die Frau", ("der Mann", "Die Frau"), [["Mann"], ["Frau", "die Frau"]]),
        ("A Muslim person and a Jewish person met.", ("The Jewish one", "The Muslim one"),
         [["Jewish", "a Jewish"], ["Muslim", "A Muslim"]]),
        ("Vino alguien de Reino Unido y otro de Madrid", ("Mi amigo de Reino Unido", "Mi amigo de Madrid"),
         [["de Reino Unido"], ["de Madrid"]]),
        ("l'avi i la néta", ("L'avi", "La néta"), [["avi", "l'avi"], ["néta", "la néta"]]),
        ("李娜住在王伟旁边。", ("李娜", "王伟"), [["李娜"], ["王伟"]]),
        ("Ann  Lee met Bo.", ("Ann Lee.", "Bo"), [["Ann  Lee"], ["Bo"]]),
        ("nobody", ("Ann", ""), [[], []]),
    ],
)  # fmt: skip
def test_mentions_are_whole_words(context: str, options: tuple[str, ...], expected: list[list[str]]) -> None:
    assert texts(context, options) == expected


def plain(scorer: OptionSpans, asked: ChoiceQuestion) -> list[float]:
    """One question, unbatched, by the definition."""
    loaded, pair = scorer.precisions.quick, (asked.question, asked.context)
    encoding = loaded.tokenizer(*pair, return_offsets_mapping=True, return_tensors="pt")
    offsets = encoding.pop("offset_mapping")[0].tolist()
    parts = encoding.sequence_ids(0)
    with torch.no_grad():
        out = loaded.model(**encoding)
    start = out.start_logits[0].double().softmax(-1).tolist()
    end = out.end_logits[0].double().softmax(-1).tolist()
    scores = []
    for n, spans in enumerate(option_mentions(asked.context, asked.options, asked.unknown)):
        best = 0.0
        for a, b in spans:
            own = [i for i, (c, d) in enumerate(offsets) if parts[i] == 1 and max(a, c) < min(b, d)]
            best = max(best, math.sqrt(start[own[0]] * end[own[-1]]))
        scores.append(math.sqrt(start[0] * end[0]) if n == asked.unknown else best)
    return [score / sum(scores) for score in scores]


def test_scores_are_those_of_the_definition(reader: OptionSpans) -> None:
    encoded = reader.encoded([ASKED])
    numbers = reader.alone(encoded)[0]
    np.testing.assert_allclose(numbers[:3], plain(reader, ASKED), rtol=1e-4)
    assert numbers[:3].sum() == pytest.approx(1)
    assert np.isnan(numbers[3:-1]).all()
    other = replace(ASKED, context="The surgeon met a man and the nurses.")
    both = reader.scores(reader.encoded([ASKED, other]))
    np.testing.assert_allclose(both[0], numbers, atol=1e-4)


def test_the_order_of_the_options_decides_nothing(reader: OptionSpans) -> None:
    expected = reader.alone(reader.encoded([ASKED]))[0]
    for order in itertools.permutations(range(3)):
        asked = replace(ASKED, options=tuple(ASKED.options[i] for i in order), unknown=order.index(1))
        numbers = reader.alone(reader.encoded([asked]))[0]
        np.testing.assert_allclose(numbers[:3], expected[list(order)], atol=1e-12)


def test_an_option_without_a_mention_has_no_share(reader: OptionSpans) -> None:
    asked = replace(ASKED, options=("The nurses", "Not known", "The pilot"))
    numbers = reader.scores(reader.encoded([asked]))[0]
    assert numbers[2] == 0
    assert numbers[:3].sum() == pytest.approx(1)


def test_a_question_whose_options_are_not_in_the_context_is_refused(reader: OptionSpans) -> None:
    for unknown in (-1, 1):  # no answer alone would look like a choice
        with pytest.raises(ModelError, match="cannot find any of the options Ann, Bob"):
            reader.encoded([ChoiceQuestion("Nobody came.", "Who came?", ("Ann", "Bob"), unknown)])
