"""Answers that a page cannot have sent are refused before Label Studio stores them; all others pass."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.validation.annotator_pages.gate_page import gate_config, read_gate
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.gateway.page_answers import NotTaken, check_answer, check_length
from nextset.validation.judgment_choices import DECLINED, QUESTION_BLOCKS
from nextset.validation.judgments.annotation import read_answer
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS
from tests.validation.annotator_pages.briefings import DOMAINS, choice, told
from tests.validation.session.sample_annotators import gate_answers, right_answers

KINDS = ("nli", "question")
PAGES = {kind: labelling_config(told(kind)) for kind in KINDS}
GATE = gate_config(told(), DOMAINS)
QUESTIONS = [choice(block, "yes") for block in QUESTION_BLOCKS]


def comment(*lines: Any) -> dict[str, Any]:
    return {"from_name": "comment", "to_name": "x", "type": "textarea", "value": {"text": list(lines)}}


def problem(page: str, *result: Any, draft: bool = False, **more: Any) -> str:
    """Why it is not stored; empty if it is."""
    try:
        check_answer(page, {"result": list(result), **more}, draft=draft, skippable=page is not GATE)
    except NotTaken as e:
        return str(e)
    return ""


@pytest.mark.parametrize(
    ("page", "result", "why"),
    [
        (PAGES["nli"], [], "there is no answer to 'verdict'"),
        (PAGES["nli"], [choice("verdict", "valid")], "there is no answer to 'stance'"),
        (PAGES["nli"], [choice("verdict", "sure")], "'sure' is not a choice for 'verdict'"),
        (PAGES["nli"], [choice("verdict", 1)], "1 is not a choice"),
        (PAGES["nli"], [choice("verdict")], "there is no choice for 'verdict'"),
        (PAGES["nli"], [choice("verdict", "invalid", "incoherent")], "2 choices for 'verdict'"),
        (PAGES["nli"], [choice("verdict", "invalid", "invalid")], "2 choices for 'verdict'"),
        *(
            (PAGES["nli"], [{**choice("verdict"), "value": value}], "'verdict' is not a choice")
            for value in ({"choices": "invalid"}, {"choices": {"invalid": 1}}, {"text": ["invalid"]}, {})
        ),
        (PAGES["nli"], [choice("verdict", "invalid")] * 2, "two answers to 'verdict'"),
        (PAGES["nli"], QUESTIONS, "this page has no question 'underspecified'"),
        (PAGES["nli"], [choice("verdict", "invalid"), choice("mood", "good")], "no question 'mood'"),
        (PAGES["nli"], [{**choice("verdict", "invalid"), "type": "labels"}], "no question 'verdict'"),
        *(
            (PAGES["nli"], [choice("verdict", "invalid"), comment(odd)], "'comment' is not a text")
            for odd in (None, 5, True, ["x"], {"a": "x"})
        ),
        (PAGES["question"], QUESTIONS[:2], "there is no answer to 'free_of_hint'"),
        (PAGES["question"], [choice("verdict", "valid"), choice("stance", "pro")], "no question 'verdict'"),
        (GATE, [], "there is no answer to 'consent'"),
        (GATE, [choice("consent", "agree")], "there is no answer to 'check_1'"),
        (GATE, [*gate_answers(told().comprehension), choice("decline_domains", "age")], "'age' is not"),
        (GATE, [*gate_answers(told().comprehension), choice("decline_domains", "race", "race")], "2 choices"),
    ],
)
def test_what_no_page_sends_is_refused_with_the_reason(page: str, result: list[Any], why: str) -> None:
    assert why in problem(page, *result)


def test_what_the_pages_send_passes() -> None:
    assert not problem(PAGES["nli"], choice("verdict", "valid"), choice("stance", "anti"), comment("é", "x"))
    # a stance that was chosen before the verdict was changed
    assert not problem(PAGES["nli"], choice("verdict", "invalid"), choice("stance", "pro"))
    assert not problem(PAGES["nli"], choice("verdict", DECLINED), choice("reason", "only_fact"))
    assert not problem(PAGES["question"], *QUESTIONS, comment(""))
    assert not problem(GATE, *gate_answers(told().comprehension, ("race", "gender")))
    assert not problem(GATE, choice("consent", "disagree"))
    assert not problem(PAGES["nli"], was_cancelled=True)
    assert problem(GATE, was_cancelled=True) == "this page cannot be skipped"
    assert not problem(PAGES["nli"], comment("begun"), draft=True), "a draft needs no answer yet"
    assert "no question" in problem(PAGES["nli"], choice("mood", "good"), draft=True)
    assert not problem("a page that is not XML", choice("mood", "good"))


blocks = ["verdict", "stance", "reason", *QUESTION_BLOCKS, "comment", "jump"]
values = ["valid", "invalid", "incoherent", DECLINED, "pro", "anti", "yes", "no", "only_fact", "known_facts"]
regions = st.builds(choice, st.sampled_from(blocks), st.sampled_from(values)) | st.builds(
    lambda name, several: choice(name, *several),
    st.sampled_from(blocks),
    st.lists(st.sampled_from([*values, None, 3, ["yes"]]), max_size=2),
)
regions |= st.builds(
    lambda region, value: {**region, "value": {"choices": value}}, regions, st.sampled_from(values)
)


@settings(max_examples=300)
@given(st.sampled_from(KINDS), st.lists(regions, max_size=4))
def test_what_passes_can_be_read_at_the_pull(kind: str, result: list[Any]) -> None:
    if not problem(PAGES[kind], *result):
        assert read_answer({"result": result}, VALIDATED_FORMS[kind]).outcome != "invalid"


@settings(max_examples=30)
@given(
    st.dictionaries(st.sampled_from(["check_1", "check_2", "stance_1", "consent"]), st.sampled_from(values))
)
def test_what_passes_at_the_gate_can_be_read(other: dict[str, str]) -> None:
    chosen = {**right_answers(told().comprehension), "consent": "agree", **other}
    result = [choice(name, value) for name, value in chosen.items()]
    if not problem(GATE, *result):
        assert not read_gate({"result": result}, told(), DOMAINS, 0).problem


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["x" * MAX_CHARACTERS], ""),
        (["😀" * MAX_CHARACTERS], ""),
        (["x" * MAX_CHARACTERS, "x"], "a comment can have at most 10,000 characters"),
        (["x" * 900_000], "a comment can have at most 10,000 characters"),
    ],
)
def test_comments_have_a_length_that_is_read_in_full(texts: list[str], why: str) -> None:
    body = {"result": [comment(*texts)]}
    try:
        check_length(json.dumps(body).encode(), body)
    except NotTaken as e:
        assert str(e) == why
    else:
        assert not why


def test_other_fields_cannot_carry_more() -> None:
    body = {"result": [{**choice("verdict", "invalid"), "meta": "x" * 200_000}]}
    with pytest.raises(NotTaken, match="at most 150,000 bytes"):
        check_length(json.dumps(body).encode(), body)
