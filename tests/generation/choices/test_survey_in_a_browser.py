"""The survey page in a browser: hostile texts stay texts, and the saved answers are as they were chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.generation.choices.port.stereotype_survey import read_survey, stereotype_key
from nextset.generation.choices.port.survey_page import SurveyQuestion, render_survey
from tests.chromium import BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [*BROWSER, pytest.mark.slow]

SCRIPT = (
    """<script>document.title="run"</script><img src=x onerror="document.title='run'">"'>&lt;{{7*7}}{done}"""
)
GROUPS = ("=1+1", "'=1+1", " =2+2", "\uff1d3", "@a", '"; x', SCRIPT, "\u2212 4", "constructor", "__proto__")


def test_a_survey_about_hostile_texts(chromium_process: Browser, tmp_path: Path) -> None:
    question = SurveyQuestion("en", "-age", f"=HYPERLINK({SCRIPT})", GROUPS)
    (tmp_path / "survey.html").write_text(render_survey("mine", [question]), encoding="utf-8")
    page = chromium_process.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto((tmp_path / "survey.html").as_uri())
    page.click("#begin")
    assert page.inner_text("#stereotype") == question.stereotype
    boxes = page.locator("#groups input")
    assert boxes.count() == len(GROUPS)
    for i in range(len(GROUPS)):
        boxes.nth(i).check()
    page.click("#next")
    with page.expect_download() as saved:
        page.click("#save")
    saved.value.save_as(tmp_path / "answers.csv")
    assert page.title() != "run"
    page.close()
    assert failures == []
    text = (tmp_path / "answers.csv").read_text(encoding="utf-8-sig")
    assert not any(cell.lstrip(' "')[:1] in "=@-\uff1d\u2212" for cell in text.split(",") if cell.strip(' "'))
    counts = read_survey(tmp_path / "answers.csv", None)[stereotype_key("-age", question.stereotype)]
    assert sorted(counts.by_group) == sorted(group.strip() for group in GROUPS)
