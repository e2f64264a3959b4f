"""The report on duplicates and contamination: as text for the terminal, and as part of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from nextset.html.page import page
from nextset.release.overlap.duplicate_counts import duplicate_counts
from nextset.release.overlap.overlap_records import ContaminationRow

__all__ = ["overlap_section", "overlap_text"]

_MOST = 20
"""The most pairs that are shown; the table has all of them."""


def overlap_text(
    duplicates: pa.Table, contamination: Sequence[ContaminationRow], near: float, most: int = _MOST
) -> str:
    """Return the report as text for the terminal: rows, the first pairs of ids, one line per source.

    ``duplicates`` is a table of `DuplicateRow`, of the version itself and of earlier versions.
    """
    lines = [f"duplicates (near: word 3-grams with a Jaccard similarity of {near:g} or more)"]
    counts = duplicate_counts(duplicates)
    lines += [f"  {where}: {_rows(n.exact)} exact, {n.near:,} near" for where, n in counts.items()]
    lines += ["  none"] if not counts else []
    shown = duplicates.slice(0, most).to_pylist()
    lines += [f"    {r['kind']:<5}  {r['similarity']:.3f}  {r['id1']}  {r['id2']}" for r in shown]
    if duplicates.num_rows > most:
        lines.append(f"    and {duplicates.num_rows - most:,} more")
    if contamination:
        lines.append(f"contamination (near: {near:g} or more of the word 8-grams of both texts in a passage)")
    for row in contamination:
        lines.append(
            f"  {_plain(row.source)}: {row.exact:,} exact and {row.near - row.exact:,} near of {row.items:,}"
            f" ({100 * row.share:.1f} %), {row.overlap:,} with any 8-gram; {row.rows:,} rows read"
        )
        if row.examples:
            lines.append(f"    such as {', '.join(row.examples)}")
        if row.canary_found:
            lines.append("    it contains this dataset's canary GUID: the dataset itself is part of it")
    return "\n".join(lines)


def overlap_section(
    duplicates: pa.Table,
    contamination: Sequence[ContaminationRow],
    near: float,
    texts: Mapping[str, str],
    most: int = _MOST,
) -> str:
    """Return the section of a page, as HTML: counts, the first pairs with their texts, one row per source.

    ``texts`` has the texts of the ids in the first ``most`` rows of ``duplicates``; an id without a text is
    shown alone. Every text is escaped; the content warning comes before the texts.
    """
    return page(
        Path(__file__).parent / "overlap.html.j2",
        lambda share: "–" if share is None else f"{100 * share:.1f}",
        near=near,
        counts=duplicate_counts(duplicates),
        pairs=duplicates.slice(0, most).to_pylist(),
        more=max(0, duplicates.num_rows - most),
        texts=texts,
        contamination=contamination,
    )


def _rows(n: int) -> str:
    return f"{n:,} row{'' if n == 1 else 's'}"


def _plain(text: str) -> str:
    """Return ``text`` without characters that control a terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
