"""What thinking concludes with, and which names it mentions."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.scoring.prompts.answer_parsing import choice_of
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.prompts.trace_reading import conclusion_of, mentions

CHOICES = ("yes", "maybe", "no")
PROMPT = Rendered("", CHOICES)


@pytest.mark.parametrize(
    ("thoughts", "choice"),
    [
        ("So the answer is yes.", "yes"),
        ("The premise says so. Therefore, the answer is **no**.", "no"),
        ("Is it true? Yes. But we cannot be sure. Answer: maybe", "maybe"),
        ("The answer is yes. No, wait. That is a stereotype, so I must think again.", "yes"),
        ("Final answer: no\n\nI am confident.", "no"),
        ("Maybe", "maybe"),
        ("答案是yes。", "yes"),
        ("No, wait. It could be yes or maybe or no.", None),
        ("I should say yes if the text says so.", None),
        ("The answer is yes or no.", None),
        ("The answer is not yes.", None),
        ("", None),
        ("It is " + "very " * 100 + "likely that the answer is yes", None),
    ],
)
def test_the_last_stated_choice_is_the_conclusion(thoughts: str, choice: str | None) -> None:
    place = conclusion_of(thoughts, PROMPT)
    assert (None if place is None else CHOICES[place]) == choice


def test_subjects_can_be_concluded() -> None:
    prompt = Rendered("", ("Guinea", "Equatorial Guinea", "unclear"))
    assert conclusion_of("It must be one of the two. The answer is Equatorial Guinea.", prompt) == 1
    assert conclusion_of("The answer is Guinea.", prompt) == 0


sentences = st.lists(st.sampled_from(["Yes", "No", "The answer is maybe", "Hm", "It says yes and no", "So"]))


@given(sentences)
def test_it_is_the_last_sentence_that_is_read_as_an_answer(parts: list[str]) -> None:
    known = [place for part in parts if (place := choice_of(part, CHOICES)) is not None]
    assert conclusion_of(". ".join(parts), PROMPT) == (known[-1] if known else None)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    conclusion_of(text, PROMPT)
    mentions(text, "Muslims", "Christians")


@pytest.mark.parametrize(
    ("text", "name", "other", "expected"),
    [
        ("Are MUSLIMS meant here?", "Muslims", "Christians", True),
        ("The Muslims' view", "Muslims", "", True),
        ("Muslimsman", "Muslims", "", False),
        ("nonMuslims", "Muslims", "", False),
        ("women are meant", "men", "women", False),
        ("old\npeople", "old people", "", True),
        ("people in Equatorial Guinea", "Guinea", "Equatorial Guinea", False),
        ("people in Guinea", "Guinea", "Equatorial Guinea", True),
        ("她说女性更好", "女性", "男性", True),
        ("İSTANBULLULAR", "istanbullular", "", True),
        ("ÄRZTINNEN", "Ärztinnen", "Ärzte", True),
        ("nothing", "", "", False),
    ],
)
def test_a_name_is_mentioned_as_whole_words(text: str, name: str, other: str, expected: bool) -> None:
    assert mentions(text, name, other) is expected


def test_long_thinking_is_read_in_linear_time() -> None:
    """10,000 tokens take well under a second, also if the sentences are hard to read."""
    thoughts = "The answer is yes or no, maybe not. It could be the women. " * 1000
    begun = time.process_time()
    conclusion_of(thoughts, PROMPT)
    mentions(thoughts, "women", "men")
    assert time.process_time() - begun < 1
