from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS, question_verdict
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from nextset.validation.judgment_choices import (
    DECLINED,
    QUESTION_BLOCKS,
    REASONS,
    STANCES,
    VERDICTS,
)
from nextset.validation.judgments.annotation import account, digest, read_answer
from nextset.validation.judgments.answer import Answer
from tests.validation.annotator_pages.briefings import choice


def annotation(*result: Any, **more: Any) -> dict[str, Any]:
    return {"result": list(result), "updated_at": "2026-01-01T01:00:00+01:00", "lead_time": 3.5, **more}


PRO = (choice("verdict", "valid"), choice("stance", "pro"))
COMMENT = {"from_name": "comment", "type": "textarea", "value": {"text": ["one", "two"]}}


def test_a_sentence_judged() -> None:
    assert read_answer(annotation(*PRO, COMMENT), JUDGED_HYPOTHESES) == Answer(
        outcome="judged",
        verdict="valid",
        stance="pro",
        comment="one\ntwo",
        answered_at="2026-01-01T00:00:00.000000+00:00",
        seconds=3.5,
    )
    found = read_answer(
        annotation(choice("verdict", "invalid"), choice("reason", "only_fact"), PRO[1]), JUDGED_HYPOTHESES
    )
    assert (found.verdict, found.stance, found.reason) == ("invalid", None, "only_fact")


def test_a_question_judged() -> None:
    found = read_answer(annotation(*(choice(block, "yes") for block in QUESTION_BLOCKS)), JUDGED_QUESTIONS)
    assert (found.outcome, found.verdict, found.underspecified, found.stance) == (
        "judged",
        "valid",
        True,
        None,
    )


@pytest.mark.parametrize(("open_", "grammatical", "fair"), list(product([True, False], repeat=3)))
def test_three_answers_make_a_verdict(open_: bool, grammatical: bool, fair: bool) -> None:
    expected = "incoherent" if not grammatical else "valid" if open_ and fair else "invalid"
    assert question_verdict(underspecified=open_, grammatical=grammatical, free_of_hint=fair) == expected


@pytest.mark.parametrize(
    ("given_", "kind", "outcome", "problem"),
    [
        (annotation(*PRO, was_cancelled=True), "nli", "skipped", ""),
        (annotation(choice("verdict", DECLINED)), "nli", "declined", ""),
        (annotation(choice("underspecified", DECLINED)), "question", "declined", ""),
        (annotation(), "nli", "invalid", "empty"),
        (
            annotation(choice("verdict", "maybe")),
            "nli",
            "invalid",
            "unknown choice for verdict: 'maybe' (possible: valid, invalid, incoherent, declined)",
        ),
        (
            annotation(*PRO, choice("reason", "x")),
            "nli",
            "invalid",
            f"unknown choice for reason: 'x' (possible: {', '.join(REASONS)})",
        ),
        (annotation(choice("verdict", "valid")), "nli", "invalid", "valid without a stance"),
        (
            annotation(choice("verdict", "valid", "invalid")),
            "nli",
            "invalid",
            "2 choices for verdict, but only one is possible",
        ),
        (annotation(PRO[0], PRO[0]), "nli", "invalid", "2 choices for verdict, but only one is possible"),
        (
            annotation({"from_name": "verdict", "type": "rating", "value": 3}),
            "nli",
            "invalid",
            "the answer to verdict is not a choice",
        ),
        (annotation(5), "nli", "invalid", "the result is not a list of answers"),
        (
            annotation(choice("underspecified", "yes")),
            "question",
            "invalid",
            "no answer to grammatical and free_of_hint",
        ),
        (annotation(*PRO), "question", "invalid", "empty"),
        ("nonsense", "nli", "invalid", "not an annotation"),
    ],
)
def test_what_is_no_verdict(given_: Any, kind: str, outcome: str, problem: str) -> None:
    found = read_answer(given_, VALIDATED_FORMS[kind])
    assert (found.outcome, found.problem, found.verdict) == (outcome, problem, None)


@pytest.mark.parametrize(
    ("by", "number"),
    [
        (7, "7"),
        ({"id": 7, "email": "a@example.org"}, "7"),
        (None, ""),
        (True, ""),
        ("7", ""),
        ({"id": "7"}, ""),
        (-1, ""),
    ],
)
def test_whose_it_is(by: Any, number: str) -> None:
    assert account({"completed_by": by}) == number
    assert account([by]) == ""


def test_the_digest_is_that_of_the_answer() -> None:
    one = annotation(*PRO)
    assert digest(one) == digest({**one, "lead_time": 9, "updated_at": "", "id": 5})
    assert len(digest(one)) == 32
    assert len({digest(a) for a in (one, annotation(), {**one, "was_cancelled": True})}) == 3
    assert digest(one) == digest(json.loads(json.dumps(one)))


def test_a_comment_is_text_that_any_file_can_hold() -> None:
    text = {"from_name": "comment", "type": "textarea", "value": {"text": ["a\0b\ud800c" + "x" * 20_000]}}
    comment = read_answer(annotation(*PRO, text), JUDGED_HYPOTHESES).comment
    assert comment.startswith("a\ufffdb?cxxx")
    assert len(comment) == 10_000
    comment.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["verdict", "stance", "reason", "comment", *QUESTION_BLOCKS]) | JSON
CHOICES = st.sampled_from([*VERDICTS, *STANCES, *REASONS, "yes", "no", DECLINED]) | JSON
REGION = st.fixed_dictionaries(
    {"from_name": NAMES, "type": st.sampled_from(["choices", "textarea"]) | JSON},
    optional={
        "value": JSON | st.fixed_dictionaries({"choices": st.lists(CHOICES, max_size=2) | JSON, "text": JSON})
    },
)
ANNOTATION = st.fixed_dictionaries(
    {"result": st.lists(REGION | JSON, max_size=6) | JSON},
    optional={"was_cancelled": JSON, "updated_at": JSON, "lead_time": JSON, "completed_by": JSON, "id": JSON},
)


@given(ANNOTATION | JSON, st.sampled_from(["nli", "question"]))
def test_no_json_makes_it_raise_and_nothing_unknown_comes_through(given_: Any, kind: str) -> None:
    found = read_answer(given_, VALIDATED_FORMS[kind])
    assert (found.outcome == "invalid") == bool(found.problem)
    assert (found.verdict is not None) == (found.outcome == "judged")
    assert found.verdict in (None, *VERDICTS)
    assert (found.stance is not None) == (kind == "nli" and found.verdict == "valid")
    said = (found.underspecified, found.grammatical, found.free_of_hint)
    assert all((x is not None) == (kind == "question" and found.outcome == "judged") for x in said)
    assert found.seconds is None or 0 <= found.seconds < 1e9
    assert account(given_) == "" or account(given_).isdecimal()
    assert len(digest(given_)) == 32
    found.comment.encode()
