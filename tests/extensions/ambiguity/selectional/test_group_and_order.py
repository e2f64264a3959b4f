"""Recall by group and by order of mention, worked by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from nextset.extensions.ambiguity.selectional.answered_people import QuestionPeople
from nextset.extensions.ambiguity.selectional.copy_tests import copy_swaps
from nextset.extensions.ambiguity.selectional.group_tests import (
    group_differences,
    group_recalls,
    group_tests,
    no_interval,
)
from nextset.extensions.ambiguity.selectional.order_tests import adjusted_odds, order_recalls
from nextset.extensions.ambiguity.selectional.selectional_findings import selectional_findings
from nextset.extensions.ambiguity.selectional.selectional_records import AnsweringModel
from nextset.extensions.ambiguity.selectional.selectional_tables import SelectionalTables
from tests.extensions.ambiguity.selectional.people import asked, rows_of

F, M, U = "female", "male", "unknown"


def _first_is_found(number: int, groups: tuple[str, ...] = (F, M)) -> list[tuple[str, ...]]:
    return [groups if i % 2 else groups[::-1] for i in range(number)]


def _questions(orders: Sequence[tuple[str, ...]]) -> list[QuestionPeople]:
    return [
        asked(i, [(f"Given{i}x{j} Family{i}x{j}", group) for j, group in enumerate(groups)])
        for i, groups in enumerate(orders)
    ]


def _names(question: QuestionPeople) -> list[str]:
    return [person.name for person in question.people]


def test_recall_by_group() -> None:
    """Ten questions with a woman and a man each; the first is found in seven: three women (first
    in questions 1, 3 and 5) and four men (first in 0, 2, 4 and 6)."""
    questions = _questions(_first_is_found(10))
    rows = rows_of(questions, [_names(q)[0] if i < 7 else "" for i, q in enumerate(questions)])
    found = {(r.rule, r.group): r for r in group_recalls(rows)}
    women, men = found["shared_token", F], found["shared_token", M]
    assert (women.answers, women.found, men.answers, men.found) == (10, 3, 10, 4)  # 1, 3, 5; 0, 2, 4, 6
    low, high = proportion_confint(3, 10, method="wilson")
    assert (women.wilson_low, women.wilson_high) == pytest.approx((low, high))
    assert women.low is not None
    assert women.high is not None
    assert women.low < 0.3 < women.high
    (test, _) = group_tests(rows)
    known = scipy.stats.chi2_contingency([[3, 7], [4, 6]], correction=False)
    assert (test.chi_squared, test.p, test.degrees) == pytest.approx((known.statistic, known.pvalue, 1))
    assert test.cramers_v == pytest.approx(math.sqrt(known.statistic / 20))
    assert test.note == "rough p-value: the smallest expected count is 3.5"
    (difference, _) = group_differences(rows)
    assert (difference.first, difference.second) == (F, M)
    assert difference.difference == pytest.approx(-0.1)
    assert difference.odds_ratio == pytest.approx(3 * 6 / (7 * 4))


def test_unknown_is_shown_and_tested_beside_the_others() -> None:
    questions = _questions([(F, M, U)] * 8)
    rows = rows_of(questions, [_names(q)[i % 3] for i, q in enumerate(questions)])
    groups = [r.group for r in group_recalls(rows) if r.rule == "shared_token"]
    assert groups == [F, M, U]
    tests = [t for t in group_tests(rows) if t.rule == "shared_token"]
    assert [(t.groups, t.with_unknown, t.answers) for t in tests] == [
        ((F, M), False, 16),
        ((F, M, U), True, 24),
    ]
    assert all(U not in (d.first, d.second) for d in group_differences(rows))


def test_more_groups_are_each_compared_with_the_others() -> None:
    questions = _questions([("a", "b", "c")] * 6)
    rows = rows_of(questions, [_names(q)[0] for q in questions])
    found = [d for d in group_differences(rows) if d.rule == "shared_token"]
    assert [(d.first, d.second) for d in found] == [("a", "others"), ("b", "others"), ("c", "others")]
    assert [d.difference for d in found] == pytest.approx([1.0, -0.5, -0.5])
    assert found[0].odds_ratio is None
    assert found[0].note is not None
    assert "no odds ratio: a count is 0" in found[0].note


@pytest.mark.parametrize(
    ("other", "men", "women"),
    [("agender", "male", "female"), ("diverse", "men", "women"), ("trans", "man", "woman")],
)
def test_women_and_men_come_first_and_are_compared_with_each_other(other: str, men: str, women: str) -> None:
    """Each answer names the woman of its question alone: women 6 of 6, men and others none."""
    questions = _questions([(other, men, women)] * 6)
    rows = rows_of(questions, [_names(q)[2] for q in questions])
    recall, differences = list(group_recalls(rows)), list(group_differences(rows))
    assert [r.group for r in recall][:3] == [women, men, other]
    assert [(d.first, d.second, d.difference) for d in differences][:4] == [
        (women, men, 1.0), (women, "others", 1.0), (men, "others", -0.5), (other, "others", -0.5)
    ]  # fmt: skip
    (first, *_) = adjusted_odds(rows)
    assert (first.first, first.second) == (women, men)
    model = AnsweringModel(
        model="m", source="asked", revision="1", questions=6, answered=6, empty=0, missing=0, unknown=0
    )
    said = list(selectional_findings([model], recall, differences, list(group_tests(rows)), [], [], []))
    assert said[1].text.startswith(f"Group {women} is found more often")
    assert said[2].text.startswith("Groups differ")


@pytest.mark.parametrize("answer", ["", "everybody"])
def test_degenerate_answers_have_a_note(answer: str) -> None:
    questions = _questions([(F, M)] * 6)
    rows = rows_of(questions, [" ".join(_names(q)) if answer else "" for q in questions])
    for test in group_tests(rows):
        assert (test.chi_squared, test.p, test.cramers_v) == (None, None, None)
        said = "every right answer" if answer else "no right answer"
        assert test.note == f"undefined: {said} of these groups is found"
    for row in adjusted_odds(rows):
        assert (row.used, row.odds_ratio, row.p, row.low) == (0, None, None, None)
        assert row.note
    assert [r.difference for r in order_recalls(rows) if not r.group] == [0, 0]


def test_p_values_are_corrected_over_models() -> None:
    """Three models on 40 questions; the second finds each group by its own chance."""
    questions = _questions(_first_is_found(40))
    chosen = {
        "first": [0 if i % 3 else 1 for i in range(40)],
        "women": [(0 if i % 2 else 1) if i % 5 else 0 for i in range(40)],
        "other": [i % 2 if i % 7 else 1 for i in range(40)],
    }
    models = [
        AnsweringModel(
            model=m, source="asked", revision="", questions=40, answered=40, empty=0, missing=0, unknown=0
        )
        for m in chosen
    ]
    answers = {
        m: {q.question.id: _names(q)[place] for q, place in zip(questions, places, strict=True)}
        for m, places in chosen.items()
    }
    tables = SelectionalTables(questions, models, answers)
    for rows in (tables.tests, tables.differences, tables.order, tables.adjusted):
        own = [r for r in rows if r.rule == "shared_token" and getattr(r, "strata", "position") == "position"]
        known = [r for r in own if r.p is not None]
        assert known
        corrected = multipletests([r.p for r in known], method="holm")[1]
        assert [r.p_corrected for r in known] == pytest.approx(list(corrected))
        assert {r.comparisons for r in own} == {len(known)}
    women = next(d for d in tables.differences if d.model == "women")
    assert women.low is not None
    assert women.low > 0
    assert women.p is not None
    assert women.p < 0.01


def test_few_questions_have_no_interval() -> None:
    questions = _questions([(F, M)] * 3)
    rows = rows_of(questions, [_names(q)[0] for q in questions])
    for row in group_differences(rows):
        assert (row.difference, row.low, row.p) == (1.0, None, None)
        assert row.note == (
            "no interval: 3 questions have people of the rarer group, and at least 5 are needed; "
            "no odds ratio: a count is 0"
        )
    assert all(r.low is None and r.wilson_low is not None for r in group_recalls(rows))


def test_draws_that_are_all_the_same_have_no_interval() -> None:
    questions = _questions([(F, M)] * 8)
    (test, _) = group_tests(rows_of(questions, [_names(q)[0] for q in questions]))
    assert test.cramers_v == pytest.approx(1)
    assert (test.low, test.high) == (None, None)
    assert test.note is not None
    assert test.note.endswith("; no interval: all draws of questions give the same value")
    questions = _questions([(F, F, M, M)] * 8)
    answers = [f"{_names(q)[0]} and {_names(q)[2]}" for q in questions]
    by_question = next(a for a in adjusted_odds(rows_of(questions, answers)) if a.strata == "question")
    assert by_question.odds_ratio == pytest.approx(1)
    assert by_question.low is None
    assert by_question.note == "no interval: all draws of questions give the same value"


def test_a_position_effect_is_not_a_group_effect() -> None:
    """Women come first in 15 of 20 questions, and the first is always found: 75 % of women, 25 % of men.
    Among people in the same place there is no difference: all first ones are found, and no later one."""
    orders = [(F, M)] * 15 + [(M, F)] * 5
    questions = _questions(orders)
    rows = rows_of(questions, [_names(q)[0] for q in questions])
    (difference, _) = group_differences(rows)
    assert difference.difference == pytest.approx(0.5)
    everyone = next(r for r in order_recalls(rows) if not r.group)
    assert (everyone.first_recall, everyone.later_recall, everyone.difference) == (1, 0, 1)
    by_place = next(a for a in adjusted_odds(rows) if a.strata == "position")
    assert by_place.used == 0
    assert by_place.note == "undefined: in each place with both groups, all people are found or none"


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_adjusted_odds_are_those_of_statsmodels(data: st.DataObject) -> None:
    groups = st.lists(st.sampled_from([F, M]), min_size=2, max_size=3).map(tuple)
    orders = data.draw(st.lists(groups, min_size=6, max_size=25))
    hits = [data.draw(st.lists(st.booleans(), min_size=len(o), max_size=len(o))) for o in orders]
    questions = _questions(orders)
    answers = [
        " ".join(name for name, hit in zip(_names(q), hit_of, strict=True) if hit)
        for q, hit_of in zip(questions, hits, strict=True)
    ]
    rows = rows_of(questions, answers)
    counts = np.zeros((3, 2, 2))
    for order, hit_of in zip(orders, hits, strict=True):
        for place, (group, hit) in enumerate(zip(order, hit_of, strict=True)):
            counts[place, 0 if group == F else 1, 0 if hit else 1] += 1
    used = [t for t in counts if (t.sum(axis=0) > 0).all() and (t.sum(axis=1) > 0).all()]
    for row in adjusted_odds(rows):
        if row.rule != "shared_token" or row.strata != "position":
            continue
        assert row.used == len(used)
        if row.odds_ratio is not None:
            known = StratifiedTable(used)
            assert row.odds_ratio == pytest.approx(known.oddsratio_pooled)
            assert row.p == pytest.approx(known.test_null_odds(correction=False).pvalue, abs=1e-9)


def test_people_who_are_not_mentioned_have_no_place() -> None:
    questions = [asked(i, [(f"Ann{i} One{i}", F), (f"Bob{i} Two{i}*", M)]) for i in range(6)]
    rows = rows_of(questions, ["" for _ in questions])
    everyone = next(r for r in order_recalls(rows) if not r.group)
    assert (everyone.first_answers, everyone.later_answers, everyone.unmentioned) == (6, 0, 6)
    assert everyone.difference is None


def test_copies_are_paired_person_by_person() -> None:
    """Eight questions, each in two copies with the groups exchanged; the woman is found in all copies: in
    each pair the person is found only as a woman."""
    questions = []
    for i in range(8):
        for copy, groups in enumerate(((F, M), (M, F))):
            people = [(f"Given{i}x{copy}x{j} Family{i}x{j}", group) for j, group in enumerate(groups)]
            questions.append(asked(2 * i + copy, people, parent=f"parent {i}"))
    women = [next(p.name for p in q.people if p.group == F).split()[0] for q in questions]
    rows = rows_of(questions, women)
    assert rows.clusters.n == 8
    swap = next(s for s in copy_swaps(rows) if s.rule == "shared_token")
    assert (swap.first, swap.second, swap.pairs) == (F, M, 16)
    assert (swap.both, swap.only_first, swap.only_second, swap.neither) == (0, 16, 0, 0)
    assert swap.difference == 1
    assert swap.exact_p == pytest.approx(2 * 0.5**16)
    assert not list(copy_swaps(rows_of(_questions([(F, M)] * 5), [""] * 5)))


@pytest.mark.parametrize("lucky", [F, M])
def test_odds_ratios_of_0_and_without_end_have_their_reasons(lucky: str) -> None:
    """In each question everyone of one group is found, and nobody of the other."""
    questions = _questions([(F, M), (M, F)] * 4)
    answers = [next(p.name for p in q.people if p.group == lucky) for q in questions]
    ratio, other = ("infinite", M) if lucky == F else ("0", F)
    notes = {a.strata: a.note for a in adjusted_odds(rows_of(questions, answers)) if a.rule == "shared_token"}
    assert notes == {
        strata: f"no odds ratio: it is {ratio}, since in each {word} with both groups and both outcomes, all "
        f"people of {lucky} are found, or none of {other}"
        for strata, word in (("position", "place"), ("question", "question"))
    }


def test_one_empty_cell_makes_an_odds_ratio_without_end() -> None:
    """Every woman is found, and the men of three questions out of eight are, too."""
    questions = _questions([(F, M)] * 8)
    answers = [" ".join(_names(q)) if i < 3 else _names(q)[0] for i, q in enumerate(questions)]
    by_question = next(a for a in adjusted_odds(rows_of(questions, answers)) if a.strata == "question")
    assert (by_question.used, by_question.odds_ratio) == (5, None)
    assert by_question.note is not None
    assert by_question.note.startswith("no odds ratio: it is infinite")
    assert by_question.p is not None


def test_the_questions_that_an_interval_rests_on_are_named() -> None:
    """Six questions count, one of which has a woman and a man: too few to compare within questions."""
    questions = _questions([(F, M), *[(F, F)] * 3, *[(M, M)] * 2])
    rows = rows_of(questions, [_names(q)[0] for q in questions])
    (difference, *_) = group_differences(rows)
    assert difference.note is not None
    assert difference.note.startswith(
        "no interval: 3 questions have people of the rarer group, and at least 5 are needed"
    )
    assert no_interval(1, "people of both groups") == (
        "no interval: 1 question has people of both groups, and at least 5 are needed"
    )
