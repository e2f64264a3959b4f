"""The rows on which tuned readers are compared: those whose template and subjects training never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact
from nextset.auditing.quads.quad_columns import Bools, QuadColumns

__all__ = ["HELD_OUT", "HeldOutRows", "held_out_rows"]

HELD_OUT = "held_out"
"""The name of the selection."""


@dataclass(frozen=True)
class HeldOutRows:
    """What training never saw; nothing without interventions.tuning."""

    names: Mapping[tuple[str, str, str], frozenset[str]] = field(default_factory=dict)
    """The held-out names of each language, class and kind: template or subject."""
    tuned: frozenset[str] = frozenset()
    """The published names of tuned models: they are measured on held-out rows alone."""

    def of_quads(self, language: str, columns: QuadColumns) -> Bools | None:
        """Return which quads of a class are held out, shape (quads,); None without tuning."""
        if not self.names:
            return None
        templates, subjects = (self._names(language, columns.subject_class, k) for k in _KINDS)
        hidden = np.isin(np.array(columns.templates, dtype=np.str_), templates)
        unseen = np.isin(np.array(columns.subjects, dtype=np.str_), subjects)
        found: Bools = hidden[columns.template] & unseen[columns.subject1] & unseen[columns.subject2]
        return found

    def of_twins(self, twins: pa.Table) -> Bools | None:
        """Return which twins of a class are held out, shape (twins,); None without tuning."""
        if not self.names:
            return None
        language, name = (twins[n][0].as_py() for n in ("language", "subject_class"))
        found = np.ones(twins.num_rows, np.bool_)
        for column, kind in (("template_id", "template"), ("subject1", "subject"), ("subject2", "subject")):
            among = pa.array(self._names(language, name, kind), pa.string())
            found &= np.asarray(pc.is_in(pc.cast(twins[column], pa.string()), value_set=among))
        return found

    def _names(self, language: str, subject_class: str, kind: str) -> list[str]:
        return sorted(self.names.get((language, subject_class, kind), ()))


_KINDS = ("template", "subject")


def held_out_rows(artifact: Artifact | None, tuned: frozenset[str]) -> HeldOutRows:
    """Return what the stage tune held out, ``tuned`` being the models that it made; nothing without it."""
    if artifact is None:
        return HeldOutRows()
    names: dict[tuple[str, str, str], set[str]] = {}
    for row in artifact.table("held_out").to_pylist():
        if row["held_out"]:
            names.setdefault((row["language"], row["subject_class"], row["kind"]), set()).add(row["name"])
    return HeldOutRows({key: frozenset(some) for key, some in names.items()}, tuned)
