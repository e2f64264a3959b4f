"""The report as text: what stands in it, that nothing is unescaped, that it asks for nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from nextset.auditing.report import ReportData, per_cent, render
from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.svg import CELL_INK, DARK, HOLLOW

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """The tags of a page, checked to be closed in order, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def html(report_data: ReportData) -> str:
    return render(report_data)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_same_data_give_the_same_bytes(report_data: ReportData, html: str) -> None:
    assert render(report_data) == html


def test_every_tag_is_closed_and_there_is_one_heading(page: Page) -> None:
    assert page.open == []
    assert len(page.all("h1")) == 1
    assert len(page.all("caption")) == len(page.all("table")) >= 6
    assert all(th.get("scope") in ("col", "row", "colgroup") for th in page.all("th"))


def test_it_asks_for_nothing(page: Page, html: str) -> None:
    for tag in ("script", "link", "img", "iframe", "object", "form"):
        assert page.all(tag) == []
    assert not re.search(r"url\(|@import|src=|href=(?!\"#)", html)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_a_list_of_contents_links_to_every_section(page: Page, html: str) -> None:
    sections = [attrs["id"] for attrs in page.all("h2") if "id" in attrs]
    assert [attrs["href"] for attrs in page.all("a")] == [f"#{name}" for name in sections]
    assert html.index("<nav") < html.index("<main>")
    assert len(sections) >= 5


def test_each_plot_is_one_image_whose_colours_are_known_in_dark_mode(html: str) -> None:
    plots = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(plots) == 4
    for plot in plots:
        assert re.findall(r" (?:role|aria-[a-z]+)=", plot) == [" role=", " aria-label="]
        colours = set(re.findall(r'(?:fill|stroke)="(#[0-9A-Fa-f]+)"', plot))
        # the cells of a heat map, with their edges and numbers, are the same in dark mode
        assert colours <= {*DARK, HOLLOW, CELL_INK, "#999999"}


def test_hostile_text_is_text(report_data: ReportData, page: Page, html: str) -> None:
    hypothesis = report_data.examples[0].hypothesis
    assert "<script>alert('x')</script>" in hypothesis
    assert "<script" not in html
    assert re.sub(r"\s+", " ", hypothesis) in page.text
    assert report_data.about in unescape(html)


def test_every_text_from_data_keeps_its_direction_to_itself(html: str) -> None:
    for found in re.finditer("\u202e", html):
        before = html[: found.start()]
        assert before.rfind("<bdi>") > before.rfind("</bdi>")


def test_the_warning_stands_above_the_examples_which_are_closed(page: Page, html: str) -> None:
    warning, examples = html.rindex(CONTENT_WARNING[:40]), html.index("released items and the")
    assert warning < examples
    assert html.count(CONTENT_WARNING[:40]) == 2
    assert all("open" not in attrs for attrs in page.all("details"))


def test_without_examples_there_is_no_such_section(report_data: ReportData) -> None:
    assert "Examples" not in Page(render(replace(report_data, examples=()))).text


def test_who_judged_is_said(report_data: ReportData, page: Page) -> None:
    assert "Nobody judged these hypotheses (judge: rule)." in page.text
    assert "Nobody judged" not in Page(render(replace(report_data, judge="people"))).text


def test_built_in_models_are_said_to_be_for_trying(report_data: ReportData, page: Page) -> None:
    assert "small models for trying the tool, never for conclusions" in page.text
    own = tuple(m for m in report_data.models if not m.model.startswith("builtin:"))
    assert "Built-in models." not in Page(render(replace(report_data, models=own))).text


def test_figures_in_the_tables(page: Page) -> None:
    # builtin:nli-electra misses every second of 72 items of the new set
    assert "50.00" in page.text
    # any: 20 of 40 candidates in each of three domains
    assert "kept by the rule 50.00 50.00 50.00 50.00" in page.text
    assert "Plain expansion, all models, accuracy: left out: 1 that name no group." in page.text


def test_what_a_model_with_two_labels_cannot_have_is_said(page: Page) -> None:
    refused = "aggregate, pro, anti, counterfactual pro, counterfactual anti, counterfactual error"
    note = "needs contradiction, and owner/two-labels has two labels."
    who = "owner/two-labels"
    assert f"Released dataset, {who}, {refused}, counterfactual misprediction: {note}" in page.text
    assert "owner/two-labels audit only – – – – – – – 72" in page.text
    assert "owner/two-labels not_entailment" in page.text


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (0.1498, "14.98"), (-0.05, "−5.00"), (1, "100.00"), (0, "0.00")]
)
def test_per_cent(value: float | None, shown: str) -> None:
    assert per_cent(value) == shown
