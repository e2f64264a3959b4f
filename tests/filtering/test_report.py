"""The filter's page and its plots: hostile text stays text, numbers stand beside the marks."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from nextset.filtering.balance import BalanceRow
from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.controls import ControlRow
from nextset.filtering.plots import Ends, gap_plot, overlap_plot, shift_plot, survival_plot
from nextset.filtering.report import FilterReport, SampledRow, render
from nextset.filtering.survival import ANY, OverlapRow
from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.filter_tables import AccuracyRow, GapRow, SurvivalRow

HOSTILE = "<script>alert('x')</script> \"&\u202e"
SVG = "{http://www.w3.org/2000/svg}"

DATA = FilterReport(
    study=HOSTILE,
    form="nli",
    rule=HOSTILE,
    scored=HOSTILE,
    pairs="whole",
    balanced="nothing is rejected for balance",
    cascade=False,
    candidates=12_345,
    kept=4_321,
    with_pair=7,
    reasons=((HOSTILE, 8_024),),
    survival=tuple(SurvivalRow("domain", p, m, 50, 20) for p in (HOSTILE, "race") for m in (ANY, HOSTILE)),
    overlap=(OverlapRow((HOSTILE,), 40, 40), OverlapRow((), 60, 0)),
    models=(HOSTILE, "other"),
    shifts=(
        AccuracyRow(HOSTILE, "filter", 0.9, 0.25, 100, 40),
        AccuracyRow("o", "held_out", 0.8, None, 9, 0),
    ),
    gap=(
        GapRow("gap_after", 0.125, 0.1, 0.15, "items", 100),
        GapRow("filter_shift", None, None, None, "x", 1),
    ),
    balance=(BalanceRow("stance", HOSTILE, 50, 20, 0.5, 0.75, f"{HOSTILE} shifted"),),
    conclusions=(
        ConclusionRow("held_out", HOSTILE, -0.069, -0.089, -0.048, False, f"On the kept items, {HOSTILE}."),
        ConclusionRow("interval", HOSTILE, -0.069, -0.1, 0.1, True, f"the interval of {HOSTILE} includes 0"),
    ),
    controls=(ControlRow(HOSTILE, "held_out", 254, 535),),
    sample=(
        SampledRow(HOSTILE, (HOSTILE, "A premise.", "neutral"), {"entailment": [(HOSTILE, "filter")]}),
        SampledRow(
            "b", ("P.", "H.", "neutral"), {"neutral": [("o", "held_out")], "not asked": [("f", "filter")]}
        ),
    ),
)


def texts(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.slow
def test_hostile_text_is_text_and_keeps_its_direction() -> None:
    page = render(DATA)
    assert "<script" not in page
    body = re.sub(r"<svg.*?</svg>|<title>.*?</title>", "", page, flags=re.S)
    for found in re.finditer("\u202e", body):
        before = body[: found.start()]
        assert before.rfind("<bdi>") > before.rfind("</bdi>")
    assert render(DATA) == page


def test_it_warns_and_asks_for_nothing() -> None:
    page = render(DATA)
    assert page.index(CONTENT_WARNING[:40]) < page.index("<main>")
    assert not re.search(r"url\(|@import|src=|href=(?!\"#)", page)


@pytest.mark.slow
def test_what_it_says() -> None:
    page = render(DATA)
    assert "The filter kept 4,321 of 12,345 candidate items" in page
    assert "Kept only because of their pair: 7." in page
    assert "No model is held out" in render(replace(DATA, gap=()))
    assert "kept or rejected individually" in render(replace(DATA, pairs="apart"))
    assert "In a cascade" in render(replace(DATA, cascade=True))
    assert "underspecified statement has no right answer" in render(
        replace(DATA, form="statement", shifts=())
    )


def test_a_page_without_intervals_speaks_of_none() -> None:
    few = tuple(replace(row, low=None, high=None, drawn="templates", n=4) for row in DATA.gap)
    page = render(replace(DATA, gap=few))
    assert (
        "There is no interval: 4 templates, or the templates of the kept items, are too few; at least 5"
        in page
    )
    assert not re.search("95 % interval|bootstrap", page)
    assert "means in per cent, with 95 % intervals" in render(DATA)


def test_the_page_begins_with_what_held_out_models_say() -> None:
    page = render(DATA)
    sentence, warned = page.index("On the kept items, "), page.index("The interval of ")
    assert page.index("<h1>") < sentence < page.index(CONTENT_WARNING[:40]) < page.index("<main>")
    assert page.index("<main>") < warned < page.index('<h2 id="rule">')
    assert "47.5" in page[page.index("Test items, whose labels are known") :]
    assert "Test items" not in render(replace(DATA, controls=()))


def test_the_page_shows_kept_items_and_which_model_said_what() -> None:
    page = render(DATA)
    shown = page[page.index('id="sample"') : page.index('id="overlap"')]
    assert CONTENT_WARNING[:40] in shown
    assert "<td><bdi>P.</bdi></td><td><bdi>H.</bdi></td><td><bdi>neutral</bdi></td>" in shown
    said = '<strong><bdi>neutral</bdi></strong>: <bdi>o</bdi> <span class="tag">held out</span>; '
    assert f"{said}<strong><bdi>not asked</bdi></strong>: <bdi>f</bdi></td>" in shown
    assert 'id="sample"' not in render(replace(DATA, sample=()))


def test_what_is_warned_of_stands_first_in_a_long_balance() -> None:
    rows = [BalanceRow("group", f"g{i:02}", 50 + i, 20, 0.02, 0.02, None) for i in range(50)]
    rows[-1] = replace(rows[-1], part="women and men", candidates=1, warning="shifted")
    page = render(replace(DATA, balance=tuple(rows)))
    assert page.index(">women and men<") < page.index(">g48<") < page.index(">g47<")
    assert ">g00<" not in page
    assert "Smaller parts that are only in the table balance of out/filter: 10." in page


@pytest.mark.slow
def test_built_in_models_are_for_no_conclusions() -> None:
    assert "never for conclusions" not in render(DATA)
    small = (AccuracyRow("builtin:nli-bart", "held_out", 0.9, 0.8, 9, 5),)
    assert "<code>builtin:nli-bart</code>: small models for trying the tool" in render(
        replace(DATA, shifts=small)
    )


@pytest.mark.slow
def test_what_is_kept_is_called_so() -> None:
    assert "<bdi>kept</bdi>" in render(DATA)
    assert "<bdi>any</bdi>" not in render(DATA)


@pytest.mark.slow
def test_no_plot_of_what_no_model_finds_hard() -> None:
    assert render(DATA).count("<svg") == 4
    assert render(replace(DATA, overlap=(OverlapRow((), 60, 0),))).count("<svg") == 3


@pytest.mark.parametrize("n", [0, 1, 60])
def test_pages_of_any_size_are_made(n: int) -> None:
    rows = tuple(SurvivalRow("domain", f"d{i}", ANY, i, 0) for i in range(n))
    page = render(replace(DATA, survival=rows, overlap=(), shifts=(), gap=(), balance=(), reasons=()))
    assert ("Smaller parts that are only in the table survival: 20." in page) == (n == 60)


def test_numbers_stand_beside_the_marks() -> None:
    drawn = overlap_plot([OverlapRow(("a",), 12_345, 1), OverlapRow(("a", "b"), 7, 1)], ["a", "b"])
    assert {"12k", "7", "a", "b"} <= set(texts(drawn))
    assert "b (held out)" in texts(overlap_plot([OverlapRow(("a",), 1, 1)], ["a", "b"], {"b"}))
    assert "20.0% (1 of 5)" in texts(survival_plot([("race", 5, 1)], "domain"))
    assert {"90.0%", "25.0%"} <= set(texts(shift_plot([Ends("m", 0.9, 0.25)], "t", 8, 4)))
    said = texts(gap_plot(DATA.gap, {"gap_after": "Gap", "filter_shift": "Shift"}, "t"))
    assert "Gap: +12.5 (+10.0 to +15.0)" in said
    assert not [text for text in said if text.startswith("Shift")]


def test_two_renders_are_equal_and_speak() -> None:
    rows = [OverlapRow((HOSTILE,), 3, 1)]
    svg = overlap_plot(rows, [HOSTILE])
    assert overlap_plot(rows, [HOSTILE]) == svg
    assert HOSTILE in ElementTree.fromstring(svg).attrib["aria-label"]


def test_nothing_to_draw_is_an_empty_plot() -> None:
    for svg in (
        overlap_plot([], []),
        survival_plot([], "x"),
        shift_plot([], "x", 0, 0),
        gap_plot([], {}, "x"),
    ):
        assert svg.startswith("<svg")
