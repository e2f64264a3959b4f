"""Canaries of choice items: the right option is in every place, and no habit passes."""

from __future__ import annotations

import numpy as np
import pytest

import nextset
from nextset.errors import ModelError
from nextset.scoring.canaries.cases import FailedCanaries
from nextset.scoring.canaries.choice_canaries import ChoiceCanaries, choice_canaries
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, OUTCOME_COLUMNS, Numbers
from nextset.study.scoring_settings import CanaryPair, ModelSettings
from tests.choice_rows import choice_items


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> ChoiceCanaries:
    """nextset's own, for a model without a card."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    return choice_canaries(locate("openai:anything"), ModelSettings())


def numbers_for(canaries: ChoiceCanaries, places: list[int], share: float = 1.0) -> Numbers:
    """A model that gives ``share`` to a place of each canary, and the rest to the others."""
    numbers: Numbers = np.full((len(places), len(CHOICE_COLUMNS)), np.nan)
    for row, asked, place in zip(numbers, canaries.inputs, places, strict=True):
        row[: len(asked.options)] = (1 - share) / (len(asked.options) - 1)
        row[place] = share
    return numbers


def right_places(canaries: ChoiceCanaries) -> list[int]:
    return [x.options.index(right) for x, right in zip(canaries.inputs, canaries.labels, strict=True)]


def test_the_right_option_is_in_every_place(ours: ChoiceCanaries) -> None:
    places = right_places(ours)
    assert len(places) == 10
    assert {places.count(place) for place in range(3)} == {3, 4}
    assert all(x.options[x.unknown] == "The text does not say" for x in ours.inputs)


def test_a_model_that_reads_passes(ours: ChoiceCanaries) -> None:
    result = ours.check(numbers_for(ours, right_places(ours)), "m", None)
    assert result == "10 of 10 canary questions with options right (from nextset, in English)"


@pytest.mark.parametrize("place", range(3))
def test_a_model_that_always_takes_one_place_fails(ours: ChoiceCanaries, place: int) -> None:
    with pytest.raises(FailedCanaries, match="at least three in four"):
        ours.check(numbers_for(ours, [place] * 10), "m", None)


def test_equal_shares_and_unknown_fail(ours: ChoiceCanaries) -> None:
    with pytest.raises(FailedCanaries, match="gets only 0 of 10"):
        ours.check(numbers_for(ours, [0] * 10, share=1 / 3), "m", None)
    with pytest.raises(FailedCanaries, match="gets only 0 of 10"):
        ours.check(numbers_for(ours, [x.unknown for x in ours.inputs]), "m", None)


def test_prompts_without_an_answer_could_have_been_wrong(ours: ChoiceCanaries) -> None:
    """The right option has .5, nothing else is chosen, and .5 was refused: it does not lead by more."""
    numbers = numbers_for(ours, right_places(ours))
    numbers[:, :3] *= 0.5
    outcomes = np.zeros((10, len(OUTCOME_COLUMNS)))
    outcomes[:, OUTCOME_COLUMNS.index("refused")] = 0.5
    with pytest.raises(FailedCanaries, match="refused 10"):
        ours.check(np.hstack([numbers, outcomes]), "m", None)


def test_pairs_become_options() -> None:
    """The hypotheses of a premise are the options, and the entailed one is right."""
    pairs = tuple(
        CanaryPair(premise=p, hypothesis=f"{p} {label}", label=label)
        for p in ("One.", "Two.")
        for label in ("neutral", "entailment", "contradiction")
    )
    found = choice_canaries(locate("builtin:nli-electra"), ModelSettings(canaries=pairs))
    assert [x.context for x in found.inputs] == ["One.", "Two."]
    assert found.labels == ("One. entailment", "Two. entailment")
    assert right_places(found) == [0, 1]
    assert found.origin == "from the study"


@pytest.mark.parametrize("name", ["nli-albert", "nli-bart", "nli-electra", "nli-roberta", "qa-roformer"])
def test_the_built_in_models_can_be_asked(name: str) -> None:
    scores = nextset.score(choice_items(1, 1), models=f"builtin:{name}")["scores"]
    total = sum(np.asarray(scores[f"option{i}"]) for i in (1, 2, 3))
    np.testing.assert_allclose(total, 1)
    assert scores["flips"].null_count == scores.num_rows
    assert scores["option4"].null_count == scores.num_rows


def test_a_masked_language_model_cannot_be_asked() -> None:
    with pytest.raises(ModelError, match="cannot be asked about choice items"):
        nextset.score(choice_items(1, 1), models="builtin:masked-lm")
