"""The probe's page in a browser: both forms, hostile text, keyboard, phone, dark and light, axe-core."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nextset.auditing.probe.page_server import PageServer
from tests.chromium import BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = BROWSER

NLI, READER, MASKED = "builtin:nli-electra", "builtin:qa-roformer", "builtin:masked-lm"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with PageServer([NLI, READER, MASKED], 0, print) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


@pytest.fixture
def said() -> list[str]:
    """What the page said on its console, its errors, and what it asked for besides its server."""
    return []


@pytest.fixture(params=[(1366, "light"), (390, "dark")], ids=["wide", "phone"])
def page(request: pytest.FixtureRequest, browser: Browser, address: str, said: list[str]) -> Iterator[Page]:
    width, scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith((address, "data:,")) else said.append(asked.url),
    )
    page.goto(address)
    yield page
    page.close()


def ask_quad(page: Page) -> None:
    page.get_by_role("tab", name="Two subjects").click()
    panel = page.get_by_role("tabpanel", name="Two subjects")
    panel.get_by_role("button", name="Fill in an example").click()
    panel.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answers").wait_for()


def test_the_warning_comes_first_and_a_pair_is_answered(page: Page, said: list[str]) -> None:
    assert "Content warning" in page.locator("header .note").inner_text()
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answers").wait_for()
    captions = page.locator("caption").all_inner_texts()
    note = "Probabilities. A full bar is 1."
    assert [" ".join(caption.split()) for caption in captions] == [
        f"{NLI}, hypothesis {note}",
        f"{READER}, yes/no question {note}",
    ]
    assert page.locator("tbody tr").count() == 2
    assert page.get_by_role("status").inner_text() == "Answers of 2 models."
    widths = page.locator(".bar").evaluate_all("all => all.map(e => parseFloat(e.style.width))")
    assert len(widths) == 6
    assert sum(widths[:3]) == pytest.approx(100, abs=0.01)
    assert said == []


def test_a_quad_has_four_rows_and_a_sentence(page: Page, said: list[str]) -> None:
    ask_quad(page)
    assert page.locator("tbody tr").count() == 8
    sentences = page.locator(".finding").all_inner_texts()
    assert [sentence.split(" prefers ")[0] for sentence in sentences] == [READER, MASKED]
    widths = page.locator("tbody").first.locator(".bar").evaluate_all("all => all.map(e => e.style.width)")
    assert (len(widths), widths.count("100%")) == (12, 1)
    assert "δ " in page.locator(".measures").first.inner_text()
    assert page.get_by_label(NLI).last.is_disabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    assert said == []


def test_hostile_text_shows_as_text(page: Page, said: list[str]) -> None:
    hostile = "<img src=x onerror=alert(1)><script>alert('x')</script> \"quoted\" & </table>"
    page.get_by_label("Premise").fill(hostile)
    page.get_by_label("Hypothesis").fill("A dog sleeps.")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answers").wait_for()
    assert page.locator("tbody th").first.inner_text() == f"{hostile} A dog sleeps."
    assert page.locator("#results img, #results script").count() == 0
    assert said == []


def test_an_error_is_read_out_with_its_remedy(page: Page) -> None:
    page.get_by_label("Premise").fill("A dog sleeps.")
    page.get_by_label("Hypothesis").fill("{subject1} sleeps.")
    page.get_by_role("button", name="Ask").click()
    alert = page.get_by_role("alert")
    alert.get_by_text("no subjects are given").wait_for()
    assert "Try: give two subjects" in alert.inner_text()
    assert page.get_by_role("button", name="Ask").is_enabled()


def test_the_keyboard_is_enough(page: Page, said: list[str]) -> None:
    page.get_by_role("tab", name="A pair").focus()
    page.keyboard.press("ArrowRight")
    tab = page.get_by_role("tab", name="Two subjects")
    assert tab.get_attribute("aria-selected") == "true"
    assert page.evaluate("document.activeElement.id") == "tab-quad"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "context"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Home")
    assert page.get_by_role("tabpanel", name="A pair").is_visible()
    assert page.evaluate("document.activeElement.id") == "tab-pair"
    assert said == []


@pytest.mark.parametrize("state", ["pair", "quad", "error"])
def test_axe_finds_nothing_serious(page: Page, state: str) -> None:
    import axe_playwright_python

    if state == "quad":
        ask_quad(page)
    elif state == "error":
        page.get_by_label("Premise").fill("A dog sleeps.")
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("alert").get_by_text("there is no hypothesis").wait_for()
    source = Path(axe_playwright_python.__file__).parent / "axe.min.js"
    page.evaluate(source.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(r => r.violations)")
    assert [(v["id"], [node["html"][:200] for node in v["nodes"]][:3]) for v in found] == []
