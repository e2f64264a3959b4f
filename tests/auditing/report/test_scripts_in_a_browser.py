"""The explorer with questions in several scripts: their direction, their order and their search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from nextset.auditing.audit_page import render
from nextset.auditing.report.quad_payload import quad_payload
from nextset.auditing.report.report_data import ReportData
from nextset.records.arrow_schema import arrow_schema
from nextset.records.question_quads import MaskedStatement, QuestionQuad
from tests.auditing.report.conftest import quads_and_scores
from tests.chromium import BROWSER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [*BROWSER, pytest.mark.slow]

TEXTS = {
    "ar": ("في الحفلة، التقت مريم بوليد.", "من عمل في البيع؟", ("مريم", "وليد")),
    "fa": ("دیروز مینا را دیدیم و می\u200cخندید.", "چه کسی خندید؟", ("مینا", "آرش")),
    "zh": ("聚会上，有人把秀英介绍给了志强。", "谁当过小提琴手？", ("秀英", "志强")),
    "tr": ("İnci dün Işıl ile ISPARTA’da konuştu.", "Kim geç kaldı?", ("İnci", "Işıl")),
    "hi": ("शादी में राम और मोहन मिले।", "किसने देर की?", ("राम", "मोहन")),
}
"""By language a context, a question and the subjects."""

SIDES = """passage => {
    const text = [...passage.childNodes].find(node => node.nodeType === Node.TEXT_NODE);
    const box = (from, to) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, to);
        return range.getBoundingClientRect();
    };
    const [first, last] = [box(0, 1), box(text.length - 1, text.length)];
    return { begin: (first.left + first.right) / 2, end: (last.left + last.right) / 2, y: first.top };
}"""
"""The places of the first and of the last letter of a passage."""


def quads() -> tuple[pa.Table, pa.Table]:
    table, scores = quads_and_scores()
    rows: list[dict[str, Any]] = []
    for (language, (context, question, subjects)), row in zip(TEXTS.items(), table.to_pylist(), strict=False):
        texts = {
            "context_12": context,
            "context_21": context,
            "question": question,
            "question_negated": question,
        }
        names = {"subject1": subjects[0], "subject2": subjects[1], "subject_class": "names"}
        rows.append({**row, "language": language, **texts, **names})
    return pa.Table.from_pylist(rows, arrow_schema(QuestionQuad)), scores


@pytest.fixture(scope="module")
def opened(
    chromium_process: Browser, quad_report: ReportData, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    table, scores = quads()
    data = replace(quad_report, explorer=quad_payload(table, [scores]))
    yield from shown(chromium_process, data, tmp_path_factory.mktemp("page"))


@pytest.fixture
def page(opened: Page) -> Page:
    """The page with all questions listed."""
    assert len(search(opened, "")) == len(TEXTS)
    return opened


def shown(browser: Browser, data: ReportData, folder: Path) -> Iterator[Page]:
    path = folder / "page.html"
    path.write_text(render(data), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1366, "height": 900})
    page.goto(path.as_uri())
    page.locator("#explorer-open").click()
    yield page
    page.close()


def search(page: Page, text: str) -> list[str]:
    """Return the questions that a search leaves."""
    page.get_by_label("Search").fill(text)
    return page.locator("#explorer-list .passage").all_inner_texts()


@pytest.mark.parametrize("language", TEXTS)
def test_texts_begin_where_their_readers_begin(page: Page, language: str) -> None:
    place = list(TEXTS).index(language)
    page.locator("#explorer-list [role=option]").nth(place).click()
    lines = page.locator("#explorer-item ol li")
    lines.nth(3).wait_for()
    assert lines.count() == 4
    for line in (*lines.all(), page.locator("#explorer-list [role=option]").nth(place)):
        passages: list[Locator] = line.locator(".passage").all()
        sides = [passage.evaluate(SIDES) for passage in passages]
        for passage, side in zip(passages, sides, strict=True):
            assert passage.get_attribute("lang") == language
            right_to_left = language in ("ar", "fa")
            assert (side["begin"] > side["end"]) == right_to_left
        # the context stands above the question, not beside it
        assert [s["y"] for s in sides] == sorted(s["y"] for s in sides)
        assert len({s["y"] for s in sides}) == len(sides)


def test_a_sentence_that_begins_with_the_mask_keeps_its_direction(
    browser: Browser, quad_report: ReportData, tmp_path: Path
) -> None:
    table, scores = quads()
    row = {k: v for k, v in table.to_pylist()[0].items() if not k.startswith("question")}
    row |= {
        "statement": "{{MASK}} عمل في البيع.",
        "statement_negated": "{{MASK}} لم يعمل.",
        "candidate1": "مريم",
    }
    row |= {"candidate2": "وليد"}
    statements = pa.Table.from_pylist([row], arrow_schema(MaskedStatement))
    data = replace(quad_report, explorer=quad_payload(statements, [scores]))
    for page in shown(browser, data, tmp_path):
        side = page.locator("#explorer-list .passage").first.evaluate(SIDES)
        assert side["begin"] > side["end"]


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("بوليد", "ar"),
        ("الحفلةُ، التقت", "ar"),  # with a vowel point
        ("介绍给", "zh"),
        ("小提琴", "zh"),
        ("inci", "tr"),
        ("INCI", "tr"),
        ("İNCİ", "tr"),
        ("ışıl", "tr"),
        ("IŞIL", "tr"),
        ("isparta", "tr"),
        ("राम और", "hi"),
        ("می\u200cخندید", "fa"),
    ],
)
def test_a_search_finds_texts_of_every_script(page: Page, query: str, language: str) -> None:
    assert search(page, query) == [TEXTS[language][1]]


def test_a_vowel_sign_makes_another_word(page: Page) -> None:
    assert search(page, "मोहन मिला") == []


def test_subjects_are_in_the_order_of_their_language(
    browser: Browser, quad_report: ReportData, tmp_path: Path
) -> None:
    table, scores = quads_and_scores()
    names = ("Zeynep", "Çağla", "Cem", "İnci", "Ilgın", "Şule", "Sibel")
    rows = [
        {**row, "language": "tr", "subject1": name, "subject2": "Zuhal"}
        for name, row in zip(names, table.to_pylist(), strict=False)
    ]
    turkish = pa.Table.from_pylist(rows, arrow_schema(QuestionQuad))
    data = replace(quad_report, explorer=quad_payload(turkish, [scores]))
    for page in shown(browser, data, tmp_path):
        options = page.get_by_label("Subject").locator("option").all_inner_texts()
        # c ç, ı i, s ş: letters of their own, in this order
        expected = ["all", "Cem", "Çağla", "Ilgın", "İnci", "Sibel", "Şule", "Zeynep", "Zuhal"]
        assert options == expected
