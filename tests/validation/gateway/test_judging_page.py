"""The script and the style that the gateway adds, on a real Label Studio in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nextset.validation.annotator_pages.gate_page import gate_config, gate_task, read_gate
from nextset.validation.annotator_pages.guidelines_html import instruction
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import tasks
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from tests.chromium import BROWSER
from tests.validation.annotator_pages.briefings import DOMAINS, QUESTION, SENTENCE, told
from tests.validation.browsing import LoggedIn, keys_of
from tests.validation.gateway.inserting_proxy import NEXT, InsertingProxy, inserting
from tests.validation.gateway.judging_browser import SCREENS, JudgingBrowser, open_judging
from tests.validation.session.sample_annotators import right_answers
from tests.validation.studio import Studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = BROWSER


@pytest.fixture(scope="module")
def running_proxy(studio: Studio) -> Iterator[InsertingProxy]:
    with inserting(studio.url) as proxy:
        yield proxy


@pytest.fixture
def proxy(running_proxy: InsertingProxy) -> Iterator[InsertingProxy]:
    yield running_proxy
    running_proxy.clear()


@pytest.fixture(scope="module")
def logged_in(studio: Studio, chromium_process: Browser) -> LoggedIn:
    return LoggedIn(chromium_process, studio.annotator("judging@example.org"))


@pytest.fixture
def browser(logged_in: LoggedIn) -> Iterator[LoggedIn]:
    yield logged_in
    logged_in.leave()


def items(n: int, first: int = 0) -> list[dict[str, Any]]:
    texts = [f"Sentence {i} says that the surgeon washed his hands." for i in range(first, first + n)]
    like = enumerate(texts, first)
    return tasks(
        JUDGED_HYPOTHESES, [{**SENTENCE, "unit_id": f"{i:032x}", "hypothesis": text} for i, text in like]
    )


def questions(n: int) -> list[dict[str, Any]]:
    texts = [f"Maria and John sat beside each other, and that was on train {i}." for i in range(n)]
    return tasks(
        JUDGED_QUESTIONS, [{**QUESTION, "unit_id": f"{i:032x}", "context": t} for i, t in enumerate(texts)]
    )


def sentences(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy, n: int = 4, **more: Any
) -> JudgingBrowser:
    return open_judging(studio, browser, proxy, told().wording, labelling_config(told()), items(n), **more)


def test_guidelines_and_consent_are_opened_from_the_page_and_keys_judge_nothing_meanwhile(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    made = told()
    hostile = (
        instruction(made.guidelines) + "<img src=x onerror='window.pwned = 1'><script>pwned = 2</script>"
    )
    window = sentences(studio, browser, proxy, 3, instruction=hostile)
    page, before = window.page, window.sentence
    page.get_by_role("button", name="Guidelines and consent").click()
    dialog = page.get_by_role("dialog", name="Guidelines and consent")
    dialog.get_by_role("heading", name="The three verdicts").wait_for()
    assert made.consent.split(".")[0] in dialog.inner_text()
    assert (
        page.evaluate("() => document.querySelectorAll('#nextset-guidelines :is(img, script)').length") == 0
    )
    page.keyboard.press("2")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("() => window.pwned") is None
    assert (window.sentence, window.chosen()) == (before, [])
    window.judge("2")  # the page goes on as before


# ------------------------------------------------------------------------------------ submit on the last key


def test_the_last_needed_key_submits_a_sentence(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy, 6)
    window.judge("2")
    window.judge("3")
    window.judge("0")
    window.judge("1", "p")
    window.judge("1", "a")
    said = [(a.outcome, a.verdict, a.stance) for a in window.answers("nli")]
    assert said == [
        ("judged", "invalid", None),
        ("judged", "incoherent", None),
        ("declined", None, None),
        ("judged", "valid", "pro"),
        ("judged", "valid", "anti"),
    ]


def test_the_last_of_three_answers_submits_a_question(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    config = labelling_config(told("question"))
    window = open_judging(studio, browser, proxy, told("question").wording, config, questions(4))
    window.judge("1", "g", "f")
    window.judge("0")
    window.judge("2", "h", "n")
    said = [(a.outcome, a.underspecified, a.grammatical, a.free_of_hint) for a in window.answers("question")]
    assert said == [
        ("judged", True, True, True),
        ("declined", None, None, None),
        ("judged", False, False, False),
    ]


def test_a_click_and_a_tap_submit_like_a_key(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.sentence
    window.page.locator(".ns-first .lsf-choice").nth(0).click()
    window.page.locator(".ns-more .lsf-choice:visible").nth(1).click()
    window.wait_for_another(before)
    phone = sentences(studio, browser, proxy, screen="phone")
    before = phone.sentence
    phone.page.locator(".ns-first .lsf-choice").nth(1).tap()
    phone.wait_for_another(before)
    assert [(a.verdict, a.stance) for a in window.answers("nli")] == [("valid", "anti")]
    assert [a.verdict for a in phone.answers("nli")] == ["invalid"]


def test_with_shift_a_reason_and_a_comment_can_follow(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.page.locator(".ns-sentence").inner_text()
    window.page.keyboard.press("Shift+2")
    window.choose("6")
    window.comment("Hard: 1 2 3 p a 0")
    assert window.sentence == before.strip()
    window.submit()
    window.wait_for_another(before)
    # the same key once more submits, too
    before = window.page.locator(".ns-sentence").inner_text()
    window.page.keyboard.press("Shift+3")
    window.choose("7")
    window.judge("3")
    first, second = window.answers("nli")
    assert (first.verdict, first.reason, first.comment) == ("invalid", "only_fact", "Hard: 1 2 3 p a 0")
    assert (second.verdict, second.reason) == ("incoherent", "grammar")


def test_a_comment_that_is_not_ended_is_stored_with_the_answer(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.sentence
    window.page.get_by_test_id("textarea-input").click()
    window.page.keyboard.type("1 or 2, and 3")
    assert window.sentence == before
    window.page.locator(".ns-first .lsf-choice").nth(1).click()
    window.wait_for_another(before)
    assert [(a.verdict, a.comment) for a in window.answers("nli")] == [("invalid", "1 or 2, and 3")]


def test_a_key_that_is_held_down_judges_one_item(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.page.locator(".ns-sentence").inner_text()
    window.page.keyboard.down("2")
    for _ in range(5):
        window.page.keyboard.down("2")
    window.wait_for_another(before)
    for _ in range(5):
        window.page.keyboard.down("2")
    window.page.keyboard.up("2")
    window.judge("3")
    assert [a.verdict for a in window.answers("nli")] == ["invalid", "incoherent"]


def test_explicit_sessions_submit_as_label_studio_does(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy, submit="explicit")
    window.choose("2")
    window.choose("1", "p")
    assert window.annotations() == []
    window.judge("Control+Enter")
    assert [(a.verdict, a.stance) for a in window.answers("nli")] == [("valid", "pro")]


# ------------------------------------------------------------------------------------------------- the gate


@pytest.mark.parametrize("role", ["gate", "retry"])
def test_the_gate_is_submitted_by_hand_and_leads_on(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy, role: Any
) -> None:
    made = told()
    config = gate_config(made, DOMAINS)
    task = [{"data": gate_task(made)}]
    window = open_judging(studio, browser, proxy, made.wording, config, task, role=role)
    window.choose("x")
    assert window.annotations() == []
    window.page.keyboard.press("Control+Enter")
    window.page.wait_for_url(f"**{NEXT}")
    (annotation,) = window.annotations()
    assert not read_gate(annotation, made, DOMAINS, 0).consent


def test_an_answered_gate_can_be_answered_otherwise(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    """Consent is withdrawn where it was given."""
    made = told()
    config = gate_config(made, DOMAINS)
    window = open_judging(
        studio, browser, proxy, made.wording, config, [{"data": gate_task(made)}], role="gate"
    )
    link = window.page.url
    answers = {**right_answers(made.comprehension), "consent": "agree"}
    window.choose(*keys_of(config, answers))
    window.page.keyboard.press("Control+Enter")
    window.page.wait_for_url(f"**{NEXT}")
    window.page.goto(link)
    window.page.locator(".ant-checkbox-wrapper-checked").first.wait_for()
    window.choose("x")
    window.page.keyboard.press("Control+Enter")
    window.page.wait_for_url(f"**{NEXT}")
    (annotation,) = window.annotations()
    assert not read_gate(annotation, made, DOMAINS, 0).consent


# ------------------------------------------------------------------------------------------------- going back


def test_earlier_answers_are_changed_and_the_waiting_item_follows(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy, 6)
    texts = [item["data"]["hypothesis"] for item in items(6)]
    window.judge("2")
    window.judge("1", "p")
    window.judge("3")
    assert window.sentence == texts[3]
    window.go_back()
    assert (window.sentence, window.chosen()) == (texts[2], ["Incoherent"])
    window.go_back()
    assert (window.sentence, window.chosen()) == (texts[1], ["Valid", "Pro"])
    window.judge("a")
    assert window.sentence == texts[3]
    window.go_back()
    window.judge("3")  # as it was: nothing changes, and on
    assert window.sentence == texts[3]
    window.page.get_by_role("button", name=told().wording.judging.undo).click()
    window.wait_for_another(texts[3])
    window.page.get_by_role("button", name=told().wording.judging.go_on).click()
    window.wait_for_another(texts[2])
    assert window.sentence == texts[3]
    window.judge("0")
    said = [(a.outcome, a.verdict, a.stance) for a in window.answers("nli")]
    assert said == [
        ("judged", "invalid", None),
        ("judged", "valid", "anti"),
        ("judged", "incoherent", None),
        ("declined", None, None),
    ]


def test_nothing_of_the_waiting_item_is_lost_by_going_back(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    window.judge("2")
    window.comment("Not sure yet.")
    window.go_back()
    window.judge("3")
    window.page.get_by_test_id("textarea-regions").get_by_text("Not sure yet.").wait_for()
    window.judge("1", "p")
    assert [(a.verdict, a.comment) for a in window.answers("nli")] == [
        ("incoherent", ""),
        ("valid", "Not sure yet."),
    ]


def test_a_skipped_item_can_be_answered_after_all(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.page.locator(".ns-sentence").inner_text()
    window.page.get_by_test_id("bottombar-skip-button").click()
    window.wait_for_another(before)
    assert [a.outcome for a in window.answers("nli")] == ["skipped"]
    window.go_back()
    window.judge("2")
    assert [(a.outcome, a.verdict) for a in window.answers("nli")] == [("judged", "invalid")]


# ------------------------------------------------------------------------------------------- the next item


def test_an_item_costs_two_requests(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    window = sentences(studio, browser, proxy)
    with window.page.expect_response(lambda r: "next_task" in r.url):
        window.judge("2")  # with the list of tasks, and the page's other questions
    window.page.wait_for_load_state("networkidle")
    window.asked()
    with window.page.expect_response(lambda r: "next_task" in r.url):
        window.judge("2")
    answer, check = window.asked()
    assert re.fullmatch(r"POST /api/tasks/\d+/annotations", answer)
    assert check == "POST /api/dm/actions"


def test_the_next_item_waits_for_nothing_but_the_answer(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    before = window.page.locator(".ns-sentence").inner_text()
    stored = proxy.hold(r"POST /api/tasks/\d+/annotations")
    with window.page.expect_request(lambda r: "/annotations" in r.url):
        window.page.keyboard.press("2")
    following = items(2)[1]["data"]["hypothesis"]
    assert window.page.get_by_text(following).count() == 0
    proxy.hold(r"POST /api/dm/actions|GET /api/label_links")  # these are never answered
    stored.set()
    window.wait_for_another(before)
    assert window.sentence == following


@pytest.mark.parametrize("fault", ["503 before", "cut before", "cut after"])
def test_an_answer_that_was_not_taken_stays_and_is_stored_once(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy, fault: str
) -> None:
    window = sentences(studio, browser, proxy)
    proxy.faults.append(("POST", fault))
    before = window.sentence
    window.page.keyboard.press("2")
    problem = window.page.get_by_role("alert").get_by_text(told().wording.judging.not_saved)
    problem.wait_for()
    window.picture(f"not-saved-{fault[:3]}")
    assert (window.sentence, window.chosen()) == (before, ["Invalid"])
    window.page.wait_for_function("() => !window.Htx.isSubmitting && !window.Htx.isLoading")
    window.judge("3")
    assert problem.count() == 0
    assert [a.verdict for a in window.answers("nli")] == ["incoherent"]


def test_a_change_that_was_not_taken_stays(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    window = sentences(studio, browser, proxy)
    window.judge("2")
    window.go_back()
    proxy.faults.append(("PATCH", "cut before"))
    window.page.keyboard.press("3")
    window.page.get_by_role("alert").get_by_text(told().wording.judging.not_saved).wait_for()
    window.page.wait_for_function("() => !window.Htx.isSubmitting && !window.Htx.isLoading")
    assert window.chosen() == ["Incoherent"]
    window.judge("3")
    assert [a.verdict for a in window.answers("nli")] == ["incoherent"]


def numbers_of(window: JudgingBrowser) -> list[int]:
    found = window.studio.task_numbers(window.project)
    return [found[unit] for unit in sorted(found)]


def test_a_deleted_item_is_passed_over(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    window = sentences(studio, browser, proxy, 5)
    texts = [item["data"]["hypothesis"] for item in items(5)]
    studio.client().delete(f"/api/tasks/{numbers_of(window)[1]}/")
    window.page.keyboard.press("2")
    window.see(texts[2])
    window.wait_for_another(texts[1])
    window.judge("3")
    assert window.sentence == texts[3]
    assert [a.verdict for a in window.answers("nli")] == ["invalid", "incoherent"]


def test_an_item_whose_text_was_changed_is_drawn_anew(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    data = {**items(2)[1]["data"], "hypothesis": "Another sentence stands here now."}
    studio.client().patch(f"/api/tasks/{numbers_of(window)[1]}/", {"data": data})
    window.page.keyboard.press("2")
    window.see("Another sentence stands here now.")


def test_two_tabs_answer_each_item_once(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    window = sentences(studio, browser, proxy, 6)
    other = window.page.context.new_page()
    other.goto(window.page.url)
    other.locator(".ns-sentence").wait_for()
    other.wait_for_load_state("networkidle")
    first = JudgingBrowser(studio, other, window.project, window.person, proxy)
    first.judge("2")
    first.judge("2")
    # the first tab still shows the first item, and learns about the others when it is looked at
    window.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    window.see(items(3)[2]["data"]["hypothesis"])
    window.page.wait_for_function("() => !window.Htx.isLoading")
    window.judge("3")
    assert [a.verdict for a in window.answers("nli")] == ["invalid", "invalid", "incoherent"]


def test_an_answer_that_was_begun_changes_the_one_of_another_tab(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy)
    other = window.page.context.new_page()
    other.goto(window.page.url)
    other.locator(".ns-sentence").wait_for()
    other.wait_for_load_state("networkidle")
    window.choose("1")
    JudgingBrowser(studio, other, window.project, window.person, proxy).judge("2")
    window.judge("a")
    assert [(a.verdict, a.stance) for a in window.answers("nli")] == [("valid", "anti")]


def test_a_new_batch_is_found_and_at_the_end_the_page_leads_on(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy, 2)
    studio.client().push(window.project, items(2, first=2))
    for _ in range(3):
        window.judge("2")
    window.page.keyboard.press("2")
    window.page.wait_for_url(f"**{NEXT}")
    assert [a.verdict for a in window.answers("nli")] == ["invalid"] * 4


def test_more_items_than_the_first_page_of_the_list(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    window = sentences(studio, browser, proxy, 33)
    shown = [window.sentence]
    for _ in range(32):
        window.judge("2")
        shown.append(window.sentence)
    assert shown == [item["data"]["hypothesis"] for item in items(33)]
    window.page.keyboard.press("2")
    window.page.wait_for_url(f"**{NEXT}")
    assert len(window.annotations()) == 33


# ---------------------------------------------------------------------------------- what the page looks like


def test_progress_is_shown_and_read_out(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    proxy.done, proxy.of = 30, 50
    window = sentences(studio, browser, proxy)
    progress = window.page.get_by_role("status").filter(has_text="sitting")
    assert progress.inner_text() == "31 of 50 in this sitting"
    window.judge("2")
    assert progress.inner_text() == "32 of 50 in this sitting"


def test_the_buttons_are_in_the_sessions_language_and_mirrored(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy
) -> None:
    wording = told(language="ar").wording
    config = labelling_config(told(language="ar"))
    window = open_judging(studio, browser, proxy, wording, config, items(4), submit="explicit")
    words, button = wording.judging, window.page.get_by_role("button")
    skip, submit = (button.and_(window.page.get_by_label(w, exact=True)) for w in (words.skip, words.submit))
    assert [skip.inner_text(), submit.inner_text()] == [words.skip, words.submit]
    sides = [one.bounding_box() for one in (submit, skip, window.page.locator("#nextset-progress"))]
    assert all(sides)
    assert sides[0]["x"] < sides[1]["x"] < sides[2]["x"], "from right to left"  # type: ignore[index]
    before = window.sentence
    skip.click()
    window.wait_for_another(before)
    window.judge("2", "Control+Enter")
    assert [skip.inner_text(), submit.inner_text()] == [words.skip, words.submit]
    window.go_back()
    update = button.and_(window.page.get_by_label(words.update, exact=True))
    assert update.inner_text() == words.update


def test_nothing_leads_elsewhere(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    window = sentences(studio, browser, proxy)
    window.picture("judging-laptop")
    assert window.page.locator("a[href]:visible").all() == []
    for name in ("Settings", "Postpone task", "Undo"):
        assert window.page.get_by_role("button", name=name, exact=True).count() == 0
    window.judge("2")
    window.picture("judging-laptop-back")
    assert window.page.locator("[class*=toast_info]:visible").count() == 0


def test_axe_finds_nothing_in_what_is_added(studio: Studio, browser: LoggedIn, proxy: InsertingProxy) -> None:
    import axe_playwright_python

    window = sentences(studio, browser, proxy)
    window.judge("2")
    window.go_back()
    proxy.faults.append(("PATCH", "503 before"))
    window.page.keyboard.press("3")
    window.page.get_by_role("alert").get_by_text("Not saved").wait_for()
    source = Path(axe_playwright_python.__file__).parent / "axe.min.js"
    window.page.evaluate(source.read_text(encoding="utf-8"))
    found = window.page.evaluate("axe.run('#nextset-parts').then(r => r.violations)")
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found] == []


_OUTSIDE = """() => [...document.querySelectorAll('.ns *, .lsf-bottombar *, #nextset-parts *')]
    .filter(e => {
        const r = e.getBoundingClientRect();
        return r.width && (r.right > innerWidth + 1 || r.left < -1);
    })
    .map(e => e.outerHTML.slice(0, 100))"""


@pytest.mark.parametrize(
    ("screen", "language", "script"),
    [
        ("phone", "en", True),
        ("phone", "ar", True),
        ("phone", "en", False),
        ("phone on its side", "en", True),
        ("tablet", "ar", True),
    ],
)
@pytest.mark.parametrize("what", ["nli", "question", "gate"])
def test_everything_is_in_reach_on_small_screens(
    studio: Studio,
    browser: LoggedIn,
    proxy: InsertingProxy,
    what: str,
    screen: str,
    language: str,
    script: bool,
) -> None:
    kind: str = "question" if what == "question" else "nli"
    made = told(kind, language)
    if what == "gate":
        config, pushed = gate_config(made, DOMAINS), [{"data": gate_task(made)}]
    else:
        config, pushed = labelling_config(made), questions(2) if what == "question" else items(2)
    window = open_judging(
        studio,
        browser,
        proxy,
        made.wording,
        config,
        pushed,
        role="gate" if what == "gate" else "work",
        screen=screen,
        script=script,
    )
    if what != "gate":
        window.page.locator(".ns-first .lsf-choice").nth(0).tap()
    window.picture(f"{what}-{screen}-{language}-{script}")
    assert window.page.evaluate(_OUTSIDE) == []
    assert window.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    width, height = (SCREENS[screen]["viewport"][side] for side in ("width", "height"))
    scale = window.page.evaluate("visualViewport.scale")
    box = window.page.get_by_test_id("bottombar-submit-button").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert (box["x"] + box["width"]) * scale <= width + 1
    assert (box["y"] + box["height"]) * scale <= height + 1
    assert box["height"] >= 40
    # no key is named
    assert window.page.locator(".ns kbd:visible").count() == 0
    assert "Enter" not in window.page.locator(".ns").inner_text()
    for choice in window.page.locator(".ns .lsf-choice__checkbox:visible").all():
        choice.scroll_into_view_if_needed()
        at = choice.bounding_box()
        assert at is not None
        assert at["height"] >= 40


# ----------------------------------------------------------------------------------- when the script fails


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("throw new Error('broken')", id="throws"),
        pytest.param("(() => {", id="cannot be read"),
        pytest.param(None, id="is told nonsense"),
    ],
)
def test_without_the_script_judging_works_as_before(
    studio: Studio, browser: LoggedIn, proxy: InsertingProxy, script: str | None
) -> None:
    proxy.script = script
    window = sentences(studio, browser, proxy, script=False)
    proxy.told[window.project] = {"role": "work", "submit": "last_key", "words": None}
    window.page.reload()
    window.page.locator(".ns-sentence").wait_for()
    assert "nextset-judging" in window.page.content()
    assert not window.page.evaluate("document.documentElement.classList.contains('nextset-judging')")
    window.choose("2")
    window.judge("Control+Enter")
    assert [a.verdict for a in window.answers("nli")] == ["invalid"]
    assert window.page.get_by_role("link", name="Settings").filter(visible=True).count() == 1


def test_the_words_are_told_as_json() -> None:
    words = json.loads(json.dumps(told().wording.judging.model_dump()))
    script = (Path(__file__).parents[3] / "validation/gateway/assets/judging.js").read_text(encoding="utf-8")
    assert set(re.findall(r"words\.(\w+)", script)) == set(words)
