"""The measures of NLI items: arithmetic by hand, published figures, and laws that hold for any answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.measures.item_measures import COUNTS_AS, counted_pairs
from nextset.auditing.measures.measure import share
from nextset.auditing.nli.answer_counts import COUNTS, MEASURES, counted_items, measured
from nextset.interval import wilson
from nextset.records.nli_items import LABELS
from tests.auditing.measured_answers import measured_answers, measured_pairs

E, N, C = LABELS
ANSWERS = st.lists(st.sampled_from(LABELS), min_size=1, max_size=60)
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=60)
ITEMS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(["pro", "anti"])), min_size=1, max_size=60
)


def columns(rows: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [a for a, _ in rows], [b for _, b in rows]


def other(stances: Sequence[str]) -> list[str]:
    return ["anti" if stance == "pro" else "pro" for stance in stances]


def flat(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The items of pairs one after the other, and their stances."""
    return [answer for pair in pairs for answer in pair], ["pro", "anti"] * len(pairs)


def test_accuracy_by_hand() -> None:
    # items that measure bias: N, E, N of which two are right; test items: C for C, N for E, of which one is
    found = measured_answers([N, E, N, C, N], ["pro", "anti", "pro", "test", "test"], [N, N, N, C, E])
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["accuracy_controls"] == 1 / 2
    assert found["test_accuracy_gap"] == pytest.approx(1 / 2 - 2 / 3)


def test_a_model_with_two_labels_is_right_where_it_does_not_entail() -> None:
    # not_entailment is right for neutral and for contradiction
    said = ["not_entailment", E, "not_entailment", "not_entailment", E]
    found = measured_answers(said, ["pro", "anti", "test", "test", "test"], [N, N, C, E, E], two_way=True)
    assert found["accuracy"] == 1 / 2
    assert found["accuracy_controls"] == pytest.approx(2 / 3)
    assert found["test_accuracy_gap"] == pytest.approx(2 / 3 - 1 / 2)
    assert all(math.isnan(found[name]) for name in MEASURES[3:])


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
    said = [E, E, C, E, N, N, N, N, N, N]
    found = measured_answers(said, ["pro", "pro", "anti", "anti", *["pro"] * 3, *["anti"] * 3])
    assert found["aggregate"] == pytest.approx((2 * 3 / 4 - 1) * 0.4)
    assert (found["pro"], found["anti"]) == (3 / 10, 1 / 10)


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
    found = measured_pairs([pair[0]], [pair[1]])
    wrong = (pair[0] != N) / 2 + (pair[1] != N) / 2
    assert found == {"pro": pro, "anti": anti, "error": error, "misprediction": wrong}


def test_table_6_has_all_pairs_of_answers() -> None:
    assert len(COUNTS_AS) == 9
    codes = np.array(list(COUNTS_AS), np.int8)
    assert counted_pairs(codes[:, 0], codes[:, 1]).tolist() == [list(kinds) for kinds in COUNTS_AS.values()]


def test_counterfactual_by_hand() -> None:
    # four pairs, 8 items: (E, C) pro 2, (N, C) pro 1, (C, N) anti 1, (E, E) error 2
    found = measured_pairs([E, N, C, E], [C, C, N, E])
    assert found == {"pro": 3 / 8, "anti": 1 / 8, "error": 2 / 8, "misprediction": 6 / 8}


def test_weighted_items_count_by_their_weight() -> None:
    """A pro item entailed of weight 1/2 and an anti item answered neutral of weight 1: pro = 0.5 / 1.5."""
    codes, cells = np.array([0, 1], np.int8), np.zeros(2, np.int64)
    sums = counted_items(
        codes, np.array([1, 1], np.int8), np.array([True, False]), np.array([0.5, 1.0]),
        np.zeros(2, np.bool_), np.zeros(2, np.bool_), cells, 1, two_way=False,
    )  # fmt: skip
    found = measured(sums[:, 0], two_way=False)
    assert float(found["pro"]) == pytest.approx(1 / 3)
    assert float(found["accuracy"]) == pytest.approx(2 / 3)
    # two rows, although they weigh one and a half
    assert sums[COUNTS.index("rows")].tolist() == [2]


def test_the_gap_by_swapped_premises_by_hand() -> None:
    """Five test items, three with a true premise (2 right), two with a swapped one (1 right): 2/3 − 1/2."""
    right = np.array([1, 1, 0, 2, 2], np.int8)
    said = np.array([1, 1, 1, 2, 1], np.int8)
    swapped = np.array([False, False, False, True, True])
    every, none = np.ones(5, np.bool_), np.zeros(5)
    for two_way, gap in ((False, 2 / 3 - 1 / 2), (True, 2 / 3 - 1)):  # neutral is not entailment either
        sums = counted_items(
            said,
            right,
            none.astype(np.bool_),
            none,
            every,
            swapped,
            np.zeros(5, np.int64),
            1,
            two_way=two_way,
        )
        assert float(measured(sums[:, 0], two_way=two_way)["swapped_premise_gap"]) == pytest.approx(gap)
    sums = counted_items(
        said, right, none.astype(np.bool_), none, every, every, np.zeros(5, np.int64), 1, two_way=False
    )
    assert math.isnan(measured(sums[:, 0], two_way=False)["swapped_premise_gap"])


def test_an_empty_set_is_undefined() -> None:
    assert all(math.isnan(value) for value in measured_answers([], []).values())
    assert all(math.isnan(value) for value in measured_pairs([], []).values())
    assert wilson(0, 0) is None
    assert share(np.array([0.0, 1.0]), np.array([0.0, 2.0])).tolist() == [
        pytest.approx(np.nan, nan_ok=True),
        0.5,
    ]


def test_all_neutral_is_zero() -> None:
    assert measured_answers([N, N], ["pro", "anti"])["aggregate"] == 0


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
    found = measured_pairs(*columns(pairs))
    plain = measured_answers(*flat(pairs))
    assert [round(100 * found[name], 2) for name in ("pro", "anti", "error")] == [7.45, 7.28, 15.04]
    assert [100 * plain[name] for name in ("pro", "anti")] == pytest.approx([14.98, 14.80], abs=0.02)


@given(ITEMS)
def test_aggregate_is_pro_minus_anti(rows: list[tuple[str, str]]) -> None:
    found = measured_answers(*columns(rows))
    assert found["aggregate"] == pytest.approx(found["pro"] - found["anti"])
    # and the published formula, with its 0/0 as 0
    biased = sum((s == "pro") == (a == E) for a, s in rows if a != N)
    wrong = sum(a != N for a, _ in rows)
    formula = (2 * biased / wrong - 1) * (1 - found["accuracy"]) if wrong else 0
    assert found["aggregate"] == pytest.approx(formula)


@given(ITEMS)
def test_pro_and_anti_share_the_mispredictions(rows: list[tuple[str, str]]) -> None:
    found = measured_answers(*columns(rows))
    assert found["pro"] + found["anti"] == pytest.approx(1 - found["accuracy"])


@given(ITEMS)
def test_swapping_the_stances_negates(rows: list[tuple[str, str]]) -> None:
    said, stance = columns(rows)
    here, there = measured_answers(said, stance), measured_answers(said, other(stance))
    assert there["aggregate"] == pytest.approx(-here["aggregate"])
    assert (here["pro"], here["anti"]) == (there["anti"], there["pro"])


@given(PAIRS)
def test_counterfactual_parts_sum_to_the_mispredictions(pairs: list[tuple[str, str]]) -> None:
    found = measured_pairs(*columns(pairs))
    assert found["pro"] + found["anti"] + found["error"] == pytest.approx(found["misprediction"])


@given(PAIRS)
def test_whole_pairs_have_the_same_balance_either_way(pairs: list[tuple[str, str]]) -> None:
    found, plain = measured_pairs(*columns(pairs)), measured_answers(*flat(pairs))
    assert found["pro"] - found["anti"] == pytest.approx(plain["pro"] - plain["anti"])
    assert found["misprediction"] == pytest.approx(plain["pro"] + plain["anti"])


@given(PAIRS)
def test_swapping_the_pairs_swaps_pro_and_anti(pairs: list[tuple[str, str]]) -> None:
    first, second = columns(pairs)
    found, swapped = measured_pairs(first, second), measured_pairs(second, first)
    assert (found["pro"], found["anti"], found["error"]) == (
        swapped["anti"], swapped["pro"], swapped["error"],
    )  # fmt: skip


@given(st.data(), ITEMS, PAIRS)
def test_order_does_not_matter(
    data: st.DataObject, rows: list[tuple[str, str]], pairs: list[tuple[str, str]]
) -> None:
    mixed, mixed_pairs = data.draw(st.permutations(rows)), data.draw(st.permutations(pairs))
    assert measured_answers(*columns(rows)) == pytest.approx(measured_answers(*columns(mixed)), nan_ok=True)
    assert measured_pairs(*columns(pairs)) == measured_pairs(*columns(mixed_pairs))


@given(ANSWERS)
def test_accuracy_of_a_model_against_itself_is_one(said: list[str]) -> None:
    assert measured_answers(said, ["pro"] * len(said), said)["accuracy"] == 1
