"""The rows that tuned readers are compared on: those whose template and subjects training never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.artifacts.artifact import Artifact
from nextset.auditing.quads.quad_columns import QuadColumns

__all__ = ["HELD_OUT", "ROW_PARTS", "HeldOutRows", "held_out_rows"]

HELD_OUT = "held_out"
"""The name of the selection."""


ROW_PARTS = ("language", "subject_class", "template_id", "subject1", "subject2")
"""The columns that say whether a row is held out."""


@dataclass(frozen=True)
class HeldOutRows:
    """The names that training never saw; empty without interventions.tuning."""

    names: Mapping[tuple[str, str, str], frozenset[str]] = field(default_factory=dict)
    """The held-out names of each language, class and kind: template or subject."""
    tuned: frozenset[str] = frozenset()
    """The published names of tuned models, which are measured only on held-out rows."""
    digest: str = ""
    """The digest of the artifact with the held-out names."""

    def of_quads(self, language: str, columns: QuadColumns) -> Bools | None:
        """Return which quads of a class are held out, shape (quads,); None without tuning."""
        if not self.names:
            return None
        templates, subjects = (sorted(self._names(language, columns.subject_class, k)) for k in _KINDS)
        hidden = np.isin(np.array(columns.templates, dtype=np.str_), templates)
        unseen = np.isin(np.array(columns.subjects, dtype=np.str_), subjects)
        held_out: Bools = hidden[columns.template] & unseen[columns.subject1] & unseen[columns.subject2]
        return held_out

    def of_twins(self, twins: pa.Table) -> Bools | None:
        """Return which ``twins`` are held out, shape (twins,); None without tuning."""
        return self.of_rows(twins) if self.names else None

    def of_rows(self, rows: pa.Table) -> Bools:
        """Return which ``rows``, with the columns `ROW_PARTS`, are held out, shape (rows,)."""
        parts = [pc.cast(rows[name], pa.string()) for name in ROW_PARTS]
        keys = [(language, subject_class) for language, subject_class, _ in self.names]
        held_out = np.zeros(rows.num_rows, np.bool_)
        for language, subject_class in dict.fromkeys(keys):
            own = pc.and_(pc.equal(parts[0], language), pc.equal(parts[1], subject_class))
            for column, kind in zip(parts[2:], ("template", "subject", "subject"), strict=True):
                names = pa.array(sorted(self._names(language, subject_class, kind)), pa.string())
                own = pc.and_(own, pc.is_in(column, value_set=names))
            held_out |= np.asarray(own)
        return held_out

    def _names(self, language: str, subject_class: str, kind: str) -> frozenset[str]:
        return self.names.get((language, subject_class, kind), frozenset())


_KINDS = ("template", "subject")


def held_out_rows(artifact: Artifact | None, tuned: frozenset[str]) -> HeldOutRows:
    """Return the names that the stage tune held out, with the models ``tuned``; empty without
    ``artifact``."""
    if artifact is None:
        return HeldOutRows()
    names: dict[tuple[str, str, str], set[str]] = {}
    for row in artifact.table("held_out").to_pylist():
        if row["held_out"]:
            names.setdefault((row["language"], row["subject_class"], row["kind"]), set()).add(row["name"])
    return HeldOutRows({key: frozenset(held_out) for key, held_out in names.items()}, tuned, artifact.digest)
