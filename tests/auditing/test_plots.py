"""The plots: well-formed, the same each time, their numbers written out, hostile names as text."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pyarrow as pa
import pytest

from nextset.auditing.nli.measure_table import MeasureRow, measure
from nextset.auditing.plots import (
    StageCount,
    accuracy_by_domain,
    accuracy_plain_and_new,
    bias_by_model,
    survival_by_stage,
)
from nextset.records.arrow_schema import arrow_schema

SVG = "{http://www.w3.org/2000/svg}"
NOTHING = arrow_schema(MeasureRow).empty_table()


def texts(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture
def plots(audit: Any) -> list[str]:
    return draw(audit)


def draw(audit: Any) -> list[str]:
    new = measure(audit.new, [audit.new_scores])
    return [
        survival_by_stage([StageCount("fill", 4156), StageCount("filter", 0)]),
        accuracy_plain_and_new(measure(audit.plain, [audit.plain_scores]), new),
        bias_by_model(new),
        accuracy_by_domain(measure(audit.new, [audit.new_scores], by="domain")),
    ]


def test_two_renders_are_equal(audit: Any, plots: list[str]) -> None:
    assert draw(audit) == plots


def test_they_fill_their_container_and_speak(plots: list[str]) -> None:
    for svg in plots:
        root = ElementTree.fromstring(svg)
        assert "viewBox" in root.attrib
        assert "width" not in root.attrib
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"] == root.findtext(f"{SVG}title")


def test_several_can_stand_in_one_page_and_none_asks_for_anything(plots: list[str]) -> None:
    for svg in plots:
        for element in ElementTree.fromstring(svg).iter():
            assert element.tag not in (f"{SVG}script", f"{SVG}image", f"{SVG}style", f"{SVG}a")
            assert not {"id", "href"} & element.attrib.keys()


def test_numbers_stand_beside_the_marks(plots: list[str]) -> None:
    assert "4,156" in texts(plots[0])
    assert "0" in texts(plots[0])
    # builtin:nli-electra misses every second of 72 items: accuracy 50 %
    assert "50.0%" in texts(plots[1])
    assert any(t.startswith("error ") and t.endswith("%") for t in texts(plots[2]))
    assert {"gender", "race", "religion"} <= set(texts(plots[3]))


def test_the_held_out_model_is_marked(plots: list[str]) -> None:
    for svg in plots[1:]:
        assert "builtin:nli-albert (held out)" in texts(svg)


def test_a_model_with_two_labels_has_its_accuracy_and_no_bars(plots: list[str]) -> None:
    assert all("owner/two-labels" in texts(svg) for svg in plots[1:])
    # (shift 2) + 3: every fifth of 72 items not neutral: 15, of these 8 entailment: 64 right
    assert "88.9%" in texts(plots[1])
    assert texts(plots[2]).count("pro not measured") == 1
    assert not [t for t in texts(plots[2]) if "undefined" in t]


def test_a_hostile_name_is_text() -> None:
    name = "<script>alert(1)</script>\"'&"
    svg = survival_by_stage([StageCount(name, 1)])
    assert name in ElementTree.fromstring(svg).attrib["aria-label"]
    assert "<script" not in svg


def test_undefined_values_are_said_or_left_out() -> None:
    row = {"model": "m", "role": "filter", "part": "all", "value": None, "low": None, "high": None, "n": 0}
    names = ("accuracy", "counterfactual_pro", "counterfactual_anti", "counterfactual_error")
    rows = [row | {"measure": name, "note": "undefined"} for name in names]
    table = pa.Table.from_pylist(rows, schema=arrow_schema(MeasureRow))
    assert {"pro undefined", "anti undefined", "error undefined"} <= set(texts(bias_by_model(table)))
    assert not [t for t in texts(accuracy_plain_and_new(table, table)) if t.endswith(".0%")]
    assert accuracy_by_domain(table).startswith("<svg")


def test_nothing_to_draw_is_an_empty_plot() -> None:
    for svg in (
        survival_by_stage([]),
        accuracy_plain_and_new(NOTHING, NOTHING),
        bias_by_model(NOTHING),
        accuracy_by_domain(NOTHING),
    ):
        assert svg.startswith("<svg")
