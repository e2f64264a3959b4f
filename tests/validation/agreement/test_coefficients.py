"""Coefficients against arithmetic by hand, and against second implementations."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask  # type: ignore[import-untyped]

from nextset.validation.agreement import vectorised_coefficients
from nextset.validation.agreement.bootstrap import Bootstrap
from nextset.validation.agreement.coefficients import (
    Coefficient,
    cohen_kappa,
    fleiss_kappa,
    judge_pairs,
    krippendorff_alpha,
    per_cent,
)
from nextset.validation.agreement.ratings import Rating, Votes

FEW = Bootstrap(draws=20)
Overall = Callable[[Votes, Bootstrap], Coefficient]
OVERALL: tuple[Overall, ...] = (per_cent, krippendorff_alpha, fleiss_kappa)


def rated(*judges: str) -> list[Rating]:
    """One string a judge, one character a unit; a full stop where there is no rating."""
    return [
        Rating(f"u{u:03}", f"a-{j}", label)
        for j, labels in enumerate(judges)
        for u, label in enumerate(labels)
        if label != "."
    ]


def value(found: Coefficient) -> float:
    assert found.value is not None, found.why_undefined
    return found.value


def test_alpha_of_two_observers_by_hand() -> None:
    # Krippendorff (2011), section A: ten units, 14 zeros and 6 ones, four units on which the two differ, so
    # o_00 + o_11 = 12. α = 1 − 19 (20 − 12) / (20² − 14² − 6²) = 1 − 152/168 = 0.095.
    votes = Votes.of(rated("0100000010", "1110010000"))
    assert value(krippendorff_alpha(votes)) == pytest.approx(1 - 152 / 168)
    # Section B: twelve units, five labels, 0.692.
    votes = Votes.of(rated("aabbdcccedda", "babbbccceddd"))
    assert value(krippendorff_alpha(votes)) == pytest.approx(0.692, abs=0.0005)


def test_alpha_with_missing_values() -> None:
    # Krippendorff (2011), section C: four observers, twelve units: 0.743.
    judges = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    found = krippendorff_alpha(Votes.of(rated(*judges)))
    assert value(found) == pytest.approx(0.743, abs=0.0005)
    # The twelfth unit has one value and is left out: 40 values in eleven units.
    assert (found.units, found.ratings) == (11, 40)


def test_cohen_by_hand() -> None:
    # Of 50: both yes 20, both no 15, yes/no 5, no/yes 10. Observed 0.7, by chance 0.5·0.6 + 0.5·0.4 = 0.5,
    # κ = 0.2/0.5.
    votes = Votes.of(rated("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15))
    found = cohen_kappa(votes, "a-0", "a-1")
    assert value(found) == pytest.approx(0.4)
    assert (found.units, found.ratings) == (50, 100)


def test_fleiss_by_hand() -> None:
    # Three judges, three units: aaa, aab, bbb. P = (1 + 1/3 + 1)/3 = 7/9; p = 5/9, 4/9, so chance is 41/81.
    # κ = (63/81 − 41/81) / (40/81) = 22/40.
    votes = Votes.of(rated("aab", "aab", "abb"))
    assert value(fleiss_kappa(votes)) == pytest.approx(22 / 40)


def test_per_cent_by_hand() -> None:
    # Pairs: the first unit has 3 (1 agrees), the second 1 (agrees), the third none: 2 of 4.
    found = per_cent(Votes.of(rated("aba", "ab.", "b..")))
    assert (found.value, found.units, found.ratings) == (50.0, 2, 5)


def test_fleiss_with_unequal_numbers_says_what_it_leaves_out() -> None:
    votes = Votes.of(rated("aabab", "aabb.", "abb.."))
    found = fleiss_kappa(votes)
    assert value(found) == pytest.approx(22 / 40)
    assert (found.units, found.ratings) == (3, 9)
    assert found.note == "from the units with 3 ratings; units excluded with a different number: 1"
    # Two units with two ratings, two with three: the larger number.
    assert fleiss_kappa(Votes.of(rated("abab", "abbb", "ab.."))).ratings == 6


@pytest.mark.parametrize(
    ("judges", "why"),
    [
        ((), "there are no judgments"),
        (("abab",), "only one annotator"),
        (("ab..", "..ab"), "no unit has ratings by two annotators"),
        (("aaab", "aaa."), "every vote is the same"),
    ],
)
def test_undefined_is_explained(judges: tuple[str, ...], why: str) -> None:
    votes = Votes.of(rated(*judges))
    for found in (krippendorff_alpha(votes), fleiss_kappa(votes)):
        assert (found.value, found.low, found.high) == (None, None, None)
        assert why in (found.why_undefined or "")
    if "same" in why:
        assert per_cent(votes).value == 100
        assert why in (cohen_kappa(votes, "a-0", "a-1").why_undefined or "")
    else:
        assert why in (per_cent(votes).why_undefined or "")


def test_judges_without_a_common_unit_are_no_pair() -> None:
    votes = Votes.of(rated("ab..", "..ab", "a..b"))
    assert judge_pairs(votes) == [("a-0", "a-2"), ("a-1", "a-2")]
    assert cohen_kappa(votes, "a-0", "a-1").why_undefined == "no unit was rated by both annotators"


def test_a_judge_with_one_label_is_at_chance() -> None:
    assert value(cohen_kappa(Votes.of(rated("aaaa", "abab")), "a-0", "a-1")) == 0.0


def test_no_interval_of_one_unit_or_of_draws_that_are_mostly_undefined() -> None:
    one = per_cent(Votes.of(rated("a", "b")))
    assert (one.value, one.low, one.high) == (0.0, None, None)
    # Of two units with the labels aa and ab every fourth draw is aa twice, where α is undefined.
    assert krippendorff_alpha(Votes.of(rated("aa", "ab"))).low is None


def test_a_second_rating_of_a_judge_is_refused() -> None:
    with pytest.raises(ValueError, match="two ratings"):
        Votes.of([Rating("u", "a", "x"), Rating("u", "a", "y")])


def test_intervals_are_seeded_and_hold_the_value() -> None:
    random = np.random.default_rng(5)
    judges = ["".join(random.choice(list("abc"), 60, p=[0.6, 0.3, 0.1])) for _ in range(3)]
    votes = Votes.of(rated(*judges))
    for coefficient in OVERALL:
        found = coefficient(votes, Bootstrap(seed=1))
        assert found == coefficient(votes, Bootstrap(seed=1))
        assert found != coefficient(votes, Bootstrap(seed=2))
        assert found.low is not None
        assert found.high is not None
        assert found.low < value(found) < found.high


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    random = np.random.default_rng(8)
    judges = ["".join(random.choice(list("ab"), 80)) for _ in range(2)]
    units = list(zip(*judges, strict=True))
    found = per_cent(Votes.of(rated(*judges)), Bootstrap(draws=4000))
    plain = [
        100 * np.mean([units[i][0] == units[i][1] for i in random.integers(80, size=80)]) for _ in range(4000)
    ]
    low, high = np.percentile(plain, [2.5, 97.5])
    assert [found.low, found.high] == pytest.approx([low, high], abs=1.3)


JUDGES = st.integers(2, 4).flatmap(
    lambda n: st.integers(1, 12).flatmap(
        lambda units: st.lists(st.text("abc.", min_size=units, max_size=units), min_size=n, max_size=n)
    )
)


def slow_alpha(judges: list[str]) -> float:
    """α from its definition: disagreement observed within units, over that between any two votes."""
    units = [[v for v in unit if v != "."] for unit in zip(*judges, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    votes = [v for unit in units for v in unit]
    observed = sum(sum(a != b for a, b in permutations(u, 2)) / (len(u) - 1) for u in units) / len(votes)
    expected = sum(a != b for a, b in permutations(votes, 2)) / (len(votes) * (len(votes) - 1))
    return float(1 - observed / expected)


@given(JUDGES)
@settings(max_examples=60, deadline=None)
def test_alpha_and_cohen_are_those_of_second_implementations(judges: list[str]) -> None:
    votes = Votes.of(rated(*judges))
    found = krippendorff_alpha(votes, FEW)
    if found.value is not None:
        assert value(found) == pytest.approx(slow_alpha(judges), abs=1e-9)
        task = AnnotationTask([(r.judge, r.unit_id, r.label) for r in rated(*judges)])
        assert value(found) == pytest.approx(task.alpha(), abs=1e-9)
    for one, other in judge_pairs(votes):
        kappa = cohen_kappa(votes, one, other, FEW)
        if kappa.value is not None:
            pairs = list(zip(judges[int(one[2:])], judges[int(other[2:])], strict=True))
            pairs = [(a, b) for a, b in pairs if a != "." and b != "."]
            rows = np.array([["abc".index(a), "abc".index(b)] for a, b in pairs])
            closed = vectorised_coefficients.cohen(np.ones((1, len(rows)), np.int64), rows)[0]
            assert kappa.value == pytest.approx(closed, abs=1e-9)
            task = [(j, str(i), v) for i, p in enumerate(pairs) for j, v in zip("xy", p, strict=True)]
            assert kappa.value == pytest.approx(AnnotationTask(task).kappa(), abs=1e-9)


@given(st.lists(st.text("abc", min_size=6, max_size=6), min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_complete_ratings_agree_with_nltk(judges: list[str]) -> None:
    votes = Votes.of(rated(*judges))
    task = AnnotationTask([(r.judge, r.unit_id, r.label) for r in rated(*judges)])
    assert value(per_cent(votes, FEW)) == pytest.approx(100 * task.avg_Ao(), abs=1e-9)
    alpha, fleiss = krippendorff_alpha(votes, FEW), fleiss_kappa(votes, FEW)
    assert (alpha.value is None) == (fleiss.value is None) == (len(votes.labels) == 1)
    if alpha.value is not None and fleiss.value is not None:
        assert alpha.value == pytest.approx(task.alpha(), abs=1e-9)
        closed = vectorised_coefficients.fleiss(np.ones((1, len(votes.shared)), np.int64), votes.shared)[0]
        assert fleiss.value == pytest.approx(closed, abs=1e-9)
        # Krippendorff's α corrects Fleiss' κ for the number of votes n: 1 − α = (1 − κ)(n − 1)/n.
        n = fleiss.ratings
        assert 1 - alpha.value == pytest.approx((1 - fleiss.value) * (n - 1) / n, abs=1e-9)


@given(JUDGES, st.permutations("abc"), st.randoms())
@settings(max_examples=60, deadline=None)
def test_names_and_order_are_of_no_account(judges: list[str], names: list[str], random: object) -> None:
    new = str.maketrans("abc", "".join(names))
    turned = [labels.translate(new) for labels in reversed(judges)]
    ratings = rated(*turned)
    random.shuffle(ratings)  # type: ignore[attr-defined]
    for coefficient in OVERALL:
        before, after = coefficient(Votes.of(rated(*judges)), FEW), coefficient(Votes.of(ratings), FEW)
        assert before.why_undefined == after.why_undefined
        assert (before.units, before.ratings, before.note) == (after.units, after.ratings, after.note)
        if before.value is not None:
            assert before.value == pytest.approx(after.value, abs=1e-9)


@given(st.text("abc", min_size=2, max_size=20).filter(lambda t: len(set(t)) > 1), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_perfect_agreement_is_one(labels: str, n: int) -> None:
    votes = Votes.of(rated(*[labels] * n))
    assert value(per_cent(votes, FEW)) == 100
    assert value(krippendorff_alpha(votes, FEW)) == pytest.approx(1)
    assert value(fleiss_kappa(votes, FEW)) == pytest.approx(1)
    for one, other in combinations(votes.judges, 2):
        assert math.isclose(value(cohen_kappa(votes, one, other, FEW)), 1)
