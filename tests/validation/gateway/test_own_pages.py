"""The gateway's own pages: hostile texts, nine languages, both directions, a laptop and a phone."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from nextset.validation.annotator_pages.page_wording import load_wording
from nextset.validation.gateway.login_page import _session_line, translated
from nextset.validation.gateway.next_step import NextStep, Step
from nextset.validation.gateway.own_pages import ASSETS, asset_address, message_page, step_page
from nextset.validation.gateway.participations import Participation
from nextset.validation.gateway.security_headers import Secured
from nextset.validation.plan.state import Participant, Session
from tests.chromium import BROWSER
from tests.validation.annotator_pages.briefings import LANGUAGES
from tests.validation.plan.sample_plans import opened, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from playwright.sync_api import Route as Fetched

HOSTILE = """"><img src=x onerror=alert(1)><script>alert(2)</script>{{ 77777 * 77777 }}'&lt;"""
EMAIL = f"{HOSTILE}@example.org"
LONG = "a" * 120 + "@example.org"
PAGES = [step for step in get_args(Step) if step not in ("gate", "work")]
OPENS = datetime(2126, 1, 1, 12, 30, tzinfo=UTC)


def part(language: str = "en", support: str = "a friend of the tests") -> Participation:
    session = Session(opened(["u1"], language=language))
    participant = Participant(person="a-1", account="b", gate=None)
    settled = settings().model_copy(update={"support": support})
    return Participation(Path("study"), "0123456789ab", session, participant, frozenset(), settled)


def page_of(
    step: str, language: str = "en", email: str = "ana@example.org", support: str = "a friend"
) -> Response:
    if step == "refused":
        return message_page(part(language), 403, load_wording(language, None).pages.refused, email)
    if step == "unavailable":
        return message_page(None, 503, load_wording("en", None).pages.unavailable, waits=True)
    opens = OPENS if step == "break" else None
    return step_page(part(language, support), NextStep(step, 7, opens), email)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_in_each_language(language: str) -> None:
    wording = load_wording(language, None)
    headings = set()
    for step in PAGES:
        html = bytes(page_of(step, language).body).decode()
        assert f'<html lang="{wording.language}" dir="{wording.direction}">' in html
        heading = re.search(r"<h1>(.+)</h1>", html)
        assert heading is not None
        headings.add(unescape(heading[1]))
        text = unescape(re.sub(r"<[^>]+>", " ", html))
        assert not re.search(r"[{}]|None|undefined", text), text
        assert "ana@example.org" in text
        assert wording.pages.log_out in text
    assert len(headings) == len(PAGES), "each says something else"
    assert load_wording(language, None).direction == ("rtl" if language == "ar" else "ltr")


def test_a_waiting_page_says_what_happens_and_asks_to_be_answered_after_the_pull() -> None:
    page = page_of("moment", "de")
    words = load_wording("de", None).pages
    assert words.moment_next in unescape(bytes(page.body).decode())
    assert page.headers["refresh"] == "0; url=/nextset/session/0123456789ab?waits=1"
    assert page_of("unavailable").headers["refresh"] == "1"


@pytest.mark.parametrize("language", ["de", "ar"])
def test_the_login_page_names_study_and_language_as_text(language: str) -> None:
    line = _session_line(replace(part(language), study=HOSTILE))
    wording = load_wording(language, None)
    assert f'lang="{language}" dir="{wording.direction}"' in line
    assert "<img" not in line
    assert "<script" not in line
    text = unescape(re.sub("<[^>]+>", "", line))
    assert text == wording.pages.session.replace("{study}", HOSTILE)


LOGIN_PAGE = b"""<!doctype html>
<html lang="en"><head><title>Label Studio</title></head><body><h2>
      Log in</h2><form>
<label>Email Address</label><input name="email"><label>Password</label><input name="password">
<p class="error">
 The email and password you entered don't match. </p>
<input type="checkbox"><label for="persist_session">Keep me logged in this browser</label>
<button type="submit" aria-label="Log In" class="login-button">Log in</button></form></body></html>"""
"""The parts of Label Studio's page; test_login_and_owner has the whole one."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_login_page_in_each_language(language: str) -> None:
    wording = load_wording(language, None)
    html = unescape(translated(LOGIN_PAGE, part(language)).decode())
    assert f'<html lang="{language}" dir="{wording.direction}">' in html
    text = [line.strip() for line in re.sub(r"<[^>]+>", "\n", html).splitlines() if line.strip()]
    words = wording.pages
    assert text == [
        *(words.log_in, words.log_in, words.email, words.password),
        *(words.wrong_login, words.stay_logged_in, words.log_in),
    ]
    assert f'aria-label="{words.log_in}" class="login-button"' in html
    assert html.count("<input") == 3
    assert translated(b"\xffanother page", part(language)) == b"\xffanother page"


def test_hostile_texts_are_texts() -> None:
    for step in (*PAGES, "refused"):
        html = bytes(page_of(step, email=EMAIL, support=HOSTILE).body).decode()
        assert html.count("<script") == 1, "the page's own"
        assert "<img" not in html
        assert str(77777 * 77777) not in html
        assert EMAIL in unescape(html)
    html = bytes(message_page(None, 403, HOSTILE, EMAIL, link=f"/{HOSTILE}").body).decode()
    assert "<img" not in html
    assert html.count("<script") == 1


def test_where_the_pages_lead() -> None:
    for step in PAGES:
        html = bytes(page_of(step).body).decode()
        assert ('href="/projects/7/data?labeling=1"' in html) == (step != "moment"), step
        assert ("refresh" in page_of(step).headers) == (step == "moment"), step
        assert page_of(step).headers["cache-control"] == "no-store"
    refused = page_of("refused")
    assert refused.status_code == 403
    assert b'href="/nextset/session/0123456789ab"' in bytes(refused.body)
    assert b'datetime="2126-01-01T12:30:00+00:00"' in bytes(page_of("break").body)


def test_a_session_whose_study_has_no_wording_or_section_any_more_still_speaks() -> None:
    for lost in (
        part("xx"),
        Participation(Path("s"), "k", part().session, part().participant, frozenset(), None),
    ):
        assert b"Done. Thank you!" in bytes(step_page(lost, NextStep("done"), "ana@example.org").body)


def opened_page(
    browser: Browser, answer: Response, width: int, height: int, **more: Any
) -> tuple[Page, list[str]]:
    """The page as a browser gets it, with the headers of the gateway; and what went wrong in it."""

    def own(request: Request) -> Response:
        return answer

    def asset(request: Request) -> Response:
        return FileResponse(ASSETS / request.path_params["name"])

    app = Starlette(routes=[Route("/nextset/assets/{name}", asset), Route("/{path:path}", own)])
    client = TestClient(Secured(app, tls=False))

    def fulfil(fetched: Fetched) -> None:
        said = client.get(fetched.request.url.removeprefix("https://gateway.test"))
        headers = {name: value for name, value in said.headers.items() if name != "refresh"}
        fetched.fulfill(status=said.status_code, headers=headers, body=said.content)

    context = browser.new_context(viewport={"width": width, "height": height}, **more)
    context.route("**/*", fulfil)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto("https://gateway.test/page")
    return page, wrong


class TestInABrowser:
    pytestmark = BROWSER

    @pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=str)
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("language", ["en", "ar"])
    def test_axe_finds_nothing_and_all_fits(
        self, browser: Browser, language: str, scheme: str, size: tuple[int, int]
    ) -> None:
        import axe_playwright_python

        source = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
        for step in ("break", "moment", "done", "refused"):
            page, wrong = opened_page(browser, page_of(step, language, LONG), *size, color_scheme=scheme)
            page.evaluate(source)
            found: list[dict[str, Any]] = page.evaluate("axe.run().then(r => r.violations)")
            assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
            sideways = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert not page.evaluate(sideways), f"{step} scrolls sideways"
            assert [text for text in wrong if "403" not in text] == []
            for button in page.locator(".button").all():
                box = button.bounding_box()
                assert box is not None
                assert min(box["width"], box["height"]) >= 44
            page.context.close()

    def test_nothing_hostile_runs(self, browser: Browser) -> None:
        page, wrong = opened_page(browser, page_of("done", "en", EMAIL, HOSTILE), 1366, 768)
        assert page.locator("img").count() == 0
        assert EMAIL in page.inner_text("footer")
        assert wrong == []
        page.context.close()

    def test_the_time_of_a_break_is_the_readers_own(self, browser: Browser) -> None:
        soon = datetime.now(UTC) + timedelta(days=3)
        step = NextStep("break", 7, soon.replace(hour=12, minute=30))
        texts = {}
        for zone in ("Asia/Kolkata", "America/New_York"):
            answer = step_page(part(), step, "ana@example.org")
            page, wrong = opened_page(browser, answer, 390, 844, timezone_id=zone, locale="en-GB")
            texts[zone] = page.inner_text(".opens time")
            assert wrong == [], "the policy lets the page's own script run"
            page.context.close()
        assert "6:00" in texts["Asia/Kolkata"]
        assert "18:00" in texts["Asia/Kolkata"] or "PM" in texts["Asia/Kolkata"]
        assert texts["Asia/Kolkata"] != texts["America/New_York"]


def test_an_assets_address_changes_with_the_file() -> None:
    assert re.fullmatch(r"/nextset/assets/own_pages\.css\?v=[0-9a-f]{12}", asset_address("own_pages.css"))
    assert asset_address("own_pages.css")[-12:] != asset_address("own_pages.js")[-12:]
