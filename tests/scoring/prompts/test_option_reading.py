"""Options in the answers of models: letters, texts, both, and texts that give none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.model_server.answer_outcome import outcome_of
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.prompts.option_reading import option_of, without_article
from nextset.scoring.prompts.rendered_prompt import Rendered

LETTERS = ("A", "B", "C")
SMALL = ("a", "b", "c")
PEOPLE = ("The grandfather", "Cannot be known", "The grandson")
NAMES = ("Donna", "Nobody can tell", "Wei Chen")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("B", 1), ("(B)", 1), ("B.", 1), ("b", 1), ("**B**", 1), ("[B]", 1), ("B)", 1), ("`B`", 1), ("Ｂ", 1),
        ('{"answer": "B"}', 1), ("$\\boxed{B}$", 1),
        ("A: The grandfather", 0), ("A) The grandfather", 0), ("(A) The grandfather.", 0),
        ("A. Because he did.", 0),
        ("C - The grandson", 2), ("C\nThe grandson", 2), ("A is correct.", 0), ("Option A", 0),
        ("Option (A)", 0),
        ("The answer is B.", 1), ("The correct answer is (C) The grandson.", 2),
        ("So the right option is B.", 1),
        ("Let me see. He was lost. The answer is C", 2), ("Answer: A", 0), ("My choice is A.", 0),
        ("정답은 B입니다.", 1), ("정답: C", 2), ("答案是B。", 1), ("答えは C です。", 2), ("Antwort: (B)", 1),
        ("La respuesta correcta es C.", 2), ("La réponse est B.", 1), ("Cevap: A", 0), ("Ответ: C.", 2),
        ("The grandfather", 0), ("the grandfather.", 0), ("grandfather", 0), ("A grandfather", 0),
        ("The answer is the grandson.", 2), ("It is the grandson", 2), ("Cannot be known.", 1),
        ("The answer is grandson", 2), ("The grandson, because he lost it.", 2),
        ("B. A doctor would not say that.", 1), ("B. The text names a grandfather and a grandson.", 1),
    ],
)  # fmt: skip
def test_an_option_is_read(text: str, place: int) -> None:
    assert option_of(text, LETTERS, PEOPLE) == place


@pytest.mark.parametrize(
    "text",
    [
        "", "D", "A or B", "A, B", "A/B", "Not A.", "A. No, C.", "(A) The grandson", "A: Cannot be known",
        "A doctor may know.", "a person", "I think so", "The answer is A. The answer is B.",
        "The grandfather or the grandson", "Both of them", "A grandfather and a grandson", "Because",
        "B-", "Bob", "Ahmed", "A's", "Can you repeat the question?",
    ],
)  # fmt: skip
def test_an_answer_without_a_clear_option_gives_none(text: str) -> None:
    assert option_of(text, LETTERS, PEOPLE) is None


def test_small_letters_are_not_articles() -> None:
    assert option_of("a", SMALL, PEOPLE) == 0
    assert option_of("a: The grandfather", SMALL, PEOPLE) == 0
    assert option_of("a grandson", SMALL, PEOPLE) == 2
    assert option_of("The answer is a doctor", SMALL, PEOPLE) is None
    assert option_of("The answer is a", SMALL, PEOPLE) == 0


def test_options_without_letters_are_read_by_their_texts() -> None:
    assert option_of("grandfather", (), PEOPLE) == 0
    assert option_of("A", (), PEOPLE) is None
    assert option_of("wei chen", (), NAMES) == 2


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("The grandfather", "grandfather"), ("Der Großvater", "grossvater"), ("l'avi", "avi"),
        ("L’infirmière", "infirmière"),
        ("la abuela", "abuela"), ("een man", "man"), ("Theo", "theo"), ("A", "a"), ("Ana", "ana"),
        ("The", "the"),
    ],
)  # fmt: skip
def test_articles_are_left_out_in_comparisons(text: str, bare: str) -> None:
    assert without_article(text) == bare


letters_of_texts = st.sampled_from("defghijk äß你아ب ")
options = st.lists(
    st.text(letters_of_texts, min_size=3, max_size=12).map(str.strip).filter(lambda t: len(t) > 2),
    min_size=2,
    max_size=6,
    unique_by=lambda t: " ".join(t.casefold().split()),
)  # fmt: skip


@given(options, st.data())
def test_every_letter_is_read_in_every_layout(texts: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(texts) - 1))
    letters = "ABCDEF"[: len(texts)]
    layout = data.draw(
        st.sampled_from(
            ["{}", "({})", "{}.", " {} \n", "**{}**", "Option {}", "The answer is {}.", "答案：{}"]
        )
    )
    assert option_of(layout.format(letters[place]), letters, texts) == place
    assert option_of(f"{letters[place]}: {texts[place]}", letters, texts) == place


@given(st.text(max_size=120))
def test_any_text_gives_an_option_or_none(text: str) -> None:
    assert option_of(text, LETTERS, PEOPLE) in (None, 0, 1, 2)
    assert option_of(text, SMALL, NAMES) in (None, 0, 1, 2)


def test_long_answers_are_read_in_linear_time() -> None:
    text = "The answer is a doctor or B and C, maybe not. (A grandfather) " * 500
    begun = time.process_time()
    option_of(text, LETTERS, PEOPLE)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "choice", "other"),
    [
        ("B", 1, None), ("It cannot be determined from the text.", 1, None), ("I don't know.", 1, None),
        ("I'm sorry, but I can't help with that.", None, "refused"), ("Maybe tomorrow.", None, "unreadable"),
        ("I don't know whether it was the grandfather or the grandson.", 1, None),
    ],
)  # fmt: skip
def test_an_abstention_chooses_the_option_unknown(text: str, choice: int | None, other: str | None) -> None:
    prompt = Rendered("?", LETTERS, 1, PEOPLE, LETTERS)
    outcome = outcome_of(Completion(text), prompt)
    assert (outcome.choice, outcome.other) == (choice, other)
    without_unknown = Rendered("?", ("A", "B"), None, ("The grandfather", "The grandson"), ("A", "B"))
    assert outcome_of(Completion("I don't know."), without_unknown).other == "abstained"


@pytest.mark.parametrize(
    "text", ["*", "(", "`", '"', "a\n", "A. ", "The answer is. ", "The answer is A. ", " "]
)
@pytest.mark.parametrize("length", [29_000, 5_000_000])
def test_an_answer_that_repeats_itself_is_read_at_once(text: str, length: int) -> None:
    began = time.process_time()
    option_of(text * (length // len(text)), LETTERS, PEOPLE)
    assert time.process_time() - began < 5


def test_a_later_sentence_gives_the_answer_after_a_frame() -> None:
    text = "He slept. " * 300 + "**The answer is B**"
    assert option_of(text, ("A", "B", "C"), ("The aunt", "The uncle", "Unknown")) == 1
    assert (
        option_of(f"{text} The answer is C.", ("A", "B", "C"), ("The aunt", "The uncle", "Unknown")) is None
    )
