"""The report on duplicates and contamination, as part of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from nextset.html.page import page
from nextset.release.overlap.duplicate_counts import duplicate_counts
from nextset.release.overlap.overlap_records import ContaminationRow

__all__ = ["overlap_section"]

_MOST = 20
"""The most pairs that are shown; the table has all of them."""


def overlap_section(
    duplicates: pa.Table,
    contamination: Sequence[ContaminationRow],
    near: float,
    texts: Mapping[str, str],
    most: int = _MOST,
) -> str:
    """Return the section of a page, as HTML: counts, the first pairs with their texts, one row per source.

    ``texts`` has the texts of the ids in the first ``most`` rows of ``duplicates``. An id without a text is
    shown by itself. Every text is escaped. The content warning comes before the texts.
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
