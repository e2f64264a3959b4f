from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.annotator_pages.gate_page import GateAnswer, read_gate
from nextset.validation.annotator_pages.page_wording import KnownSentence
from nextset.validation.judgment_choices import StudyKind
from tests.validation.annotator_pages.briefings import DOMAINS, choice, told

TOLD = told()
RIGHT = [
    choice(f"check_{i}", v) for i, v in enumerate(["valid", "valid", "invalid", "incoherent", "valid"], 1)
]
AGREE = choice("consent", "agree")


def read(*result: Any, mistakes: int = 1, **more: Any) -> GateAnswer:
    return read_gate({"result": list(result), **more}, TOLD, DOMAINS, mistakes)


def test_who_agrees_and_understood_passes() -> None:
    declined = choice("decline_domains", "religion", "gender")
    assert read(*RIGHT, AGREE, declined) == GateAnswer(True, ("gender", "religion"), (), True, "")


def test_questions_are_compared_with_their_answers() -> None:
    questions = told("question")
    answers = [choice(f"check_{i}", a) for i, a in enumerate(["yes", "no", "no", "no", "yes"], 1)]
    found = read_gate({"result": [*answers, AGREE]}, questions, DOMAINS, 0)
    assert (found.passed, found.wrong) == (True, ())


@pytest.mark.parametrize("mistakes", [0, 1, 2])
def test_mistakes_are_counted_and_an_item_left_out_is_one(mistakes: int) -> None:
    found = read(choice("check_1", "invalid"), *RIGHT[2:], AGREE, mistakes=mistakes)
    assert found.wrong == ("check_1", "check_2")
    assert found.passed == (mistakes >= 2)
    assert found.consent


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
        ([*RIGHT, choice("consent", "yes")], "unknown choice as consent"),
        ([*RIGHT, choice("consent", "agree", "disagree")], "2 choices as consent"),
        ([*RIGHT, AGREE, choice("decline_domains", "age")], "unknown choice as decline_domains"),
        ([*RIGHT[1:], choice("check_1", "yes"), AGREE], "unknown choice as check_1"),
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
BLOCKS = st.sampled_from(["consent", "decline_domains", *(f"check_{i}" for i in range(1, 7))])
CHOICES = st.sampled_from(["agree", "disagree", "valid", "invalid", "incoherent", "gender", "x"]) | JSON
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
@given(
    JSON | st.fixed_dictionaries({"result": RESULT | JSON}, optional={"was_cancelled": JSON}),
    st.sampled_from(["nli", "question"]),
)
def test_no_json_makes_it_raise_or_pass_without_consent(annotation: Any, kind: StudyKind) -> None:
    made = told(kind)
    found = read_gate(annotation, made, DOMAINS, 1)
    assert set(found.declined) <= set(DOMAINS)
    if found.passed:
        given = {r["from_name"]: r["value"]["choices"] for r in annotation["result"] if r["value"]["choices"]}
        assert given["consent"] == ["agree"]
        right = [i.verdict if isinstance(i, KnownSentence) else i.answer for i in made.comprehension]
        assert sum(given.get(f"check_{n}") == [r] for n, r in enumerate(right, 1)) >= len(right) - 1
