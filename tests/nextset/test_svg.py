"""Plots of hostile texts: nothing in a text ends the process that draws it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from nextset.html.plot_layers import draw, labels

HOSTILE = ["a\x00b", "a\x1bb", "a\ufffeb", "a\ud800b", "a\tb", "<script>&\"'", "a\u202eb"]


@pytest.mark.parametrize("text", HOSTILE, ids=[ascii(text)[1:-1] for text in HOSTILE])
def test_a_plot_of_any_text_is_xml(text: str) -> None:
    svg = draw(20, [labels([{"x": 0, "y": 10, "text": text}], 20, "left")], text, [text], text)
    root = ET.fromstring(svg)
    assert root.attrib["aria-label"].startswith(("a", "<script>"))
    assert "script" not in {element.tag.rpartition("}")[2] for element in root.iter()}
