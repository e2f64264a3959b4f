"""Majority by hand; Dawid–Skene and MACE against slow implementations of their papers."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest
from scipy.special import digamma

from nextset.array_types import Floats
from nextset.errors import DependencyMissing
from nextset.validation.agreement import vote_aggregation
from nextset.validation.agreement.ratings import Rating, Votes
from nextset.validation.agreement.vote_aggregation import Aggregated, Method, aggregate_ratings, most_probable


def crowd(units: int, right: tuple[float, ...], labels: str = "abc", seed: int = 0) -> list[Rating]:
    """Every judge rates every unit, rightly as often as ``right`` says; the truth goes round the labels."""
    random = np.random.default_rng(seed)
    found = []
    for u, (j, share) in product(range(units), enumerate(right)):
        truth = labels[u % len(labels)]
        said = truth if random.random() < share else str(random.choice(list(labels)))
        found.append(Rating(f"u{u:03}", f"a-{j}", said))
    return found


def table(found: Aggregated) -> Floats:
    by_unit = sorted(found.probabilities.items())
    return np.array([[p for _, p in sorted(of.items())] for _, of in by_unit])


def test_majority_is_the_shares_of_the_votes() -> None:
    ratings = [Rating("u", "1", "a"), Rating("u", "2", "b"), Rating("u", "3", "a"), Rating("v", "1", "b")]
    found = aggregate_ratings(ratings, "majority")
    assert found.probabilities == {
        "u": {"a": pytest.approx(2 / 3), "b": pytest.approx(1 / 3)},
        "v": {"a": 0, "b": 1},
    }
    assert [(p.unit_id, p.label) for p in found.posteriors()] == [
        ("u", "a"),
        ("u", "b"),
        ("v", "a"),
        ("v", "b"),
    ]
    assert (found.fit.units, found.fit.judges, found.fit.rounds, found.fit.note) == (2, 3, None, "")


def test_the_most_probable_label_and_ties() -> None:
    assert most_probable({"a": 0.6, "b": 0.4}) == "a"
    assert most_probable({"a": 0.5, "b": 0.5 + 1e-12}) is None
    assert most_probable({}) is None


def slow_dawid_skene(votes: Votes, rounds: int) -> Floats:
    """Dawid and Skene (1979), equations 2.3 to 2.5, begun with the shares of the votes (section 4)."""
    labels = range(len(votes.labels))
    cells = list(zip(votes.unit.tolist(), votes.judge.tolist(), votes.label.tolist(), strict=True))
    t: Floats = votes.counts / votes.counts.sum(axis=1, keepdims=True)
    prior = t.mean(axis=0)
    for _ in range(rounds + 1):
        errors = np.full((len(votes.judges), len(labels), len(labels)), 1e-10)
        for u, j, said in cells:
            for truth in labels:
                errors[j, truth, said] += t[u, truth]
        errors /= errors.sum(axis=2, keepdims=True)
        after = np.tile(prior, (len(votes.units), 1))
        for u, j, said in cells:
            after[u] *= errors[j, :, said]
        t = after / after.sum(axis=1, keepdims=True)
        prior = t.mean(axis=0)
    return t


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2])
def test_dawid_skene_against_a_slow_implementation(seed: int) -> None:
    # Of seed 2 crowd-kit, left to itself, stops too early.
    ratings = crowd(60, (0.9, 0.8, 0.7, 0.2), seed=seed)
    found = aggregate_ratings(ratings, "dawid_skene")
    assert found.fit.settled
    assert found.fit.note == ""
    slow = slow_dawid_skene(Votes.of(ratings), 300)
    np.testing.assert_allclose(table(found), slow, atol=1e-6)


def slow_mace(votes: Votes, rounds: int, random: np.random.RandomState) -> Floats:
    """Hovy et al. (2013), section 3, by variational Bayes: Beta(0.5, 0.5) and Dirichlet(10) priors."""
    judges, labels = len(votes.judges), len(votes.labels)
    knowing = random.uniform(1, 2, (judges, 2))
    knowing /= knowing.sum(axis=1, keepdims=True)
    habit = random.uniform(1, 2, (judges, labels))
    habit /= habit.sum(axis=1, keepdims=True)
    cells = list(zip(votes.unit.tolist(), votes.judge.tolist(), votes.label.tolist(), strict=True))
    for i in range(rounds + 1):
        joint = np.full((len(votes.units), labels), 1 / labels)
        for u, j, said in cells:
            for truth in range(labels):
                joint[u, truth] *= knowing[j, 0] * habit[j, said] + knowing[j, 1] * (said == truth)
        t: Floats = joint / joint.sum(axis=1, keepdims=True)
        if i == rounds:
            break
        knew, guessed = np.zeros(judges), np.zeros((judges, labels))
        for u, j, said in cells:
            by_habit = knowing[j, 0] * habit[j, said]
            share = t[u, said] * knowing[j, 1] / (by_habit + knowing[j, 1])
            knew[j] += share
            guessed[j, said] += 1 - share
        counts = np.stack([guessed.sum(axis=1), knew], axis=1) + 0.5
        knowing = np.exp(digamma(counts) - digamma(counts.sum(axis=1, keepdims=True)))
        habit = np.exp(digamma(guessed + 10) - digamma((guessed + 10).sum(axis=1, keepdims=True)))
    return t


@pytest.mark.slow
def test_mace_against_a_slow_implementation() -> None:
    # Judges and labels first appear in another order than that of their names.
    ratings = crowd(60, (0.2, 0.9, 0.8, 0.75), labels="cab", seed=3)
    slow = slow_mace(Votes.of(ratings), 50, np.random.RandomState(1))
    found = table(aggregate_ratings(ratings, "mace"))
    np.testing.assert_allclose(found, slow, atol=1e-3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    # The same in every run, in whatever order the ratings come.
    np.testing.assert_array_equal(found, table(aggregate_ratings(ratings[::-1], "mace")))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_models_see_through_careless_majorities(method: Method) -> None:
    # Two careful judges against three who mostly answer at random.
    ratings = crowd(90, (0.97, 0.97, 0.1, 0.1, 0.1), seed=1)
    shares = {}
    for name in ("majority", method):
        found = aggregate_ratings(ratings, name).probabilities
        right = [most_probable(of) == "abc"[int(u[1:]) % 3] for u, of in found.items()]
        shares[name] = np.mean(right)
    assert shares[method] > shares["majority"] + 0.05
    assert shares[method] > 0.9


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_where_every_vote_is_the_same_no_model_is_fitted(method: Method) -> None:
    assert aggregate_ratings([], method).probabilities == {}
    found = aggregate_ratings([Rating("u", "1", "a"), Rating("u", "2", "a")], method)
    assert found.probabilities == {"u": {"a": 1}}
    assert (found.fit.rounds, found.fit.note) == (None, "every vote is the same, so no model was fitted")


@pytest.mark.slow
def test_doubtful_fits_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vote_aggregation._ROUNDS, "dawid_skene", 5)  # the doubts are the votes' own

    def note(ratings: list[Rating]) -> str:
        return aggregate_ratings(ratings, "dawid_skene").fit.note

    assert "only one annotator" in note([Rating("u", "1", "a"), Rating("v", "1", "b")])
    assert "cannot know which one is wrong" in note(crowd(6, (0.9, 0.5)))
    many = [Rating(r.unit_id, f"{r.judge} {r.unit_id}", r.label) for r in crowd(3, (0.9, 0.9))]
    assert "no unit has three votes" in note(many)


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_without_crowd_kit_it_is_said_what_to_install(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    ratings = crowd(4, (0.9, 0.5))
    with pytest.raises(DependencyMissing) as caught:
        aggregate_ratings(ratings, method)
    assert caught.value.remedy == "pip install 'nextset[validate]'"
    assert aggregate_ratings(ratings, "majority").probabilities
