"""Which choice an answer in words is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.prompts.answer_parsing import answer_schema, choice_of

CHOICES = ("Guinea", "Equatorial Guinea", "cannot be known")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Guinea", 0),
        (" **guinea**.\n", 0),
        ("equatorial  guinea", 1),
        ("It was Equatorial Guinea, I think.", None),
        ("Equatorial Guinea, I think.", 1),
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
def test_the_choice_that_an_answer_gives(text: str, choice: int | None) -> None:
    assert choice_of(text, CHOICES) == choice


@pytest.mark.parametrize(
    ("choices", "answers"),
    [
        (
            ("张伟", "李娜"),
            {"张伟": 0, "张伟。": 0, "答案是张伟。": 0, "答案：李娜": 1, "李娜，因为她": 1, "「李娜」": 1,
             "张伟和李娜": None, "不知道": None, "张伟是医生": None},
        ),
        (
            ("مريم", "وليد"),
            {"مريم": 0, "الإجابة: وليد": 1, "الجواب هو وليد.": 1, "مريم، لأنها": 0, "مريم، ووليد": None,
             "مريمة": None},
        ),
        # a vowel sign makes another name; joiners are often lost
        (("राम", "रामा"), {"राम।": 0, "रामा।": 1, "उत्तर: राम": 0, "राम, क्योंकि": 0}),
        (("می\u200cنا", "آرش"), {"مینا": 0, "می\u200cنا.": 0}),
        # case joins İ, I, ı and i in Turkish
        (("İnci", "Işıl"), {"inci": 0, "INCI": 0, "İNCİ.": 0, "IŞIL": 1, "Cevap: Işıl": 1, "Yanıt: ışıl": 1}),
        (("Işıl", "İşil"), {"Işıl": None}),  # these two are not told apart
        (("Анна", "Иван"), {"АННА": 0, "Ответ: Иван.": 1, "«Иван»": 1}),
        (("José", "Íñigo"), {"José.": 0, "¿Íñigo?": 1, "La respuesta es Íñigo": 1}),
    ],
)  # fmt: skip
def test_answers_in_other_languages(choices: tuple[str, ...], answers: dict[str, int | None]) -> None:
    assert {text: choice_of(text, choices) for text in answers} == answers


YES, TRUE = ("yes", "maybe", "no"), ("true", "undecided", "false")
NAMES = ("Maria", "Peter", "not stated")


@pytest.mark.parametrize(
    ("text", "choices", "choice"),
    [
        ("Yes, because it is night.", YES, 0),
        ("**Yes**. It is night.", YES, 0),
        ("No – it is day.", YES, 2),
        ("no (it is day)", YES, 2),
        ("Maybe\nIt may be night.", YES, 1),
        ("The answer is **no**.", YES, 2),
        ("**Answer:** yes", YES, 0),
        ("Answer:\nyes", YES, 0),
        ("The text tells of a night.\n\n### Final answer: yes", YES, 0),
        ("Antwort: yes", YES, 0),
        ('```json\n{"answer": "no"}\n```', YES, 2),
        ('{"answer": "no", "why": "yes or maybe"}', YES, 2),
        ("There is no way to know.", YES, None),
        ("Is the answer yes?", YES, None),
        ("Yes and no", YES, None),
        ("Yes. There is no other.", YES, None),
        ("yes/no", YES, None),
        ("Nope", YES, None),
        ('{"yes": "", "no": ""}', YES, None),
        ("The claim is undecided.", TRUE, 1),
        ("So the statement is false.", TRUE, 2),
        ("The claim is not true.", TRUE, None),
        ("It is not so that the claim is true.", TRUE, None),
        ("true: I doubt it", TRUE, None),
        ("True? I doubt it.", TRUE, None),
        ("Maria. The text says so.", NAMES, 0),
        ("It's Maria.", NAMES, 0),
        ("The text does not say it. Answer: Not stated", NAMES, 2),
        ("The text does not say that it was Peter.", NAMES, None),
        ("The text does not mention Maria.", NAMES, None),
        ("Not Maria.", NAMES, None),
        ("Not Maria. The answer is", NAMES, None),
        ("Answer: not Maria", NAMES, None),
        ("The answer is not Maria.", NAMES, None),
        ("The wrong answer is Maria.", NAMES, None),
        ("Maria's brother", NAMES, None),
        ("Maria did not.", NAMES, None),
        ("“Maria”", NAMES, 0),
        ("yes", ("yes", "Yes.", "no"), None),
        ("...", ("...", "yes", "no"), None),
    ],
)
def test_a_choice_that_is_only_mentioned_is_no_answer(
    text: str, choices: tuple[str, ...], choice: int | None
) -> None:
    assert choice_of(text, choices) == choice


NEGATIONS = ["not", "never", "no way that it is", "I doubt that it is", "anything but", "hardly"]


@given(
    place=st.integers(0, 2),
    begin=st.sampled_from(["", "It is ", "The answer is ", "Answer: ", "The text does not say. It is "]),
    negation=st.sampled_from(NEGATIONS),
    end=st.sampled_from(["", ".", "!", "**", " at all."]),
)
def test_a_negated_choice_is_no_answer(place: int, begin: str, negation: str, end: str) -> None:
    assert choice_of(f"{begin}{negation} {NAMES[place]}{end}", NAMES) is None


@given(
    places=st.permutations(range(3)),
    text=st.sampled_from(
        ["{}, or {}", "{}. It was {}.", "{}, not {}", "The answer is {}. Not {}.", "{}\n{}"]
    ),
)
def test_two_choices_are_no_answer(places: list[int], text: str) -> None:
    assert choice_of(text.format(*(NAMES[place] for place in places)), NAMES) is None


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
