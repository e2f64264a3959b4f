"""The pages on a real Label Studio in a browser, as large as a laptop's screen, worked by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from nextset.validation.annotator_pages.gate_page import gate_config, gate_task, read_gate
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import tasks
from nextset.validation.judgment_choices import StudyKind
from tests.chromium import BROWSER, chromium
from tests.validation.annotator_pages.briefings import DOMAINS, HOSTILE, LANGUAGES, QUESTION, SENTENCE, told
from tests.validation.browsing import open_desk
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def rows(like: dict[str, str], field: str, *texts: str) -> list[dict[str, str]]:
    return [{**like, "unit_id": f"{i:032x}", field: text} for i, text in enumerate(texts)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_by_keyboard_from_first_to_last(studio: Studio, browser: Browser, language: str) -> None:
    texts = [f"Sentence {i} says that the surgeon washed his hands." for i in range(4)]
    made = tasks("nli", rows(SENTENCE, "hypothesis", *texts))
    desk = open_desk(studio, browser, labelling_config(told("nli", language)), made, texts[0])
    desk.picture(f"sentence-{language}")
    desk.choose("1", "p")
    desk.picture(f"sentence-{language}-valid")
    desk.comment("Hard: 1 2 3 p a 0")
    assert desk.fits()
    desk.submit()
    desk.see(texts[1])
    desk.choose("2", "6")
    desk.picture(f"sentence-{language}-invalid")
    desk.submit()
    desk.see(texts[2])
    desk.choose("1", "a", "3")
    desk.submit()
    desk.see(texts[3])
    desk.choose("0")
    desk.picture(f"sentence-{language}-declined")
    desk.submit()
    first, second, third, fourth = desk.answers("nli")
    assert (first.verdict, first.stance, first.comment) == ("valid", "pro", "Hard: 1 2 3 p a 0")
    assert (second.verdict, second.reason) == ("invalid", "only_fact")
    assert (third.verdict, third.stance) == ("incoherent", None)
    assert fourth.outcome == "declined"


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_by_keyboard(studio: Studio, browser: Browser, language: str) -> None:
    texts = [f"Maria and John sat beside each other, and that was on train {i}." for i in range(2)]
    made = tasks("question", rows(QUESTION, "context", *texts))
    desk = open_desk(studio, browser, labelling_config(told("question", language)), made, texts[0])
    desk.choose("1", "g", "h", "5")
    desk.picture(f"question-{language}")
    desk.comment("Odd.")
    assert desk.fits()
    desk.submit()
    desk.see(texts[1])
    desk.choose("0")
    desk.submit()
    first, second = desk.answers("question")
    assert (first.underspecified, first.grammatical, first.free_of_hint) == (True, True, False)
    assert (first.verdict, first.reason, first.comment) == ("invalid", "odd_wording", "Odd.")
    assert second.outcome == "declined"


@pytest.mark.parametrize("kind", ["nli", "question"])
def test_the_gate_by_keyboard(studio: Studio, browser: Browser, kind: StudyKind) -> None:
    made = told(kind)
    title = "Guidelines for annotators"
    desk = open_desk(studio, browser, gate_config(made, DOMAINS), [{"data": gate_task(made)}], title)
    desk.picture(f"gate-{kind}")
    desk.choose("y")
    keys = {"nli": ("1", "4", "8", "e", "r", "d"), "question": ("1", "4", "6", "8", "9", "e")}
    desk.choose(*keys[kind])
    desk.picture(f"gate-{kind}-answered")
    desk.submit()
    (annotation,) = desk.annotations()
    found = read_gate(annotation, made, DOMAINS, 0)
    assert (found.passed, found.wrong, found.declined, found.problem) == (True, (), ("race",), "")


def test_who_disagrees_is_asked_nothing_more(studio: Studio, browser: Browser) -> None:
    made = told()
    title = "Guidelines for annotators"
    desk = open_desk(studio, browser, gate_config(made, DOMAINS), [{"data": gate_task(made)}], title)
    desk.choose("x")
    desk.submit()
    (annotation,) = desk.annotations()
    found = read_gate(annotation, made, DOMAINS, 1)
    assert (found.consent, found.passed, found.problem) == (False, False, "")


def test_valid_without_a_stance_is_not_submitted(studio: Studio, browser: Browser) -> None:
    made = tasks("nli", rows(SENTENCE, "hypothesis", "A sentence."))
    desk = open_desk(studio, browser, labelling_config(told()), made, "A sentence.")
    said = desk.page.get_by_role("dialog").get_by_text(told().wording.required)
    desk.choose("1")
    desk.page.keyboard.press("Control+Enter")
    said.wait_for()
    desk.page.get_by_role("button", name="OK").press("Escape")
    said.wait_for(state="hidden")
    assert desk.annotations() == []


LONG = "The surgeon, who had been up since four, told us that he had washed his hands twice. " * 3


@pytest.mark.parametrize("premise", [False, True])
@pytest.mark.parametrize("votes", [False, True])
def test_a_long_item_fits_the_screen_with_everything_open(
    studio: Studio, browser: Browser, premise: bool, votes: bool
) -> None:
    row = {**SENTENCE, "hypothesis": LONG.strip(), "premise": LONG.strip(), "stereotype": LONG[:150].strip()}
    shown = {row["unit_id"]: "Gültig, Pro · Ungültig · Gültig, Anti"} if votes else None
    made = tasks("nli", [row], premise=premise, votes=shown)
    config = labelling_config(told("nli", "de"), premise=premise, votes=votes)
    desk = open_desk(studio, browser, config, made, row["stereotype"])
    for keys in (("1", "p"), ("2", "4")):
        desk.choose(*keys)
        desk.picture(f"long-{premise}-{votes}-{keys[0]}")
        assert desk.fits()


def test_hostile_text_is_text(studio: Studio, browser: Browser) -> None:
    """No script runs, texts are shown letter for letter, and what turns the direction turns only itself."""
    fields = ("hypothesis", "stereotype", "group1", "group2", "domain", "premise")
    row = {**SENTENCE, **{name: f"{name} {HOSTILE}" for name in fields}}
    made = tasks("nli", [row], premise=True, votes={row["unit_id"]: HOSTILE})
    config = labelling_config(told(support=HOSTILE), premise=True, votes=True)
    desk = open_desk(studio, browser, config, made, told().wording.headings.stereotype)
    shown = desk.page.locator(".ns .lsf-htx-richtext")
    assert sorted(t.strip() for t in shown.all_text_contents()) == sorted(
        [*(row[name] for name in fields), HOSTILE]
    )
    desk.choose("1", "p")
    desk.picture("hostile")
    assert desk.page.evaluate("window.pwned") is None
    heads = told().wording.headings
    order = [heads.stereotype, heads.premise, heads.verdict, heads.stance, heads.votes]
    tops = [desk.page.locator(".ns h4", has_text=head).first.bounding_box() for head in order]
    assert all(tops)
    lefts = [desk.page.locator(".ns-first kbd").nth(i).bounding_box() for i in range(3)]
    assert [box["x"] for box in lefts if box] == sorted(box["x"] for box in lefts if box)
    places = [(box["y"], box["x"]) for box in tops if box]
    assert places == sorted(places)
    desk.submit()
    assert desk.answers("nli")[0].stance == "pro"


SIDES = """line => {
    const text = line.firstChild;
    const box = (from, to) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, to);
        return range.getBoundingClientRect();
    };
    return [box(0, 1).left, box(text.length - 1, text.length).left];
}"""
"""Where the first and the last letter of a line of text stand."""


@pytest.mark.parametrize("wording", ["ar", "en"])
def test_arabic_texts_begin_on_the_right(studio: Studio, browser: Browser, wording: str) -> None:
    text = "في الحفلة، التقت مريم بوليد."
    # the page's own direction counts if the text begins with the mask, whose letters are Latin
    asked = "{{MASK}} عمل في البيع." if wording == "ar" else "من عمل في البيع؟"
    row = {**QUESTION, "question": asked, "question_negated": "من لم يعمل قط في البيع؟"}
    desk = open_desk(
        studio,
        browser,
        labelling_config(told("question", wording)),
        tasks("question", rows(row, "context", text)),
        text,
    )
    lines = desk.page.locator(".ns-sentence .lsf-richtext__line, .ns-questions .lsf-richtext__line")
    desk.picture(f"arabic-in-{wording}")
    assert lines.all_inner_texts() == [text, asked, row["question_negated"]]
    for line in lines.all():
        first, last = line.evaluate(SIDES)
        assert first > last
    assert desk.fits()


def test_a_page_from_right_to_left(studio: Studio, browser: Browser) -> None:
    made = told()
    turned = type(made)(**{**vars(made), "wording": made.wording.model_copy(update={"direction": "rtl"})})
    text = "החתולה רצתה להיות לבד."
    task = tasks("nli", rows(SENTENCE, "hypothesis", text))
    desk = open_desk(studio, browser, labelling_config(turned), task, text)
    desk.choose("1", "p")
    desk.picture("right-to-left")
    boxes = [desk.page.locator(".ns-first kbd").nth(i).bounding_box() for i in range(3)]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts, reverse=True)
    assert desk.fits()
