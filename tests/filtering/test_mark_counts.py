"""Candidates and kept items by the marks of their fills, counted by hand and shown on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from nextset.filtering.candidates import Candidates, Piece
from nextset.filtering.mark_counts import MarkRow, mark_rows
from nextset.filtering.report import render
from tests.filtering.test_report import DATA

MARKS = pa.table(
    {
        "id": ["a", "b", "c", "d"],
        "fill_marks": [
            ["whatever the group", "another meaning"],
            [],
            ["another meaning"],
            ["another meaning"],
        ],
    }
)
PLAIN = pa.table({"id": ["e"]})


def candidates(*tables: pa.Table) -> Candidates:
    def piece(table: pa.Table) -> Piece:
        def read(columns: Sequence[str] | None) -> pa.Table:
            return table if columns is None else table.select(list(columns))

        return read

    schema = pa.unify_schemas([table.schema for table in tables])
    wanted = tuple(np.ones(table.num_rows, dtype=np.bool_) for table in tables)
    return Candidates(tuple(map(piece, tables)), wanted, schema)


def test_every_mark_is_counted_and_what_was_not_filled_is_not() -> None:
    keep = np.array([True, True, False, True, True])  # a, b, d and the plain e
    assert mark_rows(candidates(MARKS, PLAIN), keep) == (
        MarkRow("another meaning", 3, 2),
        MarkRow("whatever the group", 1, 1),
        MarkRow("none", 1, 1),
    )


def test_a_study_without_marks_has_no_rows_and_no_section() -> None:
    assert mark_rows(candidates(PLAIN), np.array([True])) == ()
    assert "Marks of fills" not in render(DATA)


def test_the_page_shows_the_numbers() -> None:
    page = render(replace(DATA, marks=(MarkRow("another meaning", 40, 10), MarkRow("none", 5, 0))))
    assert "Marks of fills" in page
    row = page[page.index("<bdi>another meaning</bdi>") :]
    assert [text in row[:300] for text in (">40<", ">10<", ">25.0<")] == [True] * 3
