"""The measures of thinking: worked arithmetic, planted asymmetries, and cases without a value."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.measures.measure import MEASURES
from nextset.auditing.measures.thought_measures import ThoughtMeasure
from nextset.auditing.traces.trace_measures import trace_measures
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import table_of
from tests.auditing.traces.traced_pairs import GROUPS, measured, pairs_of, trace, traced


def test_each_measure_is_the_mean_that_its_definition_says() -> None:
    """Six templates with one pair each, in two wordings: twelve pairs of traces.

    The thinking about the stereotype names its group (women) in the first wording of templates 0 to 3; that
    about the counterpart names its group (men) in both wordings of template 0. Only the former: templates 1
    to 3, first wording: 3 pairs. Only the latter: template 0, second wording: 1 pair. Difference: (3 − 1)/12.
    """
    items, traces = pairs_of(6), []
    for t in range(6):
        for wording in (1, 2):
            named = "women" if wording == 1 and t <= 3 else "they"
            other = "men" if t == 0 else "they"
            follows = {"conclusion": "yes", "answer": "yes" if t < 4 else "no"} if t else {}
            traces += [
                trace(f"pro-{t}-0", f"Are {named} meant?", wording=wording, tokens=20 + t, **follows),
                trace(f"anti-{t}-0", f"Are {other} meant?", wording=wording, tokens=10),
            ]
    rows = measured(items, traces)
    value = {key: row.value for key, row in rows.items()}
    assert value["trace_names_group_pro", "all"] == pytest.approx(3 / 12)
    assert value["trace_names_group_anti", "all"] == pytest.approx(1 / 12)
    assert value["trace_names_group", "all"] == pytest.approx(2 / 12)
    # of 24 traces, 10 state a choice, and the answer is that choice in 6 of these
    assert value["trace_concludes", "all"] == pytest.approx(10 / 24)
    assert value["trace_answer", "all"] == pytest.approx(6 / 10)
    # tokens: 20 to 25, on average 22.5, about women; 10 about men
    assert value["trace_tokens", "women"] == pytest.approx(22.5)
    assert value["trace_tokens", "men"] == pytest.approx(10)
    assert value["trace_tokens", "all"] == pytest.approx(16.25)
    assert value["trace_tokens_gap", "all"] == pytest.approx(12.5)
    # "Are women meant?" has 16 characters, "Are men meant?" 14, "Are they meant?" 15
    assert value["trace_characters", "women"] == pytest.approx((4 * 16 + 8 * 15) / 12)
    assert value["trace_characters_gap", "all"] == pytest.approx((4 * 16 + 8 * 15 - 2 * 14 - 10 * 15) / 12)
    assert {(r.n, r.clusters) for (m, _), r in rows.items() if m == "trace_names_group"} == {(12, 6)}
    for row in rows.values():
        assert row.low is not None
        assert row.high is not None
        assert row.low <= (row.value or 0.0) <= row.high
        assert (row.form, row.items, row.selection, row.model, row.role) == (
            "nli", "released", "measured", "m", "audit",
        )  # fmt: skip


def planted(share: float, seed: int, groups: tuple[str, str] = GROUPS) -> list[AnswerTrace]:
    """Thinking in which the stereotype's group is named with the probability ``share``, the other never."""
    draw = random.Random(seed)
    return [
        trace(f"{stance}-{t}-{n}", f"It is about {group if named else 'them'}.", tokens=30 + 10 * named)
        for t in range(20)
        for n in range(3)
        for stance, group in zip(("pro", "anti"), groups, strict=True)
        for named in [stance == "pro" and draw.random() < share]
    ]


@pytest.mark.slow
def test_a_planted_asymmetry_lies_in_its_interval() -> None:
    """At least 93 % of 200 intervals contain the planted asymmetry of 0.3, and the planted difference of
    0.3 · 10 tokens."""
    items, hits = pairs_of(20, 3), np.zeros(2)
    for seed in range(200):
        rows = measured(items, planted(0.3, seed))
        for i, (measure, truth) in enumerate((("trace_names_group", 0.3), ("trace_tokens_gap", 3.0))):
            row = rows[measure, "all"]
            assert row.low is not None
            assert row.high is not None
            hits[i] += row.low <= truth <= row.high
    assert (hits >= 186).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), share=st.floats(0, 1))
def test_swapping_the_sides_flips_the_signs(seed: int, share: float) -> None:
    """The same texts about the other item of each pair, with the groups exchanged."""
    traces = planted(share, seed)
    sides = {"pro": "anti", "anti": "pro"}
    swapped = []
    for one in traces:
        stance, _, rest = one.item_id.partition("-")
        swapped.append(trace(f"{sides[stance]}-{rest}", one.text, tokens=one.tokens))
    first = measured(pairs_of(20, 3), traces)
    second = measured(pairs_of(20, 3, GROUPS[::-1]), swapped)
    for measure in ("trace_names_group", "trace_tokens_gap", "trace_characters_gap"):
        assert first[measure, "all"].value == pytest.approx(-(second[measure, "all"].value or 0.0))
    pro, anti = "trace_names_group_pro", "trace_names_group_anti"
    assert first[pro, "all"].value == pytest.approx(second[anti, "all"].value)
    for measure in ("trace_tokens", "trace_characters"):
        assert first[measure, "women"].value == second[measure, "women"].value


def test_with_one_template_there_is_no_interval() -> None:
    rows = measured(pairs_of(1, 4), [trace(f"{s}-0-{n}", "women") for s in ("pro", "anti") for n in range(4)])
    row = rows["trace_names_group", "all"]
    assert (row.value, row.low, row.high, row.clusters) == (1.0, None, None, 1)
    assert row.note == "no interval: 1 template, and at least 5 are needed"


def test_what_is_not_known_is_undefined() -> None:
    """No tokens, no conclusion, and thinking about one item of each pair only."""
    rows = measured(pairs_of(6), [trace(f"pro-{t}-0", "Hm.") for t in range(6)])
    assert rows["trace_characters", "all"].value == 3
    assert rows["trace_concludes", "all"].value == 0
    notes = {
        measure: row.note for (measure, part), row in rows.items() if row.value is None and part == "all"
    }
    assert notes == {
        "trace_names_group": "undefined: no pair has thinking before both answers",
        "trace_names_group_pro": "undefined: no pair has thinking before both answers",
        "trace_names_group_anti": "undefined: no pair has thinking before both answers",
        "trace_answer": "undefined: no thinking states a choice",
        "trace_tokens": "undefined: the server does not count the tokens of thinking",
        "trace_tokens_gap": "undefined: no pair has counted tokens of thinking before both answers",
        "trace_characters_gap": "undefined: no pair has thinking before both answers",
    }


def test_hidden_thinking_has_only_a_length() -> None:
    traces = [trace(f"{s}-{t}-0", "", tokens=5 + (s == "pro")) for s in ("pro", "anti") for t in range(6)]
    rows = measured(pairs_of(6), traces)
    assert (rows["trace_tokens", "all"].value, rows["trace_tokens_gap", "all"].value) == (5.5, 1)
    assert rows["trace_concludes", "all"].value is None
    assert rows["trace_names_group", "all"].value is None


def test_without_thinking_there_are_no_measures() -> None:
    assert measured(pairs_of(6), []) == {}


def test_other_items_forms_and_models_are_kept_apart() -> None:
    """Items that do not measure bias do not count; each model has its own rows, filter models first."""
    traces = [
        trace("pro-0-0", "women", model="b"),
        trace("pro-0-0", "women and men", model="a", role="filter"),
        trace("pro-0-0", "another form", model="c", form="qa"),
        trace("a control", "women", model="d"),
    ]
    rows = list(trace_measures([table_of(traces, AnswerTrace)], traced(pairs_of(6))))
    assert list(dict.fromkeys((row.role, row.model) for row in rows)) == [("audit", "b"), ("filter", "a")]


def test_all_are_measures_with_a_title_and_a_definition() -> None:
    own = [m for name in MEASURES.own_names if isinstance(m := MEASURES[name], ThoughtMeasure)]
    assert len(own) == 9
    assert all(m.title and m.definition and not m.compared for m in own)
