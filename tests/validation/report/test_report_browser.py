"""The report in a browser: on a laptop and as wide as a phone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.validation.report.html_report import render
from tests.chromium import BROWSER
from tests.page_checks import faint_marks, faint_texts, tables_without_hint, unnamed_images
from tests.validation.report.example import HOSTILE, REPORT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = BROWSER


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(REPORT), encoding="utf-8")
    return path


@pytest.fixture
def said() -> list[str]:
    """What the page said on its console, its errors, and what it asked for besides itself."""
    return []


@pytest.fixture(params=[375, 1366], ids=["phone", "laptop"])
def shown(request: pytest.FixtureRequest, browser: Browser, file: Path, said: list[str]) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": request.param, "height": 768})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda sent: said.append(sent.url) if sent.url != file.as_uri() else None)
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield page
    page.close()


@pytest.mark.slow
def test_it_fits_and_wide_tables_scroll_in_their_own_frame(shown: Page) -> None:
    width = shown.evaluate("innerWidth")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.locator(".scroll").evaluate_all(
        "all => all.every(e => getComputedStyle(e).overflowX === 'auto')"
    )


def test_no_text_of_a_plot_is_cut_or_tiny_or_over_another(shown: Page) -> None:
    bad = shown.locator("figure svg").evaluate_all(
        """all => all.flatMap(svg => {
            const frame = svg.getBoundingClientRect();
            const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
            const boxes = texts.map(t => t.getBoundingClientRect());
            const cut = texts.filter((t, i) => boxes[i].height < 10
                || boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1
                || boxes[i].top < frame.top - 1 || boxes[i].bottom > frame.bottom + 1);
            const over = texts.filter((t, i) => boxes.some((b, k) => k > i
                && boxes[i].left < b.right && b.left < boxes[i].right
                && boxes[i].top + 3 < b.bottom && b.top + 3 < boxes[i].bottom));
            return [...cut, ...over].map(t => t.textContent);
        })"""
    )
    assert bad == []


def test_hostile_comments_show_as_text(shown: Page) -> None:
    quotes = shown.locator("blockquote").nth(1).inner_text()
    assert quotes.count(HOSTILE) == 3
    assert shown.locator("script").count() == 0
    assert shown.locator("img").count() == 0
    # a mark that turns the direction of writing does not reach beyond its own text
    assert shown.locator("blockquote bdi").evaluate_all("all => all.every(e => e.dir === '' )")


def test_it_says_nothing_and_asks_for_nothing(shown: Page, said: list[str]) -> None:
    shown.wait_for_load_state("networkidle")
    assert said == []


def test_headings_are_in_order_and_regions_named(shown: Page) -> None:
    levels = shown.locator("h1, h2, h3").evaluate_all("all => all.map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert shown.locator("[role=region]").evaluate_all(
        "all => all.every(e => e.ariaLabel && e.tabIndex === 0)"
    )
    assert shown.locator("svg[role=img]").evaluate_all(
        "all => all.every(e => e.ariaLabel && e.querySelector('title'))"
    )


def test_plots_can_be_read_in_the_dark_and_have_names(browser: Browser, file: Path) -> None:
    page = browser.new_page(color_scheme="dark", viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert (unnamed_images(page), faint_texts(page), faint_marks(page)) == ([], [], [])
    assert tables_without_hint(page) == []
    page.close()
