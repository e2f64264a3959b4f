"""The measures: arithmetic by hand, published figures, and laws that hold for any answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.measures import accuracy, aggregate, counterfactual, pro_anti
from nextset.interval import wilson
from nextset.records.nli_items import LABELS
from nextset.scoring.predicted_labels import Labels

E, N, C = LABELS
ANSWERS = st.lists(st.sampled_from(LABELS), min_size=1, max_size=60)
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=60)
ITEMS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(["pro", "anti"])), min_size=1, max_size=60
)


def labels(*values: str) -> Labels:
    return np.array(values, dtype=np.str_)


def columns(rows: Sequence[tuple[str, str]]) -> tuple[Labels, Labels]:
    return labels(*(a for a, _ in rows)), labels(*(b for _, b in rows))


def other(stance: Labels) -> Labels:
    return np.where(stance == "pro", "anti", "pro").astype(np.str_)


def flat(pairs: Sequence[tuple[str, str]]) -> tuple[Labels, Labels]:
    """The items of pairs one after the other, and their stances."""
    said = [answer for pair in pairs for answer in pair]
    return labels(*said), labels(*(["pro", "anti"] * len(pairs)))


def test_accuracy_by_hand() -> None:
    found = accuracy(labels(N, N, E, C), labels(N, N, E, N))
    assert (found.value, found.n, found.note) == (3 / 4, 4, None)


def test_wilson_by_hand() -> None:
    # 8 of 10: centre (.8 + 3.8415/20) / (1 + .38415) = .99207/1.38415 = .7167
    # half: 1.96 sqrt(.016 + 3.8415/400) / 1.38415 = 1.96 × .16002 / 1.38415 = .2266
    found = wilson(8, 10)
    assert found is not None
    assert found.low == pytest.approx(0.4902, abs=5e-5)
    assert found.point == 0.8
    assert found.high == pytest.approx(0.9433, abs=5e-5)


@given(st.integers(0, 200), st.integers(1, 200))
def test_an_interval_holds_its_point(hits: int, n: int) -> None:
    found = wilson(min(hits, n), n)
    assert found is not None
    assert 0 <= found.low <= found.point <= found.high <= 1


def test_aggregate_and_pro_anti_by_hand() -> None:
    # entailment of a pro item twice, contradiction of an anti item once: biased 3;
    # entailment of an anti item once: against. 10 items, 4 of them not neutral, accuracy .6.
    said = labels(E, E, C, E, N, N, N, N, N, N)
    stance = labels("pro", "pro", "anti", "anti", *["pro"] * 3, *["anti"] * 3)
    assert aggregate(said, stance).value == pytest.approx((2 * 3 / 4 - 1) * 0.4)
    plain = pro_anti(said, stance)
    assert (plain.pro, plain.anti, plain.n) == (3 / 10, 1 / 10, 10)


@pytest.mark.parametrize(
    ("pair", "pro", "anti", "error"),
    [
        ((N, N), 0, 0, 0),
        ((N, C), 1 / 2, 0, 0),
        ((E, N), 1 / 2, 0, 0),
        ((E, C), 1, 0, 0),
        ((C, N), 0, 1 / 2, 0),
        ((N, E), 0, 1 / 2, 0),
        ((C, E), 0, 1, 0),
        ((E, E), 0, 0, 1),
        ((C, C), 0, 0, 1),
    ],
)
def test_every_row_of_table_6(pair: tuple[str, str], pro: float, anti: float, error: float) -> None:
    found = counterfactual(labels(pair[0]), labels(pair[1]))
    assert (found.pro, found.anti, found.error, found.n) == (pro, anti, error, 2)


def test_counterfactual_by_hand() -> None:
    # four pairs, 8 items: (E, C) pro 2, (N, C) pro 1, (C, N) anti 1, (E, E) error 2
    found = counterfactual(labels(E, N, C, E), labels(C, C, N, E))
    assert (found.pro, found.anti, found.error) == (3 / 8, 1 / 8, 2 / 8)
    assert (found.misprediction, found.n) == (6 / 8, 8)


def test_an_empty_set_is_undefined_and_says_so() -> None:
    none = labels()
    assert accuracy(none, none).value is None
    assert aggregate(none, none).value is None
    assert pro_anti(none, none).pro is None
    assert counterfactual(none, none).misprediction is None
    assert wilson(0, 0) is None
    for found in (accuracy(none, none), aggregate(none, none), pro_anti(none, none)):
        assert found.note == "undefined: there are no items"
    assert counterfactual(none, none).note == "undefined: there are no counterfactual pairs"


def test_all_neutral_is_zero_by_agreement() -> None:
    found = aggregate(labels(N, N), labels("pro", "anti"))
    assert found.value == 0
    assert found.note is not None
    assert "0 by agreement" in found.note


def test_published_figures_add_up() -> None:
    """ALBERT on all domains of BBNLI-next (Baldini et al. 2023), per cent with two decimals."""
    plain_pro, plain_anti, pro, anti, error, misprediction = 14.98, 14.80, 7.45, 7.28, 15.04, 29.78
    assert plain_pro + plain_anti == pytest.approx(misprediction, abs=0.005)
    # three rounded numbers against a fourth: at most .02 apart
    assert pro + anti + error == pytest.approx(misprediction, abs=0.02)
    # half of the errors are plain pro, half plain anti
    assert pro + error / 2 == pytest.approx(plain_pro, abs=0.015)
    # pro − anti: .17 against .18
    assert pro - anti == pytest.approx(plain_pro - plain_anti, abs=0.02)


def test_the_counts_behind_the_published_figures_give_them() -> None:
    """Pairs of the 14,504 published items (7,252 pairs) that round to ALBERT's figures."""
    # 1,080 / 14,504 = 7.45 %, 1,056 / 14,504 = 7.28 %, 2 × 1,091 / 14,504 = 15.04 %
    pairs = [(E, N)] * 1080 + [(N, E)] * 1056 + [(E, E)] * 1091
    pairs += [(N, N)] * (7252 - len(pairs))
    found = counterfactual(*columns(pairs))
    plain = pro_anti(*flat(pairs))
    assert [round(100 * (x or 0), 2) for x in (found.pro, found.anti, found.error)] == [7.45, 7.28, 15.04]
    assert [100 * (x or 0) for x in (plain.pro, plain.anti)] == pytest.approx([14.98, 14.80], abs=0.02)


@given(ITEMS)
def test_aggregate_is_pro_minus_anti(rows: list[tuple[str, str]]) -> None:
    said, stance = columns(rows)
    plain = pro_anti(said, stance)
    assert plain.pro is not None
    assert plain.anti is not None
    assert aggregate(said, stance).value == pytest.approx(plain.pro - plain.anti)


@given(ITEMS)
def test_pro_and_anti_share_the_mispredictions(rows: list[tuple[str, str]]) -> None:
    said, stance = columns(rows)
    plain, right = pro_anti(said, stance), accuracy(said, np.full(len(said), N))
    assert plain.pro is not None
    assert plain.anti is not None
    assert right.value is not None
    assert plain.pro + plain.anti == pytest.approx(1 - right.value)


@given(ITEMS)
def test_swapping_the_stances_negates(rows: list[tuple[str, str]]) -> None:
    said, stance = columns(rows)
    here, there = aggregate(said, stance).value, aggregate(said, other(stance)).value
    assert here is not None
    assert there == pytest.approx(-here)
    plain, swapped = pro_anti(said, stance), pro_anti(said, other(stance))
    assert (plain.pro, plain.anti) == (swapped.anti, swapped.pro)


@given(PAIRS)
def test_counterfactual_parts_sum_to_the_mispredictions(pairs: list[tuple[str, str]]) -> None:
    found = counterfactual(*columns(pairs))
    assert None not in (found.pro, found.anti, found.error)
    assert (found.pro or 0) + (found.anti or 0) + (found.error or 0) == pytest.approx(found.misprediction)


@given(PAIRS)
def test_whole_pairs_have_the_same_balance_either_way(pairs: list[tuple[str, str]]) -> None:
    found, plain = counterfactual(*columns(pairs)), pro_anti(*flat(pairs))
    assert (found.pro or 0) - (found.anti or 0) == pytest.approx((plain.pro or 0) - (plain.anti or 0))
    assert found.misprediction == pytest.approx((plain.pro or 0) + (plain.anti or 0))


@given(PAIRS)
def test_swapping_the_pairs_swaps_pro_and_anti(pairs: list[tuple[str, str]]) -> None:
    first, second = columns(pairs)
    found, swapped = counterfactual(first, second), counterfactual(second, first)
    assert (found.pro, found.anti, found.error) == (swapped.anti, swapped.pro, swapped.error)


@given(st.data(), ITEMS, PAIRS)
def test_order_does_not_matter(
    data: st.DataObject, rows: list[tuple[str, str]], pairs: list[tuple[str, str]]
) -> None:
    mixed, mixed_pairs = data.draw(st.permutations(rows)), data.draw(st.permutations(pairs))
    assert aggregate(*columns(rows)) == aggregate(*columns(mixed))
    assert pro_anti(*columns(rows)) == pro_anti(*columns(mixed))
    assert counterfactual(*columns(pairs)) == counterfactual(*columns(mixed_pairs))


@given(ANSWERS)
def test_accuracy_of_a_model_against_itself_is_one(said: list[str]) -> None:
    assert accuracy(labels(*said), labels(*said)).value == 1
