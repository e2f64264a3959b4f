"""Canaries that a model refuses, does not read, or leaves open: none is right, and the error counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.canaries.cases import Canaries
from nextset.scoring.canaries.pair_canaries import PairCanaries
from nextset.scoring.canaries.subject_canaries import SubjectCanaries
from nextset.scoring.canaries.yes_no_canaries import YesNoCanaries
from nextset.scoring.scorer_protocol import Numbers, Pair, Question, YesNoQuestion

PAIRS = PairCanaries((Pair("p", "h"),) * 6, tuple(label for label in LABELS for _ in range(2)), "by hand")
SUBJECTS = SubjectCanaries((Question("A met B.", "Who?", ("A", "B"), ((0, 1), (6, 7))),) * 3, (), "by hand")
YES_NO = YesNoCanaries((YesNoQuestion("p", "q"),) * 4, ("entailment", "contradiction") * 2, "by hand")


def numbers(rows: Sequence[tuple[Sequence[float], Mapping[str, float]]]) -> Numbers:
    """Three shares, truncated, the shares of outcomes, and votes."""
    return np.array([[*shares, 0, *(silent.get(name, 0) for name in OUTCOMES), 1] for shares, silent in rows])


def test_a_pair_that_is_refused_is_not_entailed() -> None:
    silent = ((0, 0, 0), {"refused": 1.0})
    part = ((1 / 3, 0, 0), {"abstained": 2 / 3})  # the others could have been neutral
    sure = ((2 / 3, 0, 0), {"cut_off": 1 / 3})
    rows = [silent, sure, ((0, 1, 0), {}), ((0, 1, 0), {}), part, ((0, 0, 1), {})]
    assert PAIRS.right(numbers(rows)).tolist() == [False, True, True, True, False, True]
    with pytest.raises(
        ModelError, match=r"Not answered with a choice, at least in part: abstained 1, refused 1\."
    ):
        PAIRS.check(numbers(rows), "openai:m", None)


def test_a_question_or_yes_no_question_must_lead_by_more_than_is_missing() -> None:
    rows = [((1.0, 0, 0), {}), ((2 / 3, 0, 0), {"refused": 1 / 3}), ((1 / 3, 0, 0), {"unreadable": 2 / 3})]
    assert SUBJECTS.right(numbers(rows)).tolist() == [True, True, False]
    with pytest.raises(
        ModelError, match=r"Not answered with a choice, at least in part: unreadable 1\. Wrong: "
    ):
        SUBJECTS.check(numbers(rows), "openai:m", None)
    rows = [
        ((2 / 3, 0, 0), {"cut_off": 1 / 3}),
        ((0, 0, 0), {"refused": 1}),
        ((1, 0, 0), {}),
        ((0, 0, 1), {}),
    ]
    assert YES_NO.right(numbers(rows)).tolist() == [True, False, True, True]


@pytest.mark.parametrize("canaries", [PAIRS, SUBJECTS, YES_NO])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_model_that_never_answers_passes_no_canaries(canaries: Canaries, outcome: str) -> None:
    rows = numbers([((0, 0, 0), {outcome: 1.0})] * len(canaries.inputs))
    assert not canaries.right(rows).any()
    with pytest.raises(ModelError, match=f"{outcome.replace('_', ' ')} {len(canaries.inputs)}"):
        canaries.check(rows, "openai:m", None)


@pytest.mark.parametrize("canaries", [PAIRS, SUBJECTS])
def test_local_models_have_no_such_numbers(canaries: Canaries) -> None:
    rows = np.array([[1.0, 0, 0, 0]] * len(canaries.inputs))
    assert canaries.right(rows).any()
    if isinstance(canaries, PairCanaries):
        with pytest.raises(ModelError) as raised:
            canaries.check(rows, "m", None)
        assert "Not answered" not in str(raised.value)
