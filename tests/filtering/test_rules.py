"""The rules, by hand and by property."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ArtifactError
from nextset.filtering.model_answers import Answers
from nextset.filtering.rules import decide, hard_by_model, undecided
from nextset.study.filter_rule_settings import FilterRule, votes_needed
from tests.filtering.scores import CERTAIN, answers, quad_answers_of, wrong_or_right

E, N, C = (CERTAIN[label] for label in ("entailment", "neutral", "contradiction"))


def rule(written: object) -> FilterRule:
    return FilterRule.model_validate(written)


def kept(written: object, said: Answers) -> list[bool]:
    return [bool(k) for k in decide(rule(written), said).keep]


def reasons(written: object, said: Answers) -> list[str]:
    found = decide(rule(written), said)
    return ["" if k else found.reasons[w] for k, w in zip(found.keep, found.why, strict=True)]


def test_votes_by_hand() -> None:
    # item 0: nobody wrong, 1: one, 2: two, 3: all three
    said = answers({"a": [N, E, E, E], "b": [N, N, C, C], "c": [N, N, N, E]})
    assert kept("any_wrong", said) == [False, True, True, True]
    assert kept("majority_wrong", said) == [False, False, True, True]
    assert kept({"at_least_wrong": 2}, said) == [False, False, True, True]
    assert kept("all_wrong", said) == [False, False, False, True]
    assert kept("disagreement", said) == [False, True, True, True]
    assert reasons("any_wrong", said)[0] == "every model says neutral"
    assert reasons("majority_wrong", said)[1] == "no more than half of the models get it wrong"
    assert reasons({"at_least_wrong": 2}, said)[1] == "fewer than 2 of the models get it wrong"


def test_margins_are_between_the_two_most_probable_labels() -> None:
    # exactly representable: 0.5 − 0.25 = 0.25 is not below 0.25
    said = answers({"a": [(0.5, 0.25, 0.25), (0.5, 0.375, 0.125)], "b": [N, N]})
    assert kept({"margin_below": 0.25}, said) == [False, True]
    assert kept({"margin_below": 0.2501}, said) == [True, True]
    assert "0.25 or more apart" in reasons({"margin_below": 0.25}, said)[0]


def test_two_labels() -> None:
    # |2 · 0.625 − 1| = 0.25; one half is entailment
    said = answers({"two": [(0.625,), (0.375,), (0.5,)], "three": [C, C, E]})
    assert hard_by_model(rule("any_wrong"), said).tolist() == [[True, False, True], [True, True, True]]
    assert kept({"margin_below": 0.26}, said) == [True, True, True]
    assert kept({"margin_below": 0.25}, said) == [False, False, True]
    # not entailment agrees with contradiction, entailment with entailment
    assert kept("disagreement", said) == [True, False, False]
    alone = answers({"two": [(0.375,), (0.625,)], "other": [(0.25,), (0.75,)]}, ["neutral", "entailment"])
    assert reasons("any_wrong", alone) == ["no model gets it wrong"] * 2


def test_two_labels_do_not_hide_that_three_differ() -> None:
    assert kept("disagreement", answers({"two": [(0.1,)], "a": [N], "b": [C]})) == [True]


def test_quads_by_hand() -> None:
    said = quad_answers_of(
        {
            "a": [(0.25, False), (-0.125, False), (0.0, False), (0.0625, True)],
            "b": [(0.125, False), (0.125, False), (0.125, False), (0.0625, False)],
        }
    )
    assert said.c.tolist() == [[0.25, -0.125, 0.0, 0.0625], [0.125, 0.125, 0.125, 0.0625]]
    assert kept({"c_at_least": 0.25}, said) == [True, False, False, False]
    assert kept({"c_at_least": 0.2501}, said) == [False] * 4
    assert kept("sign_consistent", said) == [True, False, False, True]
    assert kept("answer_differs", said) == [False, False, False, True]
    assert hard_by_model(rule({"c_at_least": 0.125}), said).tolist() == [
        [True, True, False, False],
        [True, True, True, False],
    ]


def test_reasons_of_rules_that_are_put_together() -> None:
    said = answers({"a": [N, E], "b": [N, E]})
    both = {"all_of": ["any_wrong", "disagreement"]}
    assert reasons(both, said) == ["every model says neutral", "every model gives it the same label"]
    either = {"any_of": ["disagreement", "any_wrong"]}
    assert reasons(either, said) == ["every model gives it the same label; every model says neutral", ""]


def test_many_alternatives_do_not_multiply_their_reasons() -> None:
    said = answers({"a": [N] * 3}, ["neutral", "entailment", "neutral"])
    assert reasons({"any_of": ["any_wrong"] * 40}, said)[0].count("every model says neutral") == 40


def test_a_probability_that_is_no_number_is_named() -> None:
    with pytest.raises(ArtifactError, match="item i0 by a is not a number"):
        answers({"a": [(float("nan"), 0.5, 0.5)]})


probabilities = st.lists(st.floats(0.01, 1), min_size=3, max_size=3).map(
    lambda p: tuple(x / sum(p) for x in p)
)
plain = st.sampled_from(
    ["any_wrong", "majority_wrong", "all_wrong", "disagreement", {"at_least_wrong": 2}, {"margin_below": 0.3}]
)
tables = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(probabilities, min_size=n, max_size=n), min_size=2, max_size=4)
)


@given(tables, st.lists(plain, min_size=2, max_size=3))
def test_all_of_and_any_of_are_and_and_or(said: list[list[tuple[float, ...]]], written: list[object]) -> None:
    table = answers({f"m{i}": s for i, s in enumerate(said)})
    apart = np.array([kept(w, table) for w in written])
    assert kept({"all_of": written}, table) == apart.all(axis=0).tolist()
    assert kept({"any_of": written}, table) == apart.any(axis=0).tolist()
    for r, w in ((reasons({"all_of": written}, table), "all"), (reasons({"any_of": written}, table), "any")):
        whole = apart.all(axis=0) if w == "all" else apart.any(axis=0)
        assert [bool(reason) for reason in r] == (~whole).tolist()


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=20),
    st.sampled_from(["any_wrong", "majority_wrong", "all_wrong", {"at_least_wrong": 2}]),
)
def test_a_cascade_decides_like_the_full_matrix(wrong: list[list[bool]], written: object) -> None:
    needed = votes_needed(rule(written), 3)
    assert needed is not None
    asked: list[list[bool | None]] = []
    for row in wrong:
        votes, shown = 0, []
        for m, is_wrong in enumerate(row):
            open_ = votes < needed <= votes + 3 - m
            shown.append(is_wrong if open_ else None)
            votes += is_wrong and open_
        asked.append(shown)
    full = answers({f"m{m}": wrong_or_right([row[m] for row in wrong]) for m in range(3)})
    cascade = answers({f"m{m}": wrong_or_right([row[m] for row in asked]) for m in range(3)})
    assert kept(written, cascade) == kept(written, full)
    assert not undecided(rule(written), cascade, cascade=True).any()
    missing = [None in row for row in asked]
    assert undecided(rule(written), cascade, cascade=False).tolist() == missing


def test_a_vote_that_is_open_is_undecided_in_a_cascade_too() -> None:
    said = answers({"a": wrong_or_right([False, True]), "b": wrong_or_right([None, None])})
    assert undecided(rule("any_wrong"), said, cascade=True).tolist() == [True, False]
    assert undecided(rule("all_wrong"), said, cascade=True).tolist() == [False, True]
