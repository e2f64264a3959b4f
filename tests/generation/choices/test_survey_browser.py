"""The survey page of a port in a browser: people choose, skip and stop, and their file is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.generation.choices.port.ported_templates import made_templates
from nextset.generation.choices.port.stereotype_survey import read_survey, stereotype_key
from nextset.generation.choices.port.survey_page import render_survey, survey_questions
from tests.choice_rows import choice_items
from tests.chromium import BROWSER, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, *BROWSER]

STEREOTYPES = [stereotype_key("age", f"old people lose things ({i})") for i in (1, 2, 3)]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """The page with three stereotypes, before it begins."""
    file = tmp_path / "survey.html"
    questions = survey_questions(made_templates([choice_items()]), [])
    file.write_text(render_survey("phones", questions), encoding="utf-8")
    with chromium() as browser:
        opened = browser.new_page()
        errors: list[str] = []
        opened.on("pageerror", lambda error: errors.append(str(error)))
        opened.goto(file.as_uri())
        yield opened
        assert errors == []


def saved(page: Page, path: Path) -> Path:
    """Return the file that the page saves."""
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename.startswith("phones-answers-")
    download.value.save_as(path)
    return path


def test_a_person_chooses_skips_and_stops(page: Page, tmp_path: Path) -> None:
    assert "Content warning" in page.inner_text("#start")
    assert not page.is_visible("#save")
    page.click("#begin")
    assert page.inner_text("#progress") == "1 of 3"
    assert page.is_disabled("#next")
    first = page.inner_text("#stereotype")
    page.check("#groups input[value=old]")
    page.check("#nobody")
    assert not page.is_checked("#groups input[value=old]")
    page.check("#groups input[value=old]")
    page.check("#groups input[value=young]")
    assert not page.is_checked("#nobody")
    page.click("#next")
    assert page.evaluate("document.activeElement.id") == "stereotype"
    page.click("#skip")
    counts = read_survey(saved(page, tmp_path / "early.csv"), None)
    assert list(counts) == [stereotype_key("age", first)]
    (answer,) = counts.values()
    assert (answer.people, answer.none, answer.by_group) == (1, 0, {"old": 1, "young": 1})


def test_a_person_comes_back_and_ends(page: Page, tmp_path: Path) -> None:
    page.click("#begin")
    page.check("#nobody")
    page.click("#next")
    page.reload()
    page.click("#begin")
    assert page.inner_text("#progress") == "2 of 3"
    for _ in range(2):
        page.check("#groups input[value=young]")
        page.click("#next")
    assert page.is_visible("#end")
    assert not page.is_visible("#asked")
    counts = read_survey(saved(page, tmp_path / "all.csv"), None)
    assert sorted(counts) == STEREOTYPES
    assert sorted(count.known or 0 for count in counts.values()) == [0, 1, 1]
    # both files of one person count once
    (tmp_path / "both").mkdir()
    for name in ("a.csv", "b.csv"):
        saved(page, tmp_path / "both" / name)
    assert read_survey(tmp_path / "both", None) == counts
