"""Which choice an answer in words is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.model_server.answer_parsing import answer_schema, choice_of

CHOICES = ("Guinea", "Equatorial Guinea", "cannot be known")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Guinea", 0),
        (" **guinea**.\n", 0),
        ("equatorial  guinea", 1),
        ("It was Equatorial Guinea, I think.", 1),
        ("“Cannot be known.”", 2),
        ('{"answer": "Guinea"}', 0),
        ('{"answer": "It is Guinea"}', 0),
        ('{"reply": "Guinea"}', 0),
        ("Guinea, not Equatorial Guinea", None),
        ("Guineans", None),
        ("I'd rather not say.", None),
        ("", None),
        ("[1, 2", None),
        ("null", None),
        ('{"answer": "Guinea', None),
        ('```json\n{"answer": "Guinea', None),
        ('```json\n{"answer": "Guinea"}\n```', 0),
        ('{"answer": "Guinea", "answer": "cannot be known"}', None),
        ('{"answer": null, "note": "Guinea"}', None),
    ],
)
def test_the_choice_or_the_only_one_mentioned(text: str, choice: int | None) -> None:
    assert choice_of(text, CHOICES) == choice


@given(
    choices=st.lists(
        st.text(st.characters(categories=["Ll"], max_codepoint=0x24F), min_size=1, max_size=8),
        min_size=3, max_size=3, unique_by=str.casefold,
    ),
    place=st.integers(0, 2),
    around=st.sampled_from(["{}", " {}.", '"{}"', "Answer: {}!", '{{"answer": "{}"}}', "\n{}\n\n"]),
)  # fmt: skip
def test_every_choice_is_known_again(choices: list[str], place: int, around: str) -> None:
    if "answer" in choices:
        choices[choices.index("answer")] += "0"
    assert choice_of(around.format(choices[place]), choices) == place


@given(text=st.text())
def test_any_text_is_a_choice_or_none(text: str) -> None:
    assert choice_of(text, CHOICES) in (0, 1, 2, None)


def test_the_schema_allows_the_choices_alone() -> None:
    schema = answer_schema(CHOICES)["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == list(CHOICES)
    assert json.loads(json.dumps(schema))["additionalProperties"] is False
