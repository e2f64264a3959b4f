"""The report in a browser, as wide as a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nextset.auditing.report import ReportData, render
from tests.chromium import BROWSER, chromium
from tests.page_checks import faint_marks, faint_texts, tables_without_hint, unnamed_images

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(report_data: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(report_data), encoding="utf-8")
    return path


@pytest.fixture
def said() -> list[str]:
    """What the page said on its console, its errors, and what it asked for besides itself."""
    return []


@pytest.fixture
def phone(browser: Browser, file: Path, said: list[str]) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 375, "height": 800})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if request.url != file.as_uri() else None)
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield page
    page.close()


@pytest.mark.slow
def test_it_fits_a_phone(phone: Page) -> None:
    assert phone.evaluate("document.documentElement.scrollWidth") <= 375


def test_wide_tables_scroll_in_their_own_frame(phone: Page) -> None:
    frames = phone.locator(".scroll")
    overflowing = frames.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length")
    assert overflowing > 0
    assert frames.evaluate_all("all => all.every(e => getComputedStyle(e).overflowX === 'auto')")


@pytest.mark.slow
def test_the_plots_are_there(phone: Page) -> None:
    plots = phone.locator("figure svg")
    assert plots.count() >= 3
    for plot in plots.all():
        box = plot.bounding_box()
        assert box is not None
        assert box["width"] > 250
        assert box["height"] > 50


def test_no_text_of_a_plot_is_cut_or_tiny(phone: Page) -> None:
    """Every text lies inside its plot, and is at least 10 pixels high."""
    bad = phone.locator("figure svg").evaluate_all(
        """all => all.flatMap(svg => {
            const frame = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).filter(t => {
                const box = t.getBoundingClientRect();
                return box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1 || box.height < 10;
            }).map(t => t.textContent);
        })"""
    )
    assert bad == []


def test_no_texts_of_a_plot_overlap(phone: Page) -> None:
    overlaps = phone.locator("figure svg").evaluate_all(
        """all => all.flatMap(svg => {
            const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
            const boxes = texts.map(t => t.getBoundingClientRect());
            return boxes.flatMap((a, i) => boxes.slice(i + 1)
                .map((b, k) => [b, texts[i].textContent + ' / ' + texts[i + 1 + k].textContent])
                .filter(([b]) => a.left < b.right && b.left < a.right
                    && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
                .map(([, name]) => name));
        })"""
    )
    assert overlaps == []


def test_hostile_text_shows_as_text(phone: Page, report_data: ReportData) -> None:
    shown = phone.locator("blockquote").first.inner_text()
    assert "<script>alert('x')</script> \"quoted\" &" in shown
    assert report_data.examples[0].premise in shown
    assert phone.locator("script").count() == 0


def test_it_says_nothing_and_asks_for_nothing(phone: Page, said: list[str]) -> None:
    phone.wait_for_load_state("networkidle")
    assert said == []


def test_it_can_be_read_in_the_dark(browser: Browser, file: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(file.as_uri())
    colours = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert colours == ["rgb(25, 26, 28)", "rgb(232, 230, 225)"]
    assert (
        page.locator("figure").first.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(35, 36, 39)"
    )
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_have_names_and_enough_contrast(browser: Browser, file: Path, scheme: Any) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    assert unnamed_images(page) == []
    assert faint_texts(page) == []
    assert faint_marks(page) == []
    assert tables_without_hint(page) == []
    page.close()
