"""The page on who gets found, in a browser: wide and narrow, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.chromium import BROWSER
from tests.extensions.ambiguity.retrieval.test_retrieval_audit import audit, page
from tests.page_checks import faint_marks, faint_texts, tables_without_hint, unnamed_images

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [*BROWSER, pytest.mark.slow]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("found") / "index.html"
    path.write_text(page(audit()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (1366, "dark"), (390, "light")])
def test_it_can_be_read_and_asks_for_nothing(browser: Browser, file: Path, width: int, scheme: Any) -> None:
    opened = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda request: said.append(request.url))
    opened.goto(file.as_uri())
    for summary in opened.locator("summary").all():
        summary.click()
    assert said == [file.as_uri()]
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not unnamed_images(opened)
    assert not faint_texts(opened)
    assert not faint_marks(opened)
    assert not tables_without_hint(opened)
    assert opened.get_by_role("button", name="SVG").count() >= 4
    opened.close()


def test_an_opened_table_of_a_figure_takes_the_full_width(browser: Browser, file: Path) -> None:
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    opened.goto(file.as_uri())
    for summary in opened.locator("summary").all():
        summary.click()
    widths = opened.evaluate("[...document.querySelectorAll('.result .scroll')].map(e => e.clientWidth)")
    assert widths
    assert min(widths) >= 940  # the page's 62rem without its padding
    broken = opened.evaluate("getComputedStyle(document.querySelector('.result tbody th')).overflowWrap")
    assert broken == "break-word"  # a column is as wide as its longest word
    opened.close()


def test_a_text_after_a_number_keeps_its_distance(browser: Browser, file: Path) -> None:
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    opened.goto(file.as_uri())
    cells = opened.locator("#table-base-rates .number + :not(.number)")
    assert cells.count() > 1
    assert all(cell.evaluate("e => parseFloat(getComputedStyle(e).paddingLeft)") >= 8 for cell in cells.all())
    opened.close()
