"""The thinking that a page holds: beginnings of texts, up to a limit, in a fixed order, never as markup."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest

from nextset.auditing.audit_page import render
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.report.explorer_payload import compressed
from nextset.auditing.report.report_data import ReportData
from nextset.auditing.report.thought_figures import thought_section
from nextset.auditing.report.thought_payload import LONGEST, MOST_CHARACTERS, with_thoughts
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import table_of
from tests.auditing.report.conftest import HOSTILE
from tests.auditing.report.embedded_items import embedded
from tests.auditing.traces.traced_pairs import trace


def table(*traces: AnswerTrace) -> pa.Table:
    return table_of(traces, AnswerTrace)


def test_the_page_holds_the_beginnings_of_the_texts_about_its_items() -> None:
    """In the order of samples, wordings and items; hidden thinking has no text to show."""
    found = with_thoughts(
        {"ids": ["a", "b"]},
        [
            table(trace("b", "x" * (LONGEST + 5), wording=1), trace("a", "second", wording=2, tokens=7)),
            table(trace("a", "first"), trace("elsewhere", "no"), trace("b", "", wording=2, tokens=3)),
        ],
    )
    thoughts = found["thoughts"]
    assert (thoughts["places"], thoughts["wording"]) == ([0, 1, 0], [1, 1, 2])
    assert thoughts["texts"] == ["first", "x" * LONGEST, "second"]
    assert (thoughts["characters"], thoughts["tokens"]) == ([5, LONGEST + 5, 6], [None, None, 7])
    assert thoughts["answer"] == {"values": ["maybe"], "codes": [0, 0, 0]}
    assert found["note"] == ""


def test_without_thinking_the_payload_stays_as_it_is() -> None:
    payload = {"ids": ["a"]}
    assert with_thoughts(payload, []) is payload
    assert with_thoughts(payload, [table()]) is payload
    assert with_thoughts(payload, [table(trace("other", "text"))]) is payload


def test_the_first_wordings_come_first_if_not_all_fit() -> None:
    traces = [trace(item, "x" * 100, wording=w) for item in "abc" for w in (1, 2)]
    found = with_thoughts({"ids": list("abc"), "note": "A note."}, [table(*traces)], most=450)
    assert found["thoughts"]["wording"] == [1, 1, 1, 2]
    assert found["note"].startswith("A note. It holds the thinking before 4 of 6 answers")


@pytest.mark.slow
def test_a_page_stays_small_whatever_models_think() -> None:
    """3,000 items with thinking of 40,000 characters (10,000 tokens) in three wordings: 360 million
    characters. The page holds 4 million, in less than 3 MB."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrst", k=draw.randint(2, 9))) for _ in range(3000)]
    texts = [" ".join(draw.choices(words, k=6500)) for _ in range(20)]
    ids = [f"{i:032x}" for i in range(3000)]
    tables = (table(*(trace(item, draw.choice(texts)[i % 97 :], wording=w) for i, item in enumerate(ids)))
              for w in (1, 2, 3))  # fmt: skip
    found = with_thoughts({"ids": ids}, tables)
    assert sum(map(len, found["thoughts"]["texts"])) <= MOST_CHARACTERS
    assert len(compressed(found)) < 3_000_000


@pytest.fixture(scope="module")
def thinking_report(item_report: ReportData) -> ReportData:
    """The report of NLI items with hostile thinking about its items, and measures of it."""
    assert item_report.explorer is not None
    ids = item_report.explorer["ids"]
    traces = table(*(trace(item, f"{HOSTILE} {'long ' * 600}", model=f"m{HOSTILE}") for item in ids))
    rows = [
        measure("trace_answer", 0.5), measure("trace_names_group", -0.1), measure("trace_characters", 1234.5),
        measure("trace_characters", 1200.0, by="group", part=f"group {HOSTILE}"),
        measure("trace_characters_gap", 30.25), measure("trace_tokens", None),
    ]  # fmt: skip
    audit = replace(item_report.audit, measures=[*item_report.audit.measures, *rows])
    return replace(item_report, audit=audit, explorer=with_thoughts(item_report.explorer, [traces]))


def measure(name: str, value: float | None, by: str = "all", part: str = "all") -> MeasureRow:
    ends = (None, None) if value is None else (value - 0.01, value + 0.01)
    return MeasureRow(
        form="nli", items="released", selection="measured", subject_class="", by=by, part=part, model="m",
        role="audit", measure=name, value=value, low=ends[0], high=ends[1], n=72, clusters=9, note=None,
    )  # fmt: skip


def test_hostile_thinking_is_never_markup(thinking_report: ReportData) -> None:
    page = render(thinking_report)
    assert "<script>alert" not in page
    assert HOSTILE in embedded(page)["thoughts"]["texts"][0]


def test_the_section_has_the_measures_and_nothing_else_changes(
    item_report: ReportData, thinking_report: ReportData
) -> None:
    page, plain = render(thinking_report), render(item_report)
    section = page[page.index('id="thinking"') :].partition("</section>")[0]
    for text in ("Thinking before answers", "1234.50 [1234.49, 1234.51]", "30.25 [30.24, 30.26]", "−10.0 "):
        assert text in section, text
    assert 'id="thinking"' not in plain
    before = plain.partition("</main>")[0].partition('id="explorer"')[0]
    assert before.partition("<section")[2].partition('id="survival"')[0] in page  # no other table has them


def test_there_is_no_section_without_thinking(item_report: ReportData) -> None:
    section = thought_section(item_report.audit.measures)
    assert (section.figures, section.more, section.tables) == ((), (), ())
