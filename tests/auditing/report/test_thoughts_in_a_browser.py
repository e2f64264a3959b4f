"""Thinking in the explorer: folded, after the warning, as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.auditing.audit_page import render
from nextset.auditing.report.report_data import ReportData
from nextset.auditing.report.thought_payload import LONGEST, with_thoughts
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import table_of
from tests.auditing.report.conftest import HOSTILE
from tests.auditing.traces.traced_pairs import trace
from tests.chromium import BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [*BROWSER, pytest.mark.slow]


def test_thinking_is_folded_and_shown_as_text(
    item_report: ReportData, quad_report: ReportData, browser: Browser, tmp_path: Path
) -> None:
    said: list[str] = []
    for name, report in (("items", item_report), ("quads", quad_report)):
        assert report.explorer is not None
        first = report.explorer["ids"][0]
        text = f"{HOSTILE}\nsecond line {'x' * LONGEST}"
        thinking = table_of([trace(first, text, tokens=1234, conclusion="yes", input=2)], AnswerTrace)
        data = replace(report, explorer=with_thoughts(report.explorer, [thinking]))
        (tmp_path / f"{name}.html").write_text(render(data), encoding="utf-8")
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append("a dialog"))
        page.goto(f"{(tmp_path / f'{name}.html').as_uri()}#item={first}")
        assert "second line" not in page.locator("body").inner_text()
        page.get_by_role("button", name="I have read the warning").click()
        folded = page.locator("#explorer-item details.thinking")
        folded.first.wait_for()
        assert folded.count() == 1
        which = "text 3, wording 1" if name == "quads" else "wording 1"
        title = f"Thinking of m ({which}, 1,234 tokens). It concludes: yes. Answer: maybe"
        assert folded.locator("summary").inner_text() == title
        assert folded.locator(".passage").is_hidden()
        folded.locator("summary").click()
        assert folded.locator(".passage").text_content() == text[:LONGEST]
        left = f"{len(text) - LONGEST} more are in the table traces"
        assert left in folded.locator(".quiet").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert said == []
        page.close()
