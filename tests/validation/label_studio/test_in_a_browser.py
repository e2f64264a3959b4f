"""An annotator's link in a browser: it leads to the first task, and no page asks for anything elsewhere."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.chromium import BROWSER, chromium
from tests.validation.browsing import PATIENCE
from tests.validation.studio import Studio

pytestmark = BROWSER


def test_the_link_leads_to_the_first_task_and_nowhere_else(studio: Studio) -> None:
    annotator = studio.annotator("browser@example.org")
    number = studio.project("browser", 3)
    asked: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(studio.client().link(number))
        page.fill("input[name=email]", annotator.email)
        page.fill("input[name=password]", annotator.password)
        page.keyboard.press("Enter")
        page.get_by_text("Sentence 0.").wait_for()
        page.keyboard.press("1")
        page.keyboard.press("Control+Enter")
        page.get_by_text("Sentence 1.").wait_for()
        page.goto(studio.client().login())
        page.get_by_text("Project browser").first.wait_for()
        page.goto(f"{studio.url}/")
        page.get_by_text("Project browser").first.wait_for()
        page.wait_for_load_state("networkidle")
    (found,) = studio.client().answers(number)
    assert found.annotation["completed_by"] == annotator.number
    assert found.annotation["result"][0]["value"] == {"choices": ["valid"]}
    elsewhere = {url for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    elsewhere = {url for url in elsewhere if urlsplit(url).hostname != "127.0.0.1"}
    assert not elsewhere
