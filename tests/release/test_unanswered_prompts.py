"""The rates of prompts without a choice on the dataset card."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.records.prompt_outcomes import OUTCOMES
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.unanswered_prompts import OUTCOME_SCORE_COLUMNS, unanswered_prompts
from tests.release.card_example import full_card, quad_card


def scores(model: str, *rows: dict[str, float], votes: bool = True) -> pa.Table:
    same = {"model": model, "votes": votes} | dict.fromkeys(OUTCOMES, 0.0)
    return pa.Table.from_pylist([same | row for row in rows]).select(list(OUTCOME_SCORE_COLUMNS))


def test_by_hand() -> None:
    """Four rows of three prompts: one is refused whole, of one a prompt is refused and one is cut off.

    Refused: (1 + 1/3)/4 = 1/3, cut off: (1/3)/4 = 1/12, and two of the four rows are touched.
    """
    rows = [{"refused": 1.0}, {"refused": 1 / 3, "cut_off": 1 / 3}, {}, {}]
    pieces = [
        scores("chat/model", *rows[:2]),
        scores("local/model", {}, {}, votes=False),
        scores("chat/model", *rows[2:]),
        scores("other/chat", {}),
    ]
    first, other = unanswered_prompts(
        pieces
    )  # a model that always chooses, with probabilities, is not listed
    assert (first.name, first.rows, first.touched) == ("chat/model", 4, 0.5)
    assert first.refused == pytest.approx(1 / 3)
    assert first.cut_off == pytest.approx(1 / 12)
    assert (other.name, other.rows, other.touched) == ("other/chat", 1, 0)


def test_without_such_prompts_the_card_has_no_table() -> None:
    assert unanswered_prompts([]) == ()
    assert unanswered_prompts([scores("chat/model", {}, {}), scores("local/model", {}, votes=False)]) == ()
    for card in (full_card(), quad_card()):
        assert "not answered with a choice" not in render_card(card)


def test_the_card_lists_the_rates() -> None:
    rows = unanswered_prompts([scores("a|b", {"refused": 0.25, "abstained": 0.5}, {})])
    text = render_card(full_card(silent=rows))
    assert "| a\\|b | 2 | 25.0 % | 12.5 % | 0.0 % | 0.0 % | 50.0 % |" in text


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=30))
def test_the_last_column_bounds_what_missing_rows_could_change(rows: list[tuple[int, bool]]) -> None:
    """A row with two or three refused prompts of three is not answered; the booleans are hidden answers."""
    found = unanswered_prompts([scores("m", *({"refused": n / 3} for n, _ in rows))])
    answered = [hidden for n, hidden in rows if n < 2]
    if not answered or not found:
        return
    of_all = float(np.mean([hidden for _, hidden in rows]))
    assert abs(of_all - float(np.mean(answered))) <= found[0].touched + 1e-12
