"""The check that the sets of a release are whole: none of the rows that were made for a set is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from nextset.release.counterfactuals.pair_records import PairFinding, PairReport, summed

__all__ = ["SetCompleteness"]

SetValues = Sequence[tuple[str, frozenset[str]]]
"""Columns, each with the values that the rows of a set must have."""


class SetCompleteness:
    """Checks the sets of released rows, batch by batch, in the column set_id."""

    def __init__(self, values: SetValues, measured_by: str, candidates: Iterable[pa.Table]) -> None:
        """Take the ``values`` that each set must have, and the ``candidates`` (set_id), in batches.

        A set whose rows are all null in the column ``measured_by`` needs no values. Candidates that were
        withdrawn are not among the ``candidates``.
        """
        self._values, self._measured_by = values, measured_by
        self._measuring: set[str] = set()
        self._made = Counter(id_ for table in candidates for id_ in table["set_id"].to_pylist())
        self._released: Counter[str] = Counter()
        self._seen: defaultdict[str, list[set[str]]] = defaultdict(lambda: [set() for _ in values])

    def check(self, batch: pa.Table) -> None:
        """Count the rows of ``batch``; rows without a set are not counted."""
        columns = [batch[name].to_pylist() for name, _ in self._values]
        measured = batch[self._measured_by].is_valid().to_pylist()
        for set_id, measures, *values in zip(batch["set_id"].to_pylist(), measured, *columns, strict=True):
            if set_id is not None:
                self._released[set_id] += 1
                self._measuring |= {set_id} if measures else set()
                for seen, value in zip(self._seen[set_id], values, strict=True):
                    seen.add(value)

    def report(self) -> PairReport:
        """Return the findings about the sets of all batches, sorted by id, and the counts of the sets."""
        findings = []
        for set_id in sorted(self._released):
            lacks = self._lacking_rows(set_id)
            details = [lacks] if lacks else list(self._lacking_values(set_id))
            if details:
                detail = "; ".join(details)
                findings.append(
                    PairFinding(kind="missing", item_id=None, counterfactual_set=set_id, detail=detail)
                )
        return summed(findings, len(self._released), len(findings), 0, 0)

    def _lacking_rows(self, set_id: str) -> str:
        released, made = self._released[set_id], self._made[set_id]
        return f"{released:,} of {made:,} items of the set are released" if released < made else ""

    def _lacking_values(self, set_id: str) -> Iterator[str]:
        values = self._values if set_id in self._measuring else ()
        for (name, wanted), seen in zip(values, self._seen[set_id], strict=False):
            for value in sorted(wanted - seen):
                yield f"no item has the {name} {value}"
