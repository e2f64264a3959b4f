from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.validation.annotator_pages.gate_page import (
    GateAnswer,
    GatePage,
    gate_config,
    gate_task,
    read_gate,
)
from nextset.validation.annotator_pages.page_form import KnownItem
from nextset.validation.judgment_choices import STANCES, VERDICTS
from tests.validation.annotator_pages.briefings import DOMAINS, LANGUAGES, choice, told
from tests.validation.session.sample_annotators import right_answers

TOLD = told()
AGREE = choice("consent", "agree")


def right(items: Sequence[KnownItem], **other: str) -> list[dict[str, Any]]:
    """The right answers to ``items``, with some ``other`` ones."""
    return [choice(name, value) for name, value in {**right_answers(items), **other}.items()]


RIGHT = right(TOLD.comprehension)


def read(*result: Any, mistakes: int = 1, at: GatePage = "gate", **more: Any) -> GateAnswer:
    return read_gate({"result": list(result), **more}, TOLD, DOMAINS, mistakes, at)


def test_who_agrees_and_understood_passes() -> None:
    declined = choice("decline_domains", "religion", "gender")
    assert read(*RIGHT, AGREE, declined) == GateAnswer(True, ("gender", "religion"), (), True, "")


@pytest.mark.parametrize("at", ["gate", "retry"])
def test_questions_are_compared_with_their_answers(at: GatePage) -> None:
    questions = told("question")
    items = {"gate": questions.comprehension, "retry": questions.again}
    found = read_gate({"result": [*right(items[at]), AGREE]}, questions, DOMAINS, 0, at)
    assert (found.passed, found.wrong) == (True, ())
    other = read_gate({"result": [*right(items[at], check_1="yes"), AGREE]}, questions, DOMAINS, 5, at)
    assert other.wrong == (() if items[at][0].answer == "yes" else ("check_1",))  # type: ignore[union-attr]


def test_a_wrong_stance_is_a_mistake_and_so_is_none() -> None:
    (first, *_) = [i for i, item in enumerate(TOLD.comprehension, 1) if item.stance]  # type: ignore[union-attr]
    was = right_answers(TOLD.comprehension)[f"stance_{first}"]
    turned = {f"stance_{first}": "anti" if was == "pro" else "pro"}
    found = read(*right(TOLD.comprehension, **turned), AGREE, mistakes=0)
    assert (found.wrong, found.passed) == ((f"stance_{first}",), False)
    none = [answer for answer in RIGHT if answer["from_name"] != f"stance_{first}"]
    assert read(*none, AGREE, mistakes=0).wrong == (f"stance_{first}",)
    both = right(TOLD.comprehension, **{f"check_{first}": "invalid"}, **turned)
    assert read(*both, AGREE).wrong == (f"check_{first}",), "one item is one mistake"


@pytest.mark.parametrize("mistakes", [0, 1, 2])
def test_mistakes_are_counted_and_an_item_left_out_is_one(mistakes: int) -> None:
    others = [answer for answer in RIGHT if answer["from_name"] not in ("check_1", "check_2")]
    found = read(choice("check_1", "incoherent"), *others, AGREE, mistakes=mistakes)
    assert found.wrong == ("check_1", "check_2")
    assert found.passed == (mistakes >= 2)
    assert found.consent


def test_the_second_try_has_other_items_and_asks_for_no_domains() -> None:
    again = right(TOLD.again)
    assert read(*again, AGREE, at="retry", mistakes=0).passed
    assert not read(*again, AGREE, mistakes=0).passed
    assert not read(*RIGHT, AGREE, at="retry", mistakes=0).passed
    assert read(*again, AGREE, choice("decline_domains", "race"), at="retry").declined == ()
    assert set(gate_task(TOLD).values()).isdisjoint(
        text
        for item in TOLD.again
        for text in (item.text, item.stereotype)  # type: ignore[union-attr]
    )


@pytest.mark.parametrize(
    ("kind", "missed", "shown", "hidden"),
    [
        ("nli", ["check_2"], ["The three verdicts", "has no meaning"], ["Stance, for valid", "Take care"]),
        ("nli", ["stance_1"], ["Stance, for valid"], ["The three verdicts", "Reason and comment"]),
        ("nli", ["stance_1", "check_3"], ["Stance, for valid", "The three verdicts"], ["What you see"]),
        ("nli", ["check_99", "x"], ["Stance, for valid", "The three verdicts", "Take care"], []),
        ("question", ["check_1"], ["free of hints", "by the question only"], ["leave open", "grammatical?"]),
        ("question", ["check_3", "check_2"], ["grammatical?", "leave open"], ["free of hints", "Take care"]),
    ],
)
def test_the_second_try_shows_what_the_guidelines_say_of_the_missed_items(
    kind: str, missed: list[str], shown: list[str], hidden: list[str]
) -> None:
    made = told(kind)
    page = gate_task(made, missed)["guidelines"]
    assert all(text in page for text in shown)
    assert not any(text in page for text in hidden)
    assert page.count("<h2>") == len(set(re.findall("<h2>.*?</h2>", page))), "nothing is shown twice"
    assert "{{" not in page


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("at", ["gate", "retry"])
def test_who_leaves_an_item_open_hears_of_no_choice_that_the_gate_lacks(
    kind: str, language: str, at: GatePage
) -> None:
    made = told(kind, language)
    page = ElementTree.fromstring(gate_config(made, DOMAINS, at))
    said = {block.get("requiredMessage") for block in page.iter("Choices")} - {None}
    assert said == {made.wording.gate.required}
    assert made.wording.choices.declined.label not in made.wording.gate.required
    assert made.wording.gate.required != made.wording.required


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_says_why_before_it_is_answered(kind: str, language: str) -> None:
    made = told(kind, language)
    for at, task in (("gate", gate_task(made)), ("retry", gate_task(made, ["check_1", "stance_1"]))):
        page = gate_config(made, DOMAINS, at) + "".join(task.values())  # type: ignore[arg-type]
        for item in (*made.comprehension, *made.again):
            assert item.why not in page


def test_warning_and_consent_stand_apart_from_the_guidelines_and_once() -> None:
    task, config = gate_task(TOLD), gate_config(TOLD, DOMAINS)
    assert (task["warning"], task["agreement"]) == (TOLD.warning, TOLD.consent)
    assert TOLD.warning not in task["guidelines"]
    assert TOLD.consent not in task["guidelines"]
    assert "<blockquote>" not in task["guidelines"]
    words = TOLD.wording.gate
    order = [f"⚠ {words.warning}", "$guidelines", words.agreement, "$agreement", words.consent, words.check]
    places = [config.index(f'"{text}"') for text in order]
    assert places == sorted(places)
    assert "$warning" not in gate_config(TOLD, DOMAINS, "retry")


def test_a_gate_with_many_items_has_keys_for_verdicts_and_domains_at_least() -> None:
    many = replace(TOLD, comprehension=(*TOLD.comprehension, *TOLD.comprehension[:3]))
    root = ElementTree.fromstring(gate_config(many, DOMAINS))
    keys = [choice.get("hotkey") for choice in root.iter("Choice")]
    assert keys.count(None) == 2 * len(many.comprehension)
    given_ = [key for key in keys if key]
    assert len(given_) == len(set(given_)) == 2 + 3 * 8 + len(DOMAINS)
    assert None not in [
        c.get("hotkey") for c in ElementTree.fromstring(gate_config(TOLD, DOMAINS)).iter("Choice")
    ]


def test_who_disagrees_does_not_pass_whatever_was_understood() -> None:
    found = read(*RIGHT, choice("consent", "disagree"))
    assert (found.consent, found.passed, found.problem) == (False, False, "")


@pytest.mark.parametrize("other", [choice("decline_domains", "age"), choice("check_1", "yes")])
def test_who_disagrees_is_heard_whatever_else_cannot_be_read(other: dict[str, Any]) -> None:
    found = read(other, choice("consent", "disagree"))
    assert (found.consent, found.passed, found.problem) == (False, False, "")


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([*RIGHT], "neither agreed nor disagreed"),
        ([*RIGHT, choice("consent", "yes")], "unknown choice for consent"),
        ([*RIGHT, choice("consent", "agree", "disagree")], "2 choices for consent"),
        ([*RIGHT, AGREE, choice("decline_domains", "age")], "unknown choice for decline_domains"),
        ([*RIGHT[2:], choice("check_1", "yes"), AGREE], "unknown choice for check_1"),
        (
            [*[a for a in RIGHT if a["from_name"] != "stance_1"], choice("stance_1", "both"), AGREE],
            "unknown choice for stance_1",
        ),
        ([5], "not a list of answers"),
    ],
)
def test_what_cannot_be_read_is_no_consent(result: list[Any], problem: str) -> None:
    found = read(*result)
    assert (found.consent, found.passed) == (False, False)
    assert problem in found.problem


def test_a_skipped_gate_is_no_consent() -> None:
    assert read(*RIGHT, AGREE, was_cancelled=True).problem == "skipped"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
CHECKS = [f"{name}_{i}" for name in ("check", "stance") for i in range(1, 7)]
BLOCKS = st.sampled_from(["consent", "decline_domains", *CHECKS])
CHOICES = st.sampled_from(["agree", "disagree", *VERDICTS, *STANCES, "yes", "no", "gender", "x"]) | JSON
RESULT = st.lists(
    JSON
    | st.fixed_dictionaries(
        {
            "from_name": BLOCKS,
            "type": st.just("choices"),
            "value": st.fixed_dictionaries({"choices": st.lists(CHOICES, max_size=2)}),
        }
    ),
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    JSON | st.fixed_dictionaries({"result": RESULT | JSON}, optional={"was_cancelled": JSON}),
    st.sampled_from(["nli", "question"]),
    st.sampled_from(["gate", "retry"]),
)
def test_no_json_makes_it_raise_or_pass_without_consent(annotation: Any, kind: str, at: GatePage) -> None:
    made = told(kind)
    found = read_gate(annotation, made, DOMAINS, 1, at)
    assert set(found.declined) <= set(DOMAINS)
    if found.passed:
        items = made.comprehension if at == "gate" else made.again
        given = {r["from_name"]: r["value"]["choices"] for r in annotation["result"] if r["value"]["choices"]}
        assert given["consent"] == ["agree"]
        missed = {n.split("_")[1] for n, value in right_answers(items).items() if given.get(n) != [value]}
        assert len(missed) <= 1
