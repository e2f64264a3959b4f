"""The released judgments: one row per unit and annotator, under pseudonyms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from nextset.records.arrow_schema import arrow_schema

__all__ = ["ReleasedJudgment", "judgments_by_judge", "released_judgments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedJudgment:
    """One annotator's published verdict on one unit."""

    unit_id: str
    """The unit: a value of the column unit_id of released items, or a unit without released items."""
    verdict: Literal["valid", "invalid", "incoherent"]
    """valid, invalid (not a stereotype of that group), or incoherent (no meaningful sentence)."""
    stance_judged: Literal["pro", "anti"] | None
    """pro: a valid hypothesis states the stereotype; anti: its opposite; null for other verdicts."""
    judge: str
    """The annotator's pseudonym in this dataset."""
    adjudication: bool
    """True if it is an adjudication, which replaces the unit's other judgments."""


def judgments_by_judge(tables: Iterable[pa.Table]) -> dict[str, int]:
    """Return the number of judgments, including adjudications, by the study's pseudonym of the annotator.

    ``tables`` are the tables judgments and adjudications of out/validate, whole or in batches.
    """
    counts: Counter[str] = Counter()
    for table in tables:
        for judge_count in pc.value_counts(table["judge"]):
            counts[judge_count["values"].as_py()] += judge_count["counts"].as_py()
    return dict(sorted(counts.items()))


def released_judgments(
    judgments: pa.Table, adjudications: pa.Table, pseudonyms: Mapping[str, str]
) -> pa.Table:
    """Return the published judgments (`ReleasedJudgment`), sorted by unit and pseudonym.

    ``judgments`` and ``adjudications`` are the tables of out/validate, or the rows of both whose units are in
    one range of ids. ``pseudonyms`` come from `dataset_pseudonyms`.

    The judgments of all units ship, also of units that were not released: readers can recompute agreement
    only with the units on which annotators disagreed. The texts of unreleased units do not ship. They were
    rejected, and some of them state things that no published work documents. The column annotation does not
    ship either, because its number identifies the annotator on the server. Times, comments, and the
    pseudonyms of the study do not ship either.
    """
    tables = [_published(judgments, pseudonyms, False), _published(adjudications, pseudonyms, True)]
    table = pa.concat_tables(tables)
    keys = ("unit_id", "adjudication", "judge")
    return table.take(pc.sort_indices(table, sort_keys=[(key, "ascending") for key in keys]))


def _published(table: pa.Table, pseudonyms: Mapping[str, str], adjudication: bool) -> pa.Table:
    judges = pc.dictionary_encode(table["judge"]).combine_chunks()
    names = pa.array([pseudonyms[judge] for judge in judges.dictionary.to_pylist()], pa.string())
    columns = {
        "unit_id": table["unit_id"],
        "verdict": table["verdict"],
        "stance_judged": table["stance_judged"],
        "judge": names.take(judges.indices),
        "adjudication": pa.repeat(adjudication, table.num_rows),
    }
    return pa.table(columns, schema=arrow_schema(ReleasedJudgment))
