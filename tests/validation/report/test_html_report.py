"""The report's page: what it says, what it never says, the same bytes."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.html.content_warning import CONTENT_WARNING
from nextset.validation.report.html_report import MOST, render
from nextset.validation.report.report_records import NotCounted, ValidationReport
from nextset.validation.verdict_model.expected_valid import expected_without_verdicts
from tests.validation.report.example import HOSTILE, PEOPLE, REPORT

EMPTY = ValidationReport(
    study="empty", form="nli", sessions=(), judgments=0, units_with=(), domains=(), people=(), agreement=(),
    judges=(), confusion=(), speed=(), disagreements=(), exposure=(), totals=(), budget=None, problems=(),
    expected=expected_without_verdicts(0), templates=(), postpone_below=None, validator=None,
    features=(),
)  # fmt: skip


class _Read(HTMLParser):
    """The text of a page as a reader sees it, the names of its tags, and where its links go."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "data", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def html() -> str:
    return render(REPORT)


@pytest.fixture(scope="module")
def page(html: str) -> _Read:
    return _Read(html)


@pytest.mark.slow
def test_the_same_data_give_the_same_bytes(html: str) -> None:
    assert render(REPORT) == html


def test_it_needs_nothing_and_runs_nothing(page: _Read, html: str) -> None:
    assert CONTENT_WARNING in page.text
    assert not {"script", "link", "img", "iframe", "form"} & set(page.tags)
    assert page.addresses
    assert all(address.startswith("#") for address in page.addresses)
    assert "default-src 'none'" in html


def test_nobody_is_told_of_the_pay(html: str) -> None:
    assert "payable" not in html
    assert "pay" not in _Read(html).text.lower().split()


def test_comments_are_text(page: _Read, html: str) -> None:
    assert page.text.count(HOSTILE) == 5  # text, reason, comment, problem, template
    assert "<script>alert" not in html


def test_undefined_is_explained(page: _Read) -> None:
    assert "undefined (–), since every vote is the same" in page.text
    assert "units excluded with a different number: 14" in page.text


@pytest.mark.slow
def test_the_validator_is_marked(page: _Read) -> None:
    after = page.text[page.text.index("Estimate of the remaining verdicts") :]
    assert after.startswith("Estimate of the remaining verdicts machine-made")
    assert "Its predictions are not judgments." in after
    assert "about 17 valid (95 %: 12 to 23)" in after
    assert REPORT.validator is not None
    worse = replace(
        REPORT.validator, better=False, orders=False, remaining=None, remaining_low=None, remaining_high=None
    )
    text = _Read(render(replace(REPORT, validator=worse))).text
    assert "not better than the shares of the verdicts" in text
    assert "it neither orders nor estimates anything" in text
    assert "would call about" not in text
    assert "an hour gives" not in text
    ranks = _Read(render(replace(REPORT, validator=replace(worse, orders=True)))).text
    assert "so it can order the queue" in ranks
    assert "would call about" not in ranks
    assert "one hour gives 152 valid units" in ranks


def test_templates_whose_units_wait_are_listed(page: _Read) -> None:
    after = page.text[page.text.index("Valid share by template") :]
    assert "29 hypotheses wait at the end of the queue" in after
    assert "the whole interval of their template is below 20.0 %" in after
    # 1 of 30
    assert f"s: {HOSTILE}603013.30.1 to 18.129" in re.sub(r"\n\s*", "", after)
    assert "relative_fluency0 of 2140" in re.sub(r"\n\s*", "", after)


def test_what_can_be_expected_has_its_ground(page: _Read) -> None:
    assert "Of 214 hypotheses about 121 can be expected to be valid (95 %: 116 to 127)" in page.text
    assert "Of the 183 with a verdict, 104 are valid; the verdict model estimates the others" in page.text
    assert (
        "None of the 0 hypotheses has a verdict, so it is unknown how many are valid"
        in _Read(render(EMPTY)).text
    )
    assert "one hour gives 152 valid units (95 %: 134 to 167); in shuffled order it gives 114" in page.text


def test_people_are_pseudonyms_everywhere(page: _Read) -> None:
    for person in PEOPLE[:4]:
        assert page.text.count(person) >= 4


def test_plots_are_told_to_those_who_do_not_see_them(html: str) -> None:
    pictures = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"[^>]*><title>', html)
    assert len(pictures) == html.count("<svg ") == 9
    assert any("gender: 77% (71 of 92)" in said for said in pictures)
    assert any("valid and valid: 135" in said for said in pictures)  # 60 + 63 + 12


@pytest.mark.slow
def test_of_many_disagreements_some_are_shown() -> None:
    one = REPORT.disagreements[0]
    many = tuple(replace(one, unit_id=f"{i:032x}") for i in range(MOST + 12))
    text = _Read(render(replace(REPORT, disagreements=many))).text
    assert text.count(one.texts[0]) == MOST
    assert "12 more hypotheses are divided" in text


def test_a_study_that_nobody_has_judged() -> None:
    text = _Read(render(EMPTY)).text
    for said in ("There are no disagreements so far", "No items have been read yet", "Every answer counts"):
        assert said in text
    assert "machine-made" not in text


@pytest.mark.slow
@given(st.text(min_size=1, max_size=80))
@settings(max_examples=8)
def test_any_text_shows_as_text(written: str) -> None:
    read = _Read(render(replace(EMPTY, problems=(NotCounted(written, 1),))))
    tags = _Read(render(replace(EMPTY, problems=(NotCounted("x", 1),)))).tags
    assert read.tags == tags
