"""The pages for choice items on a real Label Studio in a browser: judged by keyboard, and answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.validation.annotator_pages.briefing import Briefing, briefing
from nextset.validation.annotator_pages.gate_page import gate_config, gate_task, read_gate
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import tasks
from nextset.validation.choice_units import choice_units, right_letter
from nextset.validation.forms.judged_choices import JUDGED_CHOICES
from nextset.validation.judgment_choices import ANSWER_KEYS
from nextset.validation.judgments.annotation import read_answer
from tests.choice_rows import choice_items
from tests.chromium import BROWSER
from tests.validation.annotator_pages.briefings import DOMAINS, HOSTILE, SESSION
from tests.validation.browsing import LoggedIn, keys_of, open_page
from tests.validation.gateway.inserting_proxy import InsertingProxy, inserting
from tests.validation.gateway.judging_browser import open_judging
from tests.validation.session.sample_annotators import right_answers
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER

ANSWERS = JUDGED_CHOICES.judging("answer")
_ALL = choice_units(choice_items(templates=2, words=1)).to_pylist()
UNITS = sorted({unit["context"]: unit for unit in _ALL}.values(), key=lambda unit: str(unit["unit_id"]))
"""Units with different contexts, so that a test sees that another one is shown."""


def told(*, answered: bool, language: str = "en") -> Briefing:
    return briefing(ANSWERS if answered else JUDGED_CHOICES, language, SESSION, Path)


@pytest.fixture(scope="module")
def proxy(studio: Studio) -> Iterator[InsertingProxy]:
    with inserting(studio.url) as running:
        yield running


@pytest.fixture(scope="module")
def logged_in(studio: Studio, chromium_process: Browser) -> LoggedIn:
    return LoggedIn(chromium_process, studio.annotator("choices@example.org"))


@pytest.fixture
def browser(logged_in: LoggedIn) -> Iterator[LoggedIn]:
    yield logged_in
    logged_in.leave()


@pytest.mark.parametrize(("language", "answered"), [("en", False), ("ar", True)])
def test_an_item_fits_the_screen(studio: Studio, browser: LoggedIn, language: str, answered: bool) -> None:
    made, form = told(answered=answered, language=language), ANSWERS if answered else JUDGED_CHOICES
    window = open_page(studio, browser, labelling_config(made), tasks(form, UNITS[:1]), UNITS[0]["question"])
    for line in UNITS[0]["options"].splitlines():
        window.see(line)
    window.choose("1")
    window.picture(f"choice-{language}-{'answer' if answered else 'verdict'}")
    assert window.fits()


def test_the_last_needed_key_submits_a_judged_answer(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    made = told(answered=False)
    window = open_judging(
        studio, browser, proxy, made.wording, labelling_config(made), tasks(JUDGED_CHOICES, UNITS[:5])
    )
    window.judge("1", "k")
    window.judge("1", "n")
    window.judge("2")
    window.judge("0")
    said = [(a.outcome, a.verdict, a.reason) for a in window.answers("choice")]
    assert said == [
        ("judged", "valid", ""),
        ("judged", "invalid", "not_known"),
        ("judged", "invalid", ""),
        ("declined", None, ""),
    ]


def test_a_letter_answers_a_question(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    made = told(answered=True)
    window = open_judging(
        studio, browser, proxy, made.wording, labelling_config(made), tasks(ANSWERS, UNITS[:4])
    )
    right = right_letter(UNITS[0]["unit_id"])
    window.judge(ANSWER_KEYS[right])
    wrong = next(letter for letter in "abc" if letter != right_letter(UNITS[1]["unit_id"]))
    window.judge(ANSWER_KEYS[wrong])
    window.judge(ANSWER_KEYS["incoherent"])
    ids = [unit["unit_id"] for unit in UNITS]
    said = [read_answer(a, ANSWERS, u).verdict for a, u in zip(window.annotations(), ids, strict=False)]
    assert said == ["valid", "invalid", "incoherent"]


def test_the_gate_by_keyboard(studio: Studio, browser: LoggedIn) -> None:
    made = told(answered=True)
    config = gate_config(made, DOMAINS)
    task = [{"data": gate_task(made)}]
    window = open_page(studio, browser, config, task, made.wording.gate.agreement)
    window.picture("gate-choice")
    window.choose(*keys_of(config, {**right_answers(made.comprehension), "consent": "agree"}))
    window.submit()
    (annotation,) = window.annotations()
    found = read_gate(annotation, made, DOMAINS, 0)
    assert (found.passed, found.wrong, found.problem) == (True, (), "")


def test_hostile_texts_are_shown_as_text(studio: Studio, browser: LoggedIn) -> None:
    hostile = {
        **UNITS[0],
        "context": HOSTILE,
        "options": f"A: {HOSTILE}\nB: b\nC: c",
        "right_answer": HOSTILE,
    }
    made = told(answered=False)
    shown = tasks(JUDGED_CHOICES, [hostile])
    window = open_page(studio, browser, labelling_config(made), shown, UNITS[0]["question"])
    assert window.page.evaluate("() => window.pwned") is None
    assert window.page.locator(".ns img").count() == 0
