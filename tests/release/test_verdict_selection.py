from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.records.arrow_schema import table_of
from nextset.records.judgment import Judgment
from nextset.release.verdict_selection import (
    adjudicated_verdicts,
    select_valid,
    selected_units,
    verdict_words,
)
from nextset.study.release_settings import VerdictRule
from nextset.validation.agreement.vote_aggregation import Posterior
from nextset.validation.verdicts import Verdicts, aggregate, judged

Votes = Sequence[tuple[str, str, str | None]]
"""Unit, verdict and stance, each of another annotator."""

AGGREGATED = VerdictRule(aggregated=True)
MAJORITY = VerdictRule(majority=True)
UNANIMOUS = VerdictRule(unanimous=True)


def posterior(p: float) -> VerdictRule:
    return VerdictRule(posterior_at_least=p)


def judgments(votes: Votes, prefix: str = "a") -> list[Judgment]:
    return [
        Judgment(
            unit_id=unit,
            verdict=verdict,  # type: ignore[arg-type]
            stance_judged=stance,  # type: ignore[arg-type]
            judge=f"{prefix}-{i}",
            annotation=str(i),
        )
        for i, (unit, verdict, stance) in enumerate(votes)
    ]


UNITS = ("u0", "u1", "u2", "u3")


def valid(rule: VerdictRule, votes: Votes, adjudications: Votes = ()) -> set[str]:
    """The units of the rows that are released, each row an item of its unit."""
    given_votes, adjudged = judgments(votes), judgments(adjudications, "x")
    verdicts = aggregate(UNITS, given_votes, adjudications=adjudged)
    items = _items(verdicts)
    table = table_of(adjudged, Judgment)
    by_unit = adjudicated_verdicts(table, [items.slice(0, 2), items.slice(2)])
    found = selected_units(
        rule, table_of(given_votes, Judgment), table_of(verdicts.posteriors, Posterior), by_unit
    )
    return set(select_valid(items, found)["unit_id"].to_pylist())


def _items(verdicts: Verdicts) -> pa.Table:
    rows = pa.table({"id": [*UNITS, "test item"]})
    return judged(rows, [*UNITS, None], verdicts)


def test_two_of_three_are_a_majority_and_not_unanimous() -> None:
    votes = [("u0", "valid", "pro"), ("u0", "valid", "anti"), ("u0", "incoherent", None)]
    assert valid(AGGREGATED, votes) == valid(MAJORITY, votes) == {"u0"}
    assert valid(UNANIMOUS, votes) == set()
    # valid pro 1/3 + valid anti 1/3 = 2/3
    assert valid(posterior(0.66), votes) == {"u0"}
    assert valid(posterior(0.67), votes) == set()


def test_two_of_four_are_the_most_frequent_verdict_and_no_majority() -> None:
    votes = [("u0", v, None) for v in ("valid", "valid", "invalid", "incoherent")]
    assert valid(AGGREGATED, votes) == {"u0"}
    assert valid(MAJORITY, votes) == set()
    assert valid(posterior(0.5), votes) == {"u0"}


def test_probabilities_that_add_up_to_p_suffice() -> None:
    votes = [("u0", "valid", "pro")] * 1 + [("u0", "valid", "anti")] * 7 + [("u0", "invalid", None)] * 2
    assert 0.1 + 0.7 < 0.8  # in floating point
    assert valid(posterior(0.8), votes) == {"u0"}


def test_an_adjudication_replaces_the_votes() -> None:
    votes = [
        ("u0", "valid", "pro"), ("u0", "valid", "pro"), ("u1", "invalid", None), ("u1", "invalid", None),
        ("u2", "valid", "pro"),
    ]  # fmt: skip
    adjudications = [
        ("u0", "invalid", None), ("u1", "valid", "pro"), ("u2", "valid", "pro"), ("u3", "valid", "pro"),
    ]  # fmt: skip
    for rule in (AGGREGATED, MAJORITY, posterior(1.0)):
        assert valid(rule, votes, adjudications) == {"u1", "u2", "u3"}
    # u1 has votes for invalid; u3 has no votes, only an adjudication
    assert valid(UNANIMOUS, votes, adjudications) == {"u2", "u3"}


def test_adjudicators_who_tie_decide_nothing() -> None:
    votes = [("u0", "valid", "pro")] * 3
    tie = [("u0", "valid", "pro"), ("u0", "invalid", None)]
    for rule in (AGGREGATED, MAJORITY, UNANIMOUS, posterior(0.1)):
        assert valid(rule, votes, tie) == set()


@pytest.mark.parametrize("rule", [AGGREGATED, MAJORITY, UNANIMOUS, posterior(0.9)])
def test_nobody_judged_a_unit(rule: VerdictRule) -> None:
    assert valid(rule, []) == set()


@pytest.mark.parametrize("rule", [AGGREGATED, MAJORITY, UNANIMOUS, posterior(0.9)])
def test_every_rule_has_words(rule: VerdictRule) -> None:
    words = verdict_words(rule)
    assert words.startswith("a unit counts as valid if ")
    assert "adjudicat" in words
    assert "{" not in words


def test_the_words_of_a_probability_name_it() -> None:
    assert "at least 0.9, " in verdict_words(posterior(0.9))


LABELS = st.sampled_from([("valid", "pro"), ("valid", "anti"), ("invalid", None), ("incoherent", None)])
VOTES = st.lists(st.tuples(st.sampled_from(UNITS), LABELS).map(lambda v: (v[0], *v[1])), max_size=24)


def by_hand(rule: VerdictRule, votes: Votes, adjudications: Votes) -> set[str]:
    """The definition in fractions, unit by unit."""
    found = set()
    for unit in UNITS:
        given_verdicts = [v for u, v, _ in votes if u == unit]
        adjudged = [v for u, v, _ in adjudications if u == unit]
        share = (
            Fraction(sum(v == "valid" for v in given_verdicts), len(given_verdicts))
            if given_verdicts
            else Fraction(0)
        )
        if rule.unanimous:
            good = all(v == "valid" for v in given_verdicts) and bool(given_verdicts or adjudged)
            good = good and (not adjudged or _most(adjudged) == "valid")
        elif adjudged:
            good = _most(adjudged) == "valid"
        elif rule.majority:
            good = share > Fraction(1, 2)
        elif rule.aggregated:
            good = bool(given_verdicts) and _most(given_verdicts) == "valid"
        else:
            good = bool(given_verdicts) and share >= Fraction(str(rule.posterior_at_least))
        found |= {unit} if good else set()
    return found


def _most(verdicts: Sequence[str]) -> str | None:
    counts: dict[str, int] = defaultdict(int)
    for v in verdicts:
        counts[v] += 1
    best = [v for v, n in counts.items() if n == max(counts.values())]
    return best[0] if len(best) == 1 else None


@given(
    VOTES,
    VOTES.map(lambda v: v[:5]),
    st.sampled_from([AGGREGATED, MAJORITY, UNANIMOUS]) | st.integers(1, 20).map(lambda n: posterior(n / 20)),
)
def test_it_is_the_definition(votes: Any, adjudications: Any, rule: VerdictRule) -> None:
    assert valid(rule, votes, adjudications) == by_hand(rule, votes, adjudications)


@given(
    st.lists(st.tuples(st.sampled_from(UNITS), LABELS).map(lambda v: (v[0], *v[1])), unique_by=lambda v: v[0])
)
def test_with_one_vote_per_unit_all_rules_agree(votes: Any) -> None:
    results = [valid(r, votes) for r in (AGGREGATED, MAJORITY, UNANIMOUS, posterior(0.5), posterior(1.0))]
    assert all(r == results[0] for r in results)
