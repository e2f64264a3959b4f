"""The rules, by hand and by property."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ArtifactError, StudyError
from nextset.filtering.model_answers import Answers
from nextset.filtering.rules.rule_base import Rule, hard_by_model, rule_of, undecided
from nextset.records.nli_items import LABELS, Label
from nextset.study.filter_rule_settings import FilterRule
from tests.filtering.scores import CERTAIN, answers, quad_answers_of, wrong_or_right

E, N, C = (CERTAIN[label] for label in ("entailment", "neutral", "contradiction"))


def rule(written: object) -> Rule:
    return rule_of(FilterRule.model_validate(written))


def kept(written: object, said: Answers) -> list[bool]:
    return [bool(k) for k in rule(written).decide(said).keep]


def reasons(written: object, said: Answers) -> list[str]:
    found = rule(written).decide(said)
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
    assert "differ by 0.25 or more" in reasons({"margin_below": 0.25}, said)[0]


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


def test_the_same_wrong_label_by_hand() -> None:
    # two wrong models that contradict each other share no label; one of the three is right in the third item
    said = answers({"a": [E, E, E], "b": [C, E, C], "c": [N, N, C]}, ["neutral", "neutral", "contradiction"])
    assert kept({"same_wrong": 2}, said) == [False, True, False]
    assert kept("majority_wrong", said) == [True, True, False]
    assert kept({"same_wrong": 3}, said) == [False] * 3
    assert reasons({"same_wrong": 2}, said)[0] == "fewer than 2 of the models give it the same wrong label"


def test_not_entailment_counts_for_both_labels_that_it_may_mean() -> None:
    # the first two are entailed: "not entailment" is wrong, and the same as neutral and as contradiction;
    # the last two are neutral: there it is right, and only entailment is wrong
    right = ["entailment", "entailment", "neutral", "neutral"]
    said = answers({"two": [(0.1,), (0.1,), (0.1,), (0.9,)], "a": [N, C, C, E]}, right)
    assert kept({"same_wrong": 2}, said) == [True, True, False, True]


def test_the_lowest_neutral_by_hand() -> None:
    # hundredths of a and b: 90 + 80, 10 + 20, 50 + 50, 10 + 20; half of four are two
    neutral = {"a": (0.9, 0.1, 0.5, 0.1), "b": (0.8, 0.2, 0.5, 0.2)}
    said = answers({m: [(1 - p, p, 0.0) for p in some] for m, some in neutral.items()})
    assert kept({"lowest_neutral": 0.5}, said) == [False, True, False, True]
    # a quarter is one item, and the other is as low: both are kept, whichever comes first
    assert kept({"lowest_neutral": 0.25}, said) == [False, True, False, True]
    assert kept({"lowest_neutral": 0.51}, said) == [False, True, True, True]
    assert kept({"lowest_neutral": 1.0}, said) == [True] * 4
    assert reasons({"lowest_neutral": 0.5}, said)[0].endswith(
        "is not among the lowest 50 % of the candidates"
    )
    # seven tenths of ten are seven, though 0.7 · 10 is a little more in binary
    ten = answers({"a": [(1 - p / 10, p / 10, 0.0) for p in range(10)]})
    assert kept({"lowest_neutral": 0.7}, ten) == [True] * 7 + [False] * 3


def test_a_model_with_two_labels_has_not_entailment_in_place_of_neutral() -> None:
    said = answers({"two": [(0.75,), (0.25,)], "a": [(0.3, 0.6, 0.1), (0.3, 0.6, 0.1)]})
    assert said.neutral.tolist() == [[25, 75], [60, 60]]
    assert kept({"lowest_neutral": 0.5}, said) == [True, False]


def test_the_lowest_neutral_needs_neutral_items() -> None:
    said = answers({"a": [N, N, N]}, ["neutral", "entailment", "contradiction"])
    with pytest.raises(StudyError, match="not neutral by design: 2 of 3") as caught:
        rule({"lowest_neutral": 0.5}).decide(said)
    assert "majority_wrong" in caught.value.remedy


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
    [
        *("any_wrong", "majority_wrong", "all_wrong", "disagreement"),
        *({"at_least_wrong": 2}, {"same_wrong": 2}, {"margin_below": 0.3}, {"lowest_neutral": 0.3}),
    ]
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


labels = st.sampled_from(LABELS)


@given(
    st.lists(
        st.tuples(
            labels, st.lists(labels, min_size=3, max_size=3), st.lists(st.booleans(), min_size=2, max_size=2)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_same_wrong_label_restated(items: list[tuple[Label, list[Label], list[bool]]]) -> None:
    """For each wrong label, the models that may mean it are counted one by one."""
    three = {f"m{m}": [CERTAIN[by_three[m]] for _, by_three, _ in items] for m in range(3)}
    two = {f"t{t}": [(0.8,) if by_two[t] else (0.2,) for _, _, by_two in items] for t in range(2)}
    said = answers({**three, **two}, [right for right, _, _ in items])
    for k in (2, 3):
        expected = []
        for right, by_three, by_two in items:
            most = 0
            for label in set(LABELS) - {right}:
                votes = by_three.count(label)
                for entails in by_two:
                    is_wrong = entails != (right == "entailment")
                    votes += is_wrong and entails == (label == "entailment")
                most = max(most, votes)
            expected.append(most >= k)
        assert kept({"same_wrong": k}, said) == expected


@given(tables, st.integers(1, 100), st.randoms())
def test_the_lowest_neutral_restated(
    said: list[list[tuple[float, ...]]], percent: int, random: Random
) -> None:
    """The items are sorted, the share is counted off, and equals of the last one are kept, in any order."""
    rounded = [[int(100 * p[1] + 0.5) for p in model] for model in said]
    sums = [sum(column) for column in zip(*rounded, strict=True)]
    last = sorted(sums)[-(-percent * len(sums) // 100) - 1]
    written = {"lowest_neutral": percent / 100}
    found = kept(written, answers({f"m{i}": s for i, s in enumerate(said)}))
    assert found == [s <= last for s in sums]
    order = list(range(len(sums)))
    random.shuffle(order)
    shuffled = answers({f"m{i}": [s[place] for place in order] for i, s in enumerate(said)})
    assert kept(written, shuffled) == [found[place] for place in order]


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=20),
    st.sampled_from(["any_wrong", "majority_wrong", "all_wrong", {"at_least_wrong": 2}]),
)
def test_a_cascade_decides_like_the_full_matrix(wrong: list[list[bool]], written: object) -> None:
    needed = rule(written).votes_needed(3)
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
