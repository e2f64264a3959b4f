"""The site of the docs builds without a broken link or missing anchor, and its pages are not too long."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.chromium import BROWSER, chromium
from tests.docs_pages import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MOST_WORDS = 1500
SEARCHES = {
    "filter.candidates": "reference/study_yaml.html",
    "reproduce": "explanation/resuming.html",
    "rater": "glossary.html#annotator",
    "adversarial filtering": "glossary.html#filter-model",
}
"""What a reader types into the search, and the address of a result."""


def _build(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(folder / "mkdocs.yml"),
        "-d",
        str(site),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = _build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_builds_and_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file()
    for page in (site / "notebooks").rglob("*.html"):
        assert not re.search(r'<a href="[^":]+\.(?:md|ipynb)', page.read_text(encoding="utf-8")), page
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', page.read_text("utf-8")
        )
        assert [address for address in loaded if "127.0.0.1" not in address] == [], page


class TestSearchFromAFile:
    """A setting by its name with dots, a job, and words of other tools, which the glossary names."""

    pytestmark = [*BROWSER, pytest.mark.slow]  # noqa: RUF012

    def test_the_search_finds_the_page(self, site: Path) -> None:
        with chromium() as browser:
            page = browser.new_page()
            for words, found in SEARCHES.items():
                page.goto(f"{(site / 'index.html').as_uri()}?q={quote(words)}")
                page.locator(f'.md-search-result__link[href*="{found}"]').first.wait_for(state="attached")


@pytest.mark.slow
@pytest.mark.parametrize("link", ["[a](missing.md)", "[a](glossary.md#missing)", "[a](../missing.py)"])
def test_a_broken_link_stops_the_build(tmp_path: Path, link: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# A page\n\n{link}\n", encoding="utf-8")
    (tmp_path / "docs" / "glossary.md").write_text("# Glossary\n\n## Item\n", encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:\n  - index.md")[0]
    settings += "nav: [index.md, glossary.md]\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    hook = (ROOT / "scripts" / "site_links.py").read_text(encoding="utf-8")
    (tmp_path / "scripts" / "site_links.py").write_text(hook, encoding="utf-8")
    done = _build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "missing" in done.stderr + done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_has_one_title_and_a_readable_size(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    assert len(re.findall(r"^# ", plain, re.M)) == 1
    if "reference" not in page.relative_to(DOCS).parts:
        assert len(text.split()) <= MOST_WORDS


def test_every_term_of_a_link_is_in_the_glossary() -> None:
    terms = re.findall(r"^## (.+)$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.M)
    known = {term.lower().replace(" ", "-") for term in terms}
    for page in PAGES:
        named = re.findall(r"glossary\.md#([\w-]+)", page.read_text(encoding="utf-8"))
        assert set(named) <= known, page
