"""Take the pictures of the audit report, and of the pages on interventions and on retrieval.

python scripts/report_pictures.py ITEMS.html QUESTIONS.html INTERVENTIONS.html RETRIEVAL.html FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
MOST_BYTES = 300_000
"""The maximum size of a picture in the repository."""


def main(items: Path, questions: Path, interventions: Path, retrieval: Path, folder: Path) -> None:
    """Write five pictures to ``folder``; raises SystemExit if one is too large."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = _opened(browser, items)
        page.screenshot(path=folder / "report-first-screen.png")
        _explore(page)
        page.locator("section", has=page.locator("#explorer")).screenshot(path=folder / "report-explorer.png")
        page = _opened(browser, questions)
        section = page.locator("section", has=page.locator("#preferences-question")).locator(".plots").first
        section.screenshot(path=folder / "report-questions.png")
        page = _opened(browser, interventions)
        page.screenshot(path=folder / "interventions-first-screen.png")
        page = _opened(browser, retrieval)
        page.screenshot(path=folder / "retrieval-first-screen.png")
        browser.close()
    names = ("report", "interventions", "retrieval")
    pictures = [path for name in names for path in folder.glob(f"{name}-*.png")]
    large = [path.name for path in pictures if path.stat().st_size > MOST_BYTES]
    if large:
        raise SystemExit(f"larger than {MOST_BYTES:,} bytes: {', '.join(large)}")


def _opened(browser: Browser, file: Path) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(file.absolute().as_uri())
    return page


def _explore(page: Page) -> None:
    """Read the warning, and open the first of the items that a model gets wrong."""
    page.click("#explorer-open")
    filters = page.locator("#explorer-filters")
    filters.get_by_label("Prediction").select_option("wrong")
    page.locator("#explorer-list [role=option]").first.click()
    page.locator("#explorer-item h3").wait_for()
    page.evaluate("document.activeElement.blur()")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:6]))
