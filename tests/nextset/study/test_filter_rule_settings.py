"""filter.rule: what is read, what it says in rule_text, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nextset.errors import StudyError
from nextset.study.filter_rule_settings import (
    Boundaries,
    FilterRule,
    check_rule,
    rule_text,
)
from nextset.study.study_folder import Study

STUDY = """\
format: 1
name: small
templates: [one.yaml]
filter:
  models: [a, b, c]
  rule: RULE
release: {name: small, version: 0.1.0}
"""
QUESTIONS = """\
format: 1
name: small
questions: {packs: ["builtin:en"]}
filter:
  candidates: [questions]
  models: [a, b, c]
  rule: RULE
"""


def study(folder: Path, rule: str, text: str = STUDY) -> Study:
    (folder / "study.yaml").write_text(text.replace("RULE", rule), encoding="utf-8")
    return Study.load(folder)


def rule(written: object) -> FilterRule:
    return FilterRule.model_validate(written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("any_wrong", "an item is kept when at least one of the models gets it wrong"),
        ("majority_wrong", "an item is kept when more than half of the models get it wrong"),
        ("all_wrong", "an item is kept when every model gets it wrong"),
        ("{at_least_wrong: 2}", "an item is kept when at least 2 of the models get it wrong"),
        ("{same_wrong: 2}", "an item is kept when at least 2 of the models give it the same wrong label"),
        (
            "{any_of: [majority_wrong, {lowest_neutral: 0.25}]}",
            "an item is kept when more than half of the models get it wrong or the models' mean probability"
            " of neutral is among the lowest 25 % of the candidates",
        ),
        (
            "{all_of: [any_wrong, {any_of: [disagreement, {margin_below: 0.2}]}]}",
            "an item is kept when at least one of the models gets it wrong and (the models do not all give it"
            " the same label or the two most probable labels of at least one model are less than 0.2 apart)",
        ),
    ],
)
def test_rules_of_items_are_read_and_said(tmp_path: Path, written: str, said: str) -> None:
    settings = study(tmp_path, written).filter
    assert rule_text(settings.rule, settings.form) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "{c_at_least: 0.5}",
            "a question is kept when at least one model prefers a subject with |C| of 0.5 or more",
        ),
        (
            "{all_of: [sign_consistent, answer_differs]}",
            "a question is kept when every model prefers the same subject (C has the same sign) and at least "
            "one model answers differently when the subjects change places",
        ),
    ],
)
def test_rules_of_questions_are_read_and_said(tmp_path: Path, written: str, said: str) -> None:
    settings = study(tmp_path, written, QUESTIONS).filter
    assert rule_text(settings.rule, settings.form) == said


@pytest.mark.parametrize(
    ("written", "line", "says", "remedy"),
    [
        ("any_wrog", 6, "filter.rule: unknown value 'any_wrog'", "'any_wrong'"),
        ("{at_least_wrng: 2}", 6, "unknown key 'filter.rule.at_least_wrng'", "'at_least_wrong'"),
        ("{at_least_wrong: 4}", 6, "4 models are more than the 3 filter models", "write 3 or less"),
        ("{at_least_wrong: 0}", 6, "at_least_wrong", "write 1 or more"),
        ("{at_least_wrong: true}", 6, "at_least_wrong", "write a whole number"),
        ("{same_wrong: 4}", 6, "4 models with the same wrong answer are more than the 3", "write 3 or less"),
        ("{same_wrong: 1}", 6, "same_wrong", "write 2 or more"),
        ("same_wrong", 6, "same_wrong needs a value", "write rule: {same_wrong: VALUE}"),
        ("{lowest_neutral: 0}", 6, "lowest_neutral", "write more than 0"),
        ("{lowest_neutral: 30}", 6, "lowest_neutral", "write 1 or less"),
        ("margin_below", 6, "margin_below needs a value", "write rule: {margin_below: VALUE}"),
        ("{margin_below: 1.5}", 6, "margin_below", "write 1 or less"),
        ("{any_wrong: false}", 6, "any_wrong takes no value", "write rule: any_wrong"),
        ("{majority_wrong: 2}", 6, "majority_wrong takes no value (here: 2)", "{at_least_wrong: 2}"),
        ("[any_wrong, disagreement]", 6, "a list does not say", "write {all_of: [RULE, RULE]}, or any_of"),
        ("{all_of: [any_wrong, [any_wrong]]}", 6, "rule.all_of.1: a list does not say", "any_of"),
        ("", 6, "filter.rule: it is not a rule (here: nothing)", "such as majority_wrong"),
        ("2", 6, "filter.rule: it is not a rule (here: 2)", "such as majority_wrong"),
        ("{any_wrong: true, all_wrong: true}", 6, "exactly one rule", "combine several"),
        ("{}", 6, "exactly one rule", "combine several"),
        ("{all_of: [any_wrong]}", 6, "the wrong number of values", "write at least 2 of them"),
        ("{c_at_least: 0.5}", 6, "c_at_least is for questions and statements", "write one of any_wrong"),
        ("{aflite: {target: 9, train: 9, slice: 2}}", 6, "train must be less", "write train: 4"),
        ("{aflite: {target: 9, train: 5, slize: 2}}", 6, "unknown key", "'slice'"),
        (
            "\n    all_of:\n      - any_wrong\n      - any_of: [disagreement, sign_consistent]",
            9,
            "sign_consistent is for questions",
            "write one of any_wrong",
        ),
        (
            "{any_of: [any_wrong, {aflite: {target: 9, train: 5, slice: 2}}]}",
            6,
            "cannot be combined with other rules",
            "remove the other rules, or aflite",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, written: str, line: int, says: str, remedy: str
) -> None:
    with pytest.raises(StudyError) as caught:
        study(tmp_path, written)
    assert caught.value.line == line
    assert says in caught.value.message
    assert remedy in caught.value.remedy


def test_questions_need_a_rule_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(
        StudyError,
        match="any_wrong is for rows with right answers, such as NLI items, but the candidates are ques",
    ):
        study(tmp_path, "any_wrong", QUESTIONS)
    with pytest.raises(StudyError, match="majority_wrong is for rows with right answers"):
        study(tmp_path, "", QUESTIONS.replace("  rule: RULE\n", ""))


def test_models_are_named_once_each(tmp_path: Path) -> None:
    twice = STUDY.replace("  rule:", "  held_out: [c, d, c]\n  rule:")
    with pytest.raises(StudyError, match="held_out: c is listed twice"):
        study(tmp_path, "any_wrong", twice)
    both = STUDY.replace("  rule:", "  held_out: [d, a]\n  rule:")
    with pytest.raises(StudyError, match=r"held_out: a is also under filter\.models"):
        study(tmp_path, "any_wrong", both)


def test_one_model_cannot_disagree(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="needs at least two filter models"):
        check_rule(rule("disagreement"), "nli", 1, cascade=False)
    assert check_rule(rule("disagreement"), "nli", 2, cascade=False)


def test_an_error_shows_no_insides(tmp_path: Path) -> None:
    cascade = STUDY.replace("  rule:", "  cascade: true\n  rule:")
    for written in ("{any_of: [any_wrong, all_wrong]}", "{all_of: [any_wrong, {margin_below: 0.1}]}"):
        with pytest.raises(StudyError) as caught:
            study(tmp_path, written, cascade)
        assert "FilterRule" not in caught.value.message


def test_a_cascade_needs_a_vote(tmp_path: Path) -> None:
    cascade = STUDY.replace("  rule:", "  cascade: true\n  rule:")
    assert study(tmp_path, "majority_wrong", cascade).filter.cascade
    for needs_all in ("disagreement", "{same_wrong: 2}", "{lowest_neutral: 0.3}"):
        with pytest.raises(StudyError, match="a cascade needs a rule that counts wrong models"):
            study(tmp_path, needs_all, cascade)


@pytest.mark.parametrize(
    ("written", "models", "needed"),
    [
        ("any_wrong", 3, 1),
        ("majority_wrong", 3, 2),
        ("majority_wrong", 4, 3),
        ("all_wrong", 4, 4),
        ({"at_least_wrong": 2}, 4, 2),
        ("disagreement", 3, None),
        ({"same_wrong": 2}, 3, None),
        ({"all_of": ["any_wrong", "all_wrong"]}, 3, None),
    ],
)
def test_votes_needed(written: object, models: int, needed: int | None) -> None:
    assert rule(written).kind.votes_needed(models) == needed


def test_boundaries() -> None:
    assert rule("any_wrong").kind.boundaries == Boundaries(labels=True)
    both = rule({"any_of": [{"margin_below": 0.2}, {"all_of": ["any_wrong", {"margin_below": 0.1}]}]})
    assert both.kind.boundaries == Boundaries(labels=True, margins=(0.1, 0.2))
    assert rule({"all_of": ["any_wrong", {"lowest_neutral": 0.5}]}).kind.boundaries == Boundaries(
        labels=True, neutral=True
    )
    quads = rule({"any_of": [{"c_at_least": 0.5}, "sign_consistent", "answer_differs"]})
    assert quads.kind.boundaries == Boundaries(c_levels=(0.0, 0.5), answers=True)


plain = st.sampled_from(
    ["any_wrong", "majority_wrong", {"same_wrong": 2}, {"lowest_neutral": 0.3}, {"margin_below": 0.25}]
)
rules = st.recursive(
    plain,
    lambda inner: st.tuples(
        st.sampled_from(["all_of", "any_of"]), st.lists(inner, min_size=2, max_size=3)
    ).map(lambda pair: {pair[0]: pair[1]}),
    max_leaves=8,
)


@given(rules)
def test_a_rule_is_written_as_it_was_read(written: object) -> None:
    assert rule(written).written() == written
    assert rule(rule(written).model_dump()) == rule(written)
    assert rule_text(rule(written), "nli").startswith("an item is kept when ")
