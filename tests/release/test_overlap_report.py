from __future__ import annotations

from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.arrow_schema import table_of
from nextset.release.overlap.duplicate_counts import DuplicateCounts, duplicate_counts
from nextset.release.overlap.overlap_records import ContaminationRow, DuplicateRow
from nextset.release.overlap.overlap_report import overlap_section

ROWS = [
    DuplicateRow(kind="exact", id1="a", id2="b", similarity=1.0, where="this version"),
    DuplicateRow(kind="near", id1="a", id2="c", similarity=0.875, where="this version"),
    DuplicateRow(kind="near", id1="d", id2="old", similarity=0.9, where="pens-1.0.0"),
]
DUPLICATES = table_of(ROWS, DuplicateRow)
FOUND = ContaminationRow(
    source="<b>\x1b[31mcorpus.txt", revision="0123456789abcdef", rows=1234, items=20, exact=2, near=3,
    overlap=20, share=0.15, overlap_share=0.5, examples=("a", "b"), canary_found=True,
)  # fmt: skip


def test_section() -> None:
    texts = {"a": "<script>alert(1)</script> \u202e", "c": "A text."}
    html = overlap_section(DUPLICATES, [FOUND], 0.8, texts, most=2)
    assert html == overlap_section(DUPLICATES, [FOUND], 0.8, texts, most=2)
    assert "<script>" not in html
    assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<b>" not in html
    assert html.index(CONTENT_WARNING) < html.index("A text.")
    assert "has the canary GUID" in html
    assert "<code>duplicates</code>: 1 more" in html
    empty = overlap_section(DUPLICATES.slice(0, 0), [], 0.8, {})
    assert "There are no duplicates." in empty
    assert CONTENT_WARNING not in empty
    assert "were not compared with other data" in empty


def test_rows_are_counted_and_not_pairs() -> None:
    """Three rows with one text are two pairs; a row with two duplicates in an earlier version is one."""
    rows = [
        DuplicateRow(kind=kind, id1=a, id2=b, similarity=1.0, where=where)  # type: ignore[arg-type]
        for kind, a, b, where in (
            ("exact", "a", "b", "this version"),
            ("exact", "a", "c", "this version"),
            ("near", "a", "d", "this version"),
            ("exact", "a", "old", "pens-1.0.0"),
            ("near", "a", "older", "pens-1.0.0"),
            ("near", "e", "old", "pens-1.0.0"),
        )
    ]
    assert duplicate_counts(table_of(rows, DuplicateRow)) == {
        "this version": DuplicateCounts(exact=3, near=2, either=4),
        "pens-1.0.0": DuplicateCounts(exact=1, near=2, either=2),
    }
    assert duplicate_counts(DUPLICATES.slice(0, 0)) == {}
