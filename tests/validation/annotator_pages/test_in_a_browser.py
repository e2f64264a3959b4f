"""The pages on a real Label Studio in a browser, as large as a laptop's screen, worked by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from nextset.validation.annotator_pages.briefing import Briefing
from nextset.validation.annotator_pages.gate_page import GatePage, gate_config, gate_task, read_gate
from nextset.validation.annotator_pages.guidelines_html import instruction
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import tasks
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from nextset.validation.forms.validated_form import VALIDATED_FORMS
from tests.chromium import BROWSER
from tests.validation.annotator_pages.briefings import DOMAINS, HOSTILE, LANGUAGES, QUESTION, SENTENCE, told
from tests.validation.browsing import LAPTOP, Annotator, LoggedIn, keys_of, open_page
from tests.validation.session.sample_annotators import right_answers
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER


@pytest.fixture(scope="module")
def logged_in(studio: Studio, chromium_process: Browser) -> LoggedIn:
    return LoggedIn(chromium_process, studio.annotator("pages@example.org"))


@pytest.fixture
def browser(logged_in: LoggedIn) -> Iterator[LoggedIn]:
    yield logged_in
    logged_in.leave()


def rows(like: dict[str, str], field: str, *texts: str) -> list[dict[str, str]]:
    return [{**like, "unit_id": f"{i:032x}", field: text} for i, text in enumerate(texts)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_by_keyboard_from_first_to_last(studio: Studio, browser: LoggedIn, language: str) -> None:
    texts = [f"Sentence {i} says that the surgeon washed his hands." for i in range(4)]
    made = tasks(JUDGED_HYPOTHESES, rows(SENTENCE, "hypothesis", *texts))
    window = open_page(studio, browser, labelling_config(told("nli", language)), made, texts[0])
    window.picture(f"sentence-{language}")
    window.choose("1", "p")
    window.picture(f"sentence-{language}-valid")
    window.comment("Hard: 1 2 3 p a 0")
    assert window.fits()
    window.submit()
    window.see(texts[1])
    window.choose("2", "6")
    window.picture(f"sentence-{language}-invalid")
    window.submit()
    window.see(texts[2])
    window.choose("1", "a", "3")
    window.submit()
    window.see(texts[3])
    window.choose("0")
    window.picture(f"sentence-{language}-declined")
    window.submit()
    first, second, third, fourth = window.answers("nli")
    assert (first.verdict, first.stance, first.comment) == ("valid", "pro", "Hard: 1 2 3 p a 0")
    assert (second.verdict, second.reason) == ("invalid", "only_fact")
    assert (third.verdict, third.stance) == ("incoherent", None)
    assert fourth.outcome == "declined"


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_by_keyboard(studio: Studio, browser: LoggedIn, language: str) -> None:
    texts = [f"Maria and John sat beside each other, and that was on train {i}." for i in range(2)]
    made = tasks(JUDGED_QUESTIONS, rows(QUESTION, "context", *texts))
    window = open_page(studio, browser, labelling_config(told("question", language)), made, texts[0])
    window.choose("1", "g", "h", "5")
    window.picture(f"question-{language}")
    window.comment("Odd.")
    assert window.fits()
    window.submit()
    window.see(texts[1])
    window.choose("0")
    window.submit()
    first, second = window.answers("question")
    assert (first.underspecified, first.grammatical, first.free_of_hint) == (True, True, False)
    assert (first.verdict, first.reason, first.comment) == ("invalid", "odd_wording", "Odd.")
    assert second.outcome == "declined"


def open_gate(
    studio: Studio, browser: LoggedIn, made: Briefing, at: GatePage = "gate", size: dict[str, int] = LAPTOP
) -> Annotator:
    task = gate_task(made, None if at == "gate" else ["check_1", "stance_3"])
    config = gate_config(made, DOMAINS, at)
    return open_page(studio, browser, config, [{"data": task}], made.wording.gate.agreement, size=size)


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize("at", ["gate", "retry"])
def test_the_gate_by_keyboard(studio: Studio, browser: LoggedIn, kind: str, at: GatePage) -> None:
    made = told(kind)
    window = open_gate(studio, browser, made, at)
    window.picture(f"{at}-{kind}")
    answers = right_answers(made.comprehension if at == "gate" else made.again)
    topics = {"decline_domains": "race"} if at == "gate" else {}
    window.choose(*keys_of(gate_config(made, DOMAINS, at), {**answers, **topics, "consent": "agree"}))
    window.picture(f"{at}-{kind}-answered")
    window.submit()
    (annotation,) = window.annotations()
    found = read_gate(annotation, made, DOMAINS, 0, at)
    assert (found.passed, found.wrong, found.declined, found.problem) == (
        True,
        (),
        tuple(topics.values()),
        "",
    )


def test_a_sentence_that_is_valid_is_asked_for_its_stance(studio: Studio, browser: LoggedIn) -> None:
    made = told()
    window = open_gate(studio, browser, made)
    answers = right_answers(made.comprehension)
    without = {name: value for name, value in answers.items() if not name.startswith("stance")}
    window.choose(*keys_of(gate_config(made, DOMAINS), {**without, "consent": "agree"}))
    said = window.page.get_by_role("dialog").get_by_text(made.wording.gate.required)
    window.page.keyboard.press("Control+Enter")
    said.wait_for()
    assert window.annotations() == []
    stances = window.page.locator(".ns-stance")
    asked = [i for i in range(stances.count()) if stances.nth(i).is_visible()]
    assert asked == [i for i, item in enumerate(made.comprehension) if item.stance]  # type: ignore[union-attr]


BROKEN = """tables => tables.flatMap(table => {
    const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), broken = [];
    for (let node; node = walk.nextNode();)
        for (const word of node.data.matchAll(/[^\\s-]+/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
            if (tops.size > 1) broken.push(word[0]);
        }
    return broken;
})"""
"""The words of tables that run over two lines."""

PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gate_on_a_laptop_and_on_a_phone(
    studio: Studio, browser: LoggedIn, language: str, size: dict[str, int]
) -> None:
    made = told("nli", language)
    window = open_gate(studio, browser, made, size=size)
    window.picture(f"gate-{language}-{size['width']}", whole=True)
    table = window.page.locator(".ns-guidelines table")
    assert table.count() == 1
    if size is PHONE:
        boxes = [cell.bounding_box() for cell in table.locator("tr").nth(1).locator("td").all()]
        assert len({box["x"] for box in boxes if box}) == 1, "the cells of a row stand below each other"
    if language != "zh":  # whose words have no spaces between them
        assert table.evaluate_all(BROKEN) == []
    wide = "document.querySelector('.lsf-main-content').scrollWidth - innerWidth"
    assert window.page.evaluate(wide) <= 0, "the page itself does not scroll sideways"
    warning, agreement = window.page.locator(".ns-warning"), window.page.locator(".ns-agreement")
    assert warning.inner_text().startswith(f"⚠ {made.wording.gate.warning}")
    colours = [b.evaluate("b => getComputedStyle(b).backgroundColor") for b in (warning, agreement)]
    assert len({*colours, "rgba(0, 0, 0, 0)"}) == 3
    # what is agreed to is followed by the question whether one agrees
    after = "b => b.nextElementSibling.textContent"
    assert agreement.evaluate(after).strip() == made.wording.gate.consent


def test_who_disagrees_is_asked_nothing_more(studio: Studio, browser: LoggedIn) -> None:
    made = told()
    window = open_gate(studio, browser, made)
    window.choose("x")
    window.submit()
    (annotation,) = window.annotations()
    found = read_gate(annotation, made, DOMAINS, 1)
    assert (found.consent, found.passed, found.problem) == (False, False, "")


def test_valid_without_a_stance_is_not_submitted(studio: Studio, browser: LoggedIn) -> None:
    made = tasks(JUDGED_HYPOTHESES, rows(SENTENCE, "hypothesis", "A sentence."))
    window = open_page(studio, browser, labelling_config(told()), made, "A sentence.")
    said = window.page.get_by_role("dialog").get_by_text(told().wording.required)
    window.choose("1")
    window.page.keyboard.press("Control+Enter")
    said.wait_for()
    window.page.get_by_role("button", name="OK").press("Escape")
    said.wait_for(state="hidden")
    assert window.annotations() == []


_AT_REST = """() => {
    const wrapper = document.querySelector('.lsf-modal-ls .lsf-modal-ls__wrapper');
    const grown = wrapper && new DOMMatrix(getComputedStyle(wrapper).transform).isIdentity;
    return grown && wrapper.getAnimations().length === 0;
}"""
"""The window has grown to its size; a busy browser can skip the animation and its end."""


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_guidelines_behind_the_button_fit_the_screen(
    studio: Studio, browser: LoggedIn, size: dict[str, int]
) -> None:
    made = told("nli", "de")
    made_tasks = tasks(JUDGED_HYPOTHESES, rows(SENTENCE, "hypothesis", "Ein Satz."))
    html = instruction(made.guidelines)
    window = open_page(studio, browser, labelling_config(made), made_tasks, "Ein Satz.", html, size)
    window.page.get_by_text("Instructions", exact=True).click()
    shown = window.page.locator(".lsf-modal-ls__content")
    shown.locator("table").wait_for()
    window.page.wait_for_function(_AT_REST, polling=100)  # a busy browser draws few frames
    window.picture(f"instruction-{size['width']}")
    box = shown.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert shown.locator("table").evaluate_all(BROKEN) == []


LONG = "The surgeon, who had been up since four, told us that he had washed his hands twice. " * 3


@pytest.mark.parametrize("premise", [False, True])
@pytest.mark.parametrize("votes", [False, True])
def test_a_long_item_fits_the_screen_with_everything_open(
    studio: Studio, browser: LoggedIn, premise: bool, votes: bool
) -> None:
    row = {**SENTENCE, "hypothesis": LONG.strip(), "premise": LONG.strip(), "stereotype": LONG[:150].strip()}
    shown = {row["unit_id"]: "Gültig, Pro × 2\nUngültig × 1\nGültig, Anti × 1"} if votes else None
    made = tasks(JUDGED_HYPOTHESES, [row], premise=premise, votes=shown)
    config = labelling_config(told("nli", "de"), premise=premise, votes=votes)
    window = open_page(studio, browser, config, made, row["stereotype"])
    for keys in (("1", "p"), ("2", "4")):
        window.choose(*keys)
        window.picture(f"long-{premise}-{votes}-{keys[0]}")
        assert window.fits()


def test_hostile_text_is_text(studio: Studio, browser: LoggedIn) -> None:
    """No script runs, texts are shown letter for letter, and what turns the direction turns only itself."""
    fields = ("hypothesis", "stereotype", "group1", "group2", "domain", "premise")
    row = {**SENTENCE, **{name: f"{name} {HOSTILE}" for name in fields}}
    made = tasks(JUDGED_HYPOTHESES, [row], premise=True, votes={row["unit_id"]: HOSTILE})
    config = labelling_config(told(support=HOSTILE), premise=True, votes=True)
    window = open_page(studio, browser, config, made, told().wording.headings.stereotype)
    shown = window.page.locator(".ns .lsf-htx-richtext")
    assert sorted(t.strip() for t in shown.all_text_contents()) == sorted(
        [*(row[name] for name in fields), HOSTILE]
    )
    window.choose("1", "p")
    window.picture("hostile")
    assert window.page.evaluate("window.pwned") is None
    heads = told().wording.headings
    order = [heads.stereotype, heads.premise, heads.votes, heads.verdict, heads.stance]
    tops = [window.page.locator(".ns h4", has_text=head).first.bounding_box() for head in order]
    assert all(tops)
    lefts = [window.page.locator(".ns-first kbd").nth(i).bounding_box() for i in range(3)]
    assert [box["x"] for box in lefts if box] == sorted(box["x"] for box in lefts if box)
    places = [(box["y"], box["x"]) for box in tops if box]
    assert places == sorted(places)
    window.submit()
    assert window.answers("nli")[0].stance == "pro"


@pytest.mark.parametrize("kind", ["nli", "question"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_earlier_votes_stand_beside_the_item_or_on_a_phone_above_the_choices(
    studio: Studio, browser: LoggedIn, kind: str, size: dict[str, int]
) -> None:
    made, row = told(kind), SENTENCE if kind == "nli" else QUESTION
    votes = ["Valid, Pro × 2", "Invalid × 1"]
    task = tasks(VALIDATED_FORMS[kind], [row], votes={row["unit_id"]: "\n".join(votes)})
    config = labelling_config(made, votes=True)
    window = open_page(studio, browser, config, task, votes[0], size=size)
    window.picture(f"votes-{kind}-{size['width']}")
    boxes = [window.page.locator(f".ns-{name}").bounding_box() for name in ("sentence", "votes", "first")]
    item, beside, choices = [box for box in boxes if box]
    lines = window.page.locator(".ns-votes .lsf-richtext__line")
    assert lines.all_inner_texts() == votes
    tops = [box["y"] for line in lines.all() if (box := line.bounding_box())]
    assert tops[0] + 10 < tops[1], "one below the other"
    assert beside["y"] + beside["height"] <= choices["y"]
    if size is LAPTOP:
        assert beside["x"] >= item["x"] + item["width"]
        assert abs(beside["y"] - item["y"]) < 4
        assert window.fits()
    else:
        assert beside["x"] < item["x"] + item["width"]
    window.choose("1")


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
def test_arabic_texts_begin_on_the_right(studio: Studio, browser: LoggedIn, wording: str) -> None:
    text = "في الحفلة، التقت مريم بوليد."
    # the page's own direction counts if the text begins with the mask, whose letters are Latin
    asked = "{{MASK}} عمل في البيع." if wording == "ar" else "من عمل في البيع؟"
    row = {**QUESTION, "question": asked, "question_negated": "من لم يعمل قط في البيع؟"}
    window = open_page(
        studio,
        browser,
        labelling_config(told("question", wording)),
        tasks(JUDGED_QUESTIONS, rows(row, "context", text)),
        text,
    )
    lines = window.page.locator(".ns-sentence .lsf-richtext__line, .ns-questions .lsf-richtext__line")
    window.picture(f"arabic-in-{wording}")
    assert lines.all_inner_texts() == [text, asked, row["question_negated"]]
    for line in lines.all():
        first, last = line.evaluate(SIDES)
        assert first > last
    assert window.fits()


def test_a_page_from_right_to_left(studio: Studio, browser: LoggedIn) -> None:
    made = told()
    turned = type(made)(**{**vars(made), "wording": made.wording.model_copy(update={"direction": "rtl"})})
    text = "החתולה רצתה להיות לבד."
    task = tasks(JUDGED_HYPOTHESES, rows(SENTENCE, "hypothesis", text))
    window = open_page(studio, browser, labelling_config(turned), task, text)
    window.choose("1", "p")
    window.picture("right-to-left")
    boxes = [window.page.locator(".ns-first kbd").nth(i).bounding_box() for i in range(3)]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts, reverse=True)
    assert window.fits()
