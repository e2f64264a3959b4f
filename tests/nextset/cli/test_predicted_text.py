"""What `validate predict` says of the verdict model: features, and valid units an hour with their pace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nextset.cli.validate_text import predicted_text
from nextset.validation.verdict_model.verdict_prediction import Prediction
from tests.validation.report.example import REPORT

assert REPORT.validator is not None
FOUND = Prediction((), REPORT.validator, REPORT.features)


def test_what_it_reads_and_what_is_not_known_is_said() -> None:
    text = predicted_text(FOUND)
    assert "it also reads, if known for a unit: template (214 of 214)" in text
    assert "unknown, or the same for all units: relative_fluency" in text


@pytest.mark.parametrize(("known", "pace"), [(183, "18 s per unit: "), (0, "18 s per unit (assumed): ")])
def test_valid_units_an_hour_with_the_pace(known: int, pace: str) -> None:
    text = predicted_text(replace(FOUND, report=replace(FOUND.report, seconds_known=known)))
    assert (
        f"valid units per hour in the first half of the judged ones, at {pace}152 (134 to 167) in its order, "
        "114 shuffled; gain +25 to +50"
    ) in text


def test_a_model_that_is_not_better_promises_nothing() -> None:
    worse = replace(
        FOUND.report, better=False, remaining_low=None, remaining=None, remaining_high=None, hourly=None
    )
    text = predicted_text(replace(FOUND, report=replace(worse, orders=False)))
    assert "it predicts and orders nothing" in text
    assert "per hour" not in text


def test_a_model_that_only_ranks_orders_and_estimates_nothing() -> None:
    ranks = replace(FOUND.report, better=False, remaining_low=None, remaining=None, remaining_high=None)
    text = predicted_text(replace(FOUND, report=ranks))
    assert "nothing is estimated from them" in text
    assert "152 (134 to 167) in its order" in text
    assert "likely_valid_first" in text
    assert "a machine's estimate" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "word", "classes"),
    [
        ("en", "lazy", ("adj.positive",)),
        ("en-GB", "reading", ("noun.singular", "verb.ing")),
        ("en", "the", ("unlisted",)),
        ("de", "faul", ()),
    ],
)
def test_the_classes_of_a_fill(language: str, word: str, classes: tuple[str, ...]) -> None:
    from nextset.cli.validate_predict import _word_classes

    assert _word_classes(language, word) == classes
