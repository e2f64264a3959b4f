"""The filter's pages in headless Chromium: on a phone and a wide screen, with texts that are long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.controls import ControlRow
from nextset.filtering.report import render
from nextset.filtering.rule_comparison import HeldOutDropRow, RuleRow
from nextset.filtering.rule_comparison_page import RuleComparison
from nextset.filtering.rule_comparison_page import render as render_comparison
from nextset.records.filter_tables import AccuracyRow
from tests.chromium import BROWSER, chromium
from tests.filtering.test_report import DATA
from tests.page_checks import faint_marks, faint_texts, tables_without_hint, unnamed_images

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, *BROWSER]

MODELS = ("OWNER/electra-large-discriminator-snli_mnli_fever_anli", "builtin:nli-roberta", "builtin:nli-bart")
RULES = (
    "any_wrong",
    "majority_wrong",
    "{lowest_neutral: 0.05}",
    "{any_of: [any_wrong, {margin_below: 0.1}]}",
)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


def report() -> str:
    said = "On the kept items, the held-out model {} is 6.9 points worse [−8.9, −4.8]: the items are hard."
    return render(
        replace(
            DATA,
            study="mine",
            models=MODELS,
            shifts=tuple(AccuracyRow(model, "held_out", 0.8, 0.7, 9, 5) for model in MODELS),
            conclusions=(
                *(
                    ConclusionRow("held_out", m, -0.069, -0.089, -0.048, False, said.format(m))
                    for m in MODELS
                ),
                ConclusionRow("controls", None, None, None, None, True, f"two thirds: {', '.join(MODELS)}"),
            ),
            controls=tuple(ControlRow(model, "filter", 254, 535) for model in MODELS),
        )
    )


def comparison() -> str:
    rules = [
        RuleRow(rule, rule == RULES[1], 0.149, 0.506, 0.146, 0.09, 0.202, MODELS[0], 0.077, 0.007, 0.151)
        for rule in RULES
    ]
    cases = [
        HeldOutDropRow(rule, model, 20_727, 3_036, 0.5, 0.15, 0.1, 0.2, "stereotypes", 16)
        for rule in RULES
        for model in MODELS
    ]
    return render_comparison(RuleComparison("mine", "whole", rules, cases))


def test_a_wide_table_takes_the_room_on_its_right(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.write_text(comparison(), encoding="utf-8")
    page.set_viewport_size({"width": 1200, "height": 800})
    page.goto(file.as_uri())
    cut = page.locator(".scroll").first.evaluate("box => box.scrollWidth - box.clientWidth")
    assert cut == 0


@pytest.mark.parametrize("width", [375, 1000, 1280])
@pytest.mark.parametrize("made", [report, comparison])
def test_it_fits_the_screen_and_can_be_read(page: Page, tmp_path: Path, made: object, width: int) -> None:
    assert callable(made)
    file = tmp_path / "index.html"
    file.write_text(made(), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(file.as_uri())
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    assert unnamed_images(page) == []
    assert faint_texts(page) == []
    assert faint_marks(page) == []
    assert tables_without_hint(page) == []
    first = page.locator("header p").first.bounding_box()
    assert first is not None
    assert first["y"] < 800
