"""Thinking about questions: by class, with the clusters of quads, without groups and pairs."""

from __future__ import annotations

import pytest

from nextset.auditing.traces.trace_measures import trace_measures
from nextset.auditing.traces.traced_rows import traced_quads
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import table_of
from tests.auditing.quads.test_quad_tables import quads
from tests.auditing.traces.traced_pairs import trace


def test_quads_have_conclusions_and_lengths_by_class() -> None:
    """Each quad has four inputs; the answer to the last one is not that of the thinking."""
    table = quads()
    traces = [
        trace(quad, "x" * (10 + place), form="question", input=place, conclusion="a",
              answer="b" if place == 3 else "a")
        for quad in table["id"].to_pylist()
        for place in range(4)
    ]  # fmt: skip
    classes = list(traced_quads(table, "question", "generated"))
    assert [rows.subject_class for rows in classes] == ["pets", "towns"]
    for rows in classes:
        measures = {r.measure: r for r in trace_measures([table_of(traces, AnswerTrace)], rows)}
        assert set(measures) == {"trace_concludes", "trace_answer", "trace_tokens", "trace_characters"}
        assert measures["trace_answer"].value == pytest.approx(3 / 4)
        assert measures["trace_characters"].value == pytest.approx((10 + 11 + 12 + 13) / 4)
        assert measures["trace_tokens"].value is None
        assert {(r.selection, r.by, r.items) for r in measures.values()} == {("all", "all", "generated")}
        assert measures["trace_characters"].n == 4 * len(rows.place)
