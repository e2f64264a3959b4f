"""Candidates that a model did not answer: each rule with each policy, by hand and by property."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.filtering.item_answers import ItemAnswers
from nextset.filtering.model_answers import Answers
from nextset.filtering.quad_answers import QuadAnswers
from nextset.filtering.rules.rule_base import NOT_ANSWERED, decided, hard_by_model, rule_of, undecided
from nextset.records.nli_items import LABELS
from nextset.scoring.cascade import Vote
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import FilterRule
from tests.filtering.scores import CERTAIN, SILENT, answers, column, quad_answers_of

E, N, C = (CERTAIN[label] for label in LABELS)
NEAR = (0.25, 0.5, 0.25)
X = SILENT
POLICIES: tuple[Missing, ...] = ("not_wrong", "wrong", "drop")
NONE = math.nan
"""C of a quad with a question that is refused."""

VOTES: tuple[object, ...] = ("any_wrong", "majority_wrong", "all_wrong", {"at_least_wrong": 2})
LABEL_RULES: tuple[object, ...] = (
    *VOTES,
    {"same_wrong": 2},
    "disagreement",
    {"margin_below": 0.5},
    {"lowest_neutral": 0.5},
    {"any_of": ["all_wrong", {"margin_below": 0.5}]},
    {"all_of": ["any_wrong", {"any_of": ["disagreement", {"same_wrong": 2}]}]},
)
SUBJECT_RULES: tuple[object, ...] = (
    {"c_at_least": 0.25},
    "sign_consistent",
    "answer_differs",
    {"any_of": ["sign_consistent", "answer_differs"]},
)


def kept(written: object, said: Answers) -> str:
    """The places of the kept candidates."""
    keep = decided(rule_of(FilterRule.model_validate(written)), said).keep
    return "".join(map(str, np.flatnonzero(keep).tolist()))


#            item: 0  1  2     3  4  5     6
BY_HAND = {
    "a": [X, X, X, E, N, NEAR, X],
    "b": [N, E, E, E, N, N, X],
    "c": [N, N, E, N, N, N, X],
}
"""Answers to neutral items. Nobody is wrong about items 0, 4 and 5; one model about item 1; two about items 2
and 3. Model a did not answer items 0 to 2, and nobody answered item 6."""


@pytest.mark.parametrize(
    ("rule", "not_wrong", "wrong", "drop"),
    [
        ("any_wrong", "123", "01236", "3"),
        # wrong of three, with the policy wrong: item 0: 1, item 1: 2, item 2: 3, item 6: 3
        ("majority_wrong", "23", "1236", "3"),
        ({"at_least_wrong": 2}, "23", "1236", "3"),
        ("all_wrong", "", "26", ""),
        # item 1: E of b and the missing label of a; item 6: three missing labels
        ({"same_wrong": 2}, "23", "1236", "3"),
        # among the others: item 1: E and N differ, item 2: E and E do not
        ("disagreement", "13", "01236", "3"),
        # only item 5 has a margin, 0.5 − 0.25, below one half
        ({"margin_below": 0.5}, "5", "01256", "5"),
        # items with a mean over those that answered: 0: 1, 1: 1/2, 2: 0, 3: 1/3, 4: 1, 5: (0.5 + 1 + 1) / 3;
        # two of seven are wanted. Policy wrong: 0: 2/3, 1: 1/3, 2: 0, 3: 1/3, 6: 0, so two are 2 and 6.
        # Policy drop: of items 3 to 5 one is wanted, 3
        ({"lowest_neutral": 0.28}, "23", "26", "3"),
        ({"all_of": ["majority_wrong", "disagreement"]}, "3", "1236", "3"),
        ({"any_of": ["all_wrong", {"margin_below": 0.5}]}, "5", "01256", "5"),
    ],
)
def test_rules_about_labels(rule: object, not_wrong: str, wrong: str, drop: str) -> None:
    for missing, expected in zip(POLICIES, (not_wrong, wrong, drop), strict=True):
        assert kept(rule, answers(BY_HAND, missing=missing)) == expected, missing


QUADS = {
    "a": [(NONE, False), (NONE, False), (0.3, False), (NONE, False)],
    "b": [(0.3, False), (0.1, True), (-0.1, False), (NONE, False)],
}
"""C, and whether the answer depends on the order."""


@pytest.mark.parametrize(
    ("rule", "not_wrong", "wrong", "drop"),
    [
        ({"c_at_least": 0.25}, "02", "0123", "2"),
        ("sign_consistent", "01", "013", ""),
        ("answer_differs", "1", "013", ""),
    ],
)
def test_rules_about_subjects(rule: object, not_wrong: str, wrong: str, drop: str) -> None:
    for missing, expected in zip(POLICIES, (not_wrong, wrong, drop), strict=True):
        assert kept(rule, quad_answers_of(QUADS, missing)) == expected, missing


def test_a_dropped_candidate_has_its_own_reason_and_the_others_that_of_the_rule() -> None:
    said = answers({"a": [X, N, E], "b": [E, N, N]}, missing="drop")
    decision = decided(rule_of(FilterRule.model_validate("any_wrong")), said)
    reasons = [decision.reasons[why] for why in decision.why.tolist()]
    assert decision.keep.tolist() == [False, False, True]
    assert reasons[:2] == [NOT_ANSWERED, "every model says neutral"]


def test_a_model_without_an_answer_says_no_label() -> None:
    said = answers({"a": [X, N], "b": [N, N]})
    decision = rule_of(FilterRule.model_validate("any_wrong")).decide(said)
    reasons = [decision.reasons[why] for why in decision.why.tolist()]
    assert reasons == ["no model gets it wrong", "every model says neutral"]
    assert [said.answer(0, i, {}) for i in range(2)] == ["not answered", "neutral"]


def test_an_own_rule_sees_which_answers_are_there() -> None:
    said = answers({"a": [X, E]})
    assert said.labels.tolist() == [[4, 0]]
    assert said.answered.tolist() == [[False, True]]


def test_a_model_finds_hard_what_the_policy_says() -> None:
    votes, c = FilterRule.model_validate("any_wrong"), FilterRule.model_validate({"c_at_least": 0.25})
    items = {missing: answers({"a": [X, E, N]}, missing=missing) for missing in POLICIES}
    quads = {missing: quad_answers_of({"a": [(NONE, False), (0.3, False)]}, missing) for missing in POLICIES}
    found = {missing: hard_by_model(rule_of(votes), items[missing]).tolist() for missing in POLICIES}
    assert found == {"not_wrong": [[False, True, False]], "wrong": [[True, True, False]],
                     "drop": [[False, True, False]]}  # fmt: skip
    found = {missing: hard_by_model(rule_of(c), quads[missing]).tolist() for missing in POLICIES}
    assert found == {"not_wrong": [[False, True]], "wrong": [[True, True]], "drop": [[False, True]]}


SAID = (E, N, C, NEAR, (0.5, 0.25, 0.25), (0.25, 0.25, 0.5))


def matrices(values: Sequence[object]) -> st.SearchStrategy[list[list[object]]]:
    """Answers of two to four models to up to eight candidates."""
    sizes = st.tuples(st.integers(2, 4), st.integers(1, 8))
    return sizes.flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from(values), min_size=size[1], max_size=size[1]),
            min_size=size[0],
            max_size=size[0],
        )
    )


def by_policy(rule: object, said: Answers) -> list[set[str]]:
    """The places that are kept with the policies not_wrong, wrong and drop."""
    return [set(kept(rule, replace(said, missing=missing))) for missing in POLICIES]


def items_of(matrix: list[list[object]]) -> ItemAnswers:
    return answers({f"m{i}": row for i, row in enumerate(matrix)})  # type: ignore[misc]


def quads_of(matrix: list[list[object]]) -> QuadAnswers:
    return quad_answers_of({f"m{i}": row for i, row in enumerate(matrix)})  # type: ignore[misc]


CS = [(c, differs) for c in (-0.3, -0.1, 0.0, 0.1, 0.3) for differs in (False, True)]


@settings(max_examples=30)
@given(matrices(SAID), matrices(CS))
def test_the_policy_does_not_matter_if_everything_is_answered(
    items: list[list[object]], quads: list[list[object]]
) -> None:
    for said, rules in ((items_of(items), LABEL_RULES), (quads_of(quads), SUBJECT_RULES)):
        for rule in rules:
            none, more, fewer = by_policy(rule, said)
            assert none == more == fewer


@settings(max_examples=30)
@given(matrices((*SAID, X, X)), matrices([*CS, (NONE, False), (NONE, False)]))
def test_a_policy_that_counts_more_keeps_more(items: list[list[object]], quads: list[list[object]]) -> None:
    """drop ⊆ not_wrong ⊆ wrong, except for lowest_neutral, whose share is full in any case."""
    for said, rules in ((items_of(items), LABEL_RULES), (quads_of(quads), SUBJECT_RULES)):
        for rule in rules:
            if rule != {"lowest_neutral": 0.5}:
                none, more, fewer = by_policy(rule, said)
                assert fewer <= none <= more


@given(matrices((E, N, X)), st.data())
def test_a_cascade_keeps_the_same_and_asks_no_more(matrix: list[list[object]], data: st.DataObject) -> None:
    """Each item is asked until the vote is decided; nothing is then missing, and the same items are kept."""
    models, needed = len(matrix), data.draw(st.integers(1, len(matrix)))
    rule = rule_of(FilterRule.model_validate({"at_least_wrong": needed}))
    said = items_of(matrix)
    for missing in POLICIES:
        full = replace(said, missing=missing)
        vote = Vote(needed, models, missing)
        asked = np.ones_like(full.asked)
        for i in range(len(matrix[0])):
            for m in range(1, models):
                wrong, silent = full.wrong[:m, i].sum(), ~full.answered[:m, i].all()
                if vote.decided(np.array([wrong]), m, np.array([silent]))[0]:
                    asked[m:, i] = False
                    break
        short = replace(full, asked=asked, answered=full.answered & asked)
        assert not undecided(rule, short, cascade=True).any()
        ids = column([f"i{i}" for i in range(len(matrix[0]))])
        keep = rule.decide_complete(short, ids, cascade=True).keep
        assert keep.tolist() == decided(rule, full).keep.tolist()
