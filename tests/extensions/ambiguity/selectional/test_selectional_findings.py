"""What the page on who gets found claims, warns of, and says that it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from nextset.auditing.report.number_table import Estimate
from nextset.extensions.ambiguity.selectional.name_matching import Rule
from nextset.extensions.ambiguity.selectional.selectional_figures import swap_figure
from nextset.extensions.ambiguity.selectional.selectional_findings import selectional_findings
from nextset.extensions.ambiguity.selectional.selectional_records import (
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
)
from nextset.extensions.ambiguity.selectional.selectional_warnings import left_out, selectional_warnings
from tests.extensions.ambiguity.selectional.people import asked


def _model(name: str = "m", missing: int = 0, unknown: int = 0) -> AnsweringModel:
    return AnsweringModel(
        model=name, source="asked", revision="", questions=40, answered=40, empty=0, missing=missing,
        unknown=unknown,
    )  # fmt: skip


def _recall(group: str, found: int, model: str = "m", rule: Rule = "shared_token") -> GroupRecall:
    return GroupRecall(
        model=model, rule=rule, group=group, answers=40, found=found, recall=found / 40, low=None, high=None,
        wilson_low=None, wilson_high=None,
    )  # fmt: skip


def _difference(ends: tuple[float, float], p: float, corrected: float, model: str = "m") -> GroupDifference:
    return GroupDifference(
        model=model, rule="shared_token", first="female", second="male", difference=sum(ends) / 2,
        low=ends[0], high=ends[1], p=p, p_corrected=corrected, comparisons=2, odds_ratio=None, odds_low=None,
        odds_high=None, note=None,
    )  # fmt: skip


def _order(ends: tuple[float, float], p: float, corrected: float) -> OrderRecall:
    return OrderRecall(
        model="m", rule="shared_token", group="", first_answers=40, first_found=20, first_recall=0.5,
        first_low=None, first_high=None, later_answers=40, later_found=10, later_recall=0.25, later_low=None,
        later_high=None, unmentioned=0, difference=sum(ends) / 2, low=ends[0], high=ends[1], p=p,
        p_corrected=corrected, comparisons=2,
    )  # fmt: skip


def _said(
    recall: Sequence[GroupRecall] = (_recall("female", 10), _recall("male", 20)),
    differences: Sequence[GroupDifference] = (),
    tests: Sequence[GroupTest] = (),
    order: Sequence[OrderRecall] = (),
    models: Sequence[AnsweringModel] = (_model(),),
) -> list[str]:
    return [f.text for f in selectional_findings(models, recall, differences, tests, order, (), ())]


@pytest.mark.parametrize(
    ("ends", "p", "corrected", "said"),
    [
        ((-0.3, -0.1), 0.01, 0.02, "Group male is found more often (%, corrected p = 0.020)."),
        ((0.1, 0.3), 0.0001, 0.0002, "Group female is found more often (%, corrected p < 0.001)."),
        (
            (-0.3, -0.1),
            0.034,
            0.068,
            "Group male is found more often, but only before correction (%, corrected p = 0.068).",
        ),
        ((-0.3, -0.1), 0.05, 0.1, "No clear difference (%, corrected p = 0.100)."),
        ((-0.3, 0.1), 0.02, 0.04, "No clear difference (%, corrected p = 0.040)."),
    ],
)
def test_a_claim_needs_the_interval_and_the_corrected_p(
    ends: tuple[float, float], p: float, corrected: float, said: str
) -> None:
    middle, low, high = (f"{100 * end:.1f}".replace("-", "−") for end in (sum(ends) / 2, *ends))
    points = f"female − male: {middle} [{low}, {high}] points"
    assert _said(differences=[_difference(ends, p, corrected)])[1] == said.replace("%", points)


@pytest.mark.parametrize(
    ("p", "corrected", "said"),
    [
        (
            0.01,
            0.02,
            "People mentioned first are found more often than people mentioned later (first − later: ",
        ),
        (
            0.03,
            0.06,
            "People mentioned first are found more often than people mentioned later, but only before "
            "correction (",
        ),
        (0.06, 0.12, "The order of mention makes no clear difference ("),
    ],
)
def test_the_order_of_mention_by_the_same_rule(p: float, corrected: float, said: str) -> None:
    found = _said(order=[_order((0.1, 0.3), p, corrected)])[-1]
    assert found.startswith(said)
    assert f"corrected p = {corrected:.3f}" in found


def test_each_sentence_is_a_finding_and_names_the_model_if_there_are_several() -> None:
    models = [_model(name) for name in ("one", "two")]
    recall = [_recall(group, 10, name) for name in ("one", "two") for group in ("female", "male")]
    differences = [_difference((-0.3, -0.1), 0.01, 0.02, name) for name in ("one", "two")]
    found = _said(recall, differences, models=models)
    assert len(found) == 4
    assert found[0].startswith("one finds 20 of 80 right answers: female")
    assert found[1].startswith("one: Group male is found more often")
    assert found[3].startswith("two: Group male")
    assert all(len(text.split()) <= 30 for text in found)


def _swap(pairs: int, first: int) -> CopySwap:
    return CopySwap(
        model="m", rule="shared_token", first="female", second="male", pairs=pairs, both=0, only_first=first,
        only_second=1, neither=pairs - first - 1, difference=0.1, low=None, high=None, exact_p=0.607, p=0.437,
        p_corrected=0.437, comparisons=1,
    )  # fmt: skip


def test_one_pair_that_differs_is_no_plural() -> None:
    recall = [_recall("female", 10), _recall("male", 20)]
    found = list(selectional_findings([_model()], recall, [], [], [], (), [_swap(6, 1)]))
    assert (
        "In 6 pairs of copies that differ in the person's name, 1 is found only as female" in found[-1].text
    )
    found = list(selectional_findings([_model()], recall, [], [], [], (), [_swap(2, 0)]))
    assert "0 are found only as female" in found[-1].text


def test_a_corrected_p_is_next_to_the_p_that_it_corrects() -> None:
    figure = swap_figure([_swap(6, 1)])
    assert figure is not None
    names = [column.name for column in figure.table.columns]
    values = dict(zip(names, figure.table.rows[0], strict=True))
    assert names[names.index("p, corrected") - 1] == "p"
    assert values["p"] == Estimate(0.437)
    assert values["McNemar's p"] == Estimate(0.607)


def test_one_group_cannot_be_compared() -> None:
    assert _said([_recall("unknown", 20)])[1:] == ["Nothing can be compared: no group is known."]
    assert _said([_recall("female", 20), _recall("unknown", 20)])[1:] == [
        "Nothing can be compared: everyone whose group is known is in the group female."
    ]


@pytest.mark.parametrize(("found", "warned"), [(7, True), (8, False)])  # of 80
def test_a_model_that_gives_few_family_names_hardly_finds_people(found: int, warned: bool) -> None:
    recall = [_recall("female", found, rule="family_name"), _recall("male", 0, rule="family_name")]
    texts = list(selectional_warnings([_model()], recall))
    assert bool(texts) == warned
    if warned:
        assert texts[0].startswith(
            "m hardly finds people: its answers give the family names of 7 of 80 right answers (8.8 %)"
        )


def test_predictions_that_do_not_fit_are_counted() -> None:
    assert list(selectional_warnings([_model(missing=1, unknown=1)], [])) == [
        "m: 1 of 40 questions has no answer and does not count; 1 of its ids belongs to no question"
    ]
    assert list(selectional_warnings([_model(missing=2, unknown=3)], [])) == [
        "m: 2 of 40 questions have no answer and do not count; 3 of its ids belong to no question"
    ]


def test_a_reader_that_may_not_refuse_is_named() -> None:
    (text,) = selectional_warnings([_model()], [], ["m"])
    assert text.startswith("m: its card says that it was trained on questions without an answer")
    assert "no_answer: true" in text


def test_what_is_left_out_is_counted() -> None:
    whole = asked(1, [("Ada Lovelace", "female"), ("Charles Babbage", "male")])
    copy = replace(whole, question=replace(whole.question, id="2", parent_id=whole.question.id))
    assert list(left_out([whole, copy], 0)) == []
    assert next(left_out([whole, copy], 1)).startswith("1 of 2 questions is excluded, since ")
    hidden = asked(3, [("Ada Lovelace", "female"), ("Charles Babbage*", "male")])
    (text,) = left_out([hidden], 0)
    assert text.startswith("1 of 2 right answers is not mentioned in the text")
