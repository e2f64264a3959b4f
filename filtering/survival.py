"""The candidates kept or hard, by part of the set and model, and the overlap of what models find hard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from nextset.filtering.balance import Parts, parts_by
from nextset.filtering.candidates import Candidates
from nextset.filtering.model_answers import Bools
from nextset.records.filter_tables import SurvivalRow
from nextset.study.filter_rule_settings import Form

__all__ = ["ANY", "OverlapRow", "overlap", "parts_of", "survival"]

ANY = "any"
"""The value of column ``model`` in the survival table for kept candidates, hard for any models or none."""

_BY: Mapping[Form, Mapping[str, str]] = {
    "nli": {
        "domain": "domain",
        "stereotype": "stereotype",
        "stance": "stance_design",
        "template": "template_id",
    },
    "question": {
        "class": "subject_class",
        "attribute kind": "attribute_kind",
        "attribute cluster": "attribute_cluster",
    },
}
"""The parts in the survival table, and their columns."""


@dataclass(frozen=True)
class OverlapRow:
    """Candidates that the same models find hard."""

    models: tuple[str, ...]
    """The models that find them hard; all others do not. Empty for candidates that no model finds hard."""
    candidates: int
    """The number of these candidates."""
    kept: int
    """The number of them that are kept."""


def parts_of(candidates: Candidates, form: Form) -> list[Parts]:
    """Return the parts in the survival table; one column is read at a time."""
    nli = form == "nli"
    columns = _BY["nli" if nli else "question"]
    parts = [parts_by(by, candidates.table([column])[column]) for by, column in columns.items()]
    if nli:
        parts.append(parts_by("group", candidates.groups()))
    else:
        # the numbers of published templates start again in each class
        both = candidates.table(["subject_class", "template_id"])
        names = pc.binary_join_element_wise(both["subject_class"], both["template_id"], ": ")
        parts.append(parts_by("template", names))
    return parts


def survival(parts: Parts, keep: Bools, hard: Bools, models: Sequence[str]) -> list[SurvivalRow]:
    """Return one row per part and model, by name; `ANY` first."""
    total = parts.counts(np.ones_like(keep))
    survived = {ANY: parts.counts(keep), **{m: parts.counts(h) for m, h in zip(models, hard, strict=True)}}
    return [
        SurvivalRow(parts.by, parts.names[i], model, int(total[i]), int(counts[i]))
        for i in sorted(range(len(parts.names)), key=lambda i: parts.names[i])
        for model, counts in survived.items()
    ]


def overlap(keep: Bools, hard: Bools, models: Sequence[str]) -> list[OverlapRow]:
    """Return one row for each combination of models that find a candidate hard, the most common first."""
    codes = np.zeros(keep.size, np.int64)
    for m, row in enumerate(hard):
        codes |= row.astype(np.int64) << m
    met, places = np.unique(codes, return_inverse=True)
    candidates = np.bincount(places, minlength=met.size)
    kept = np.bincount(places[keep], minlength=met.size)
    rows = [
        OverlapRow(
            tuple(name for m, name in enumerate(models) if met[i] >> m & 1), int(candidates[i]), int(kept[i])
        )
        for i in range(met.size)
    ]
    return sorted(rows, key=lambda r: (-r.candidates, r.models))
