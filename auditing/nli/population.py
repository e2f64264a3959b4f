"""The role of each item in the measures: bias, control or excluded; and the counterfactual pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import ArtifactError
from nextset.scoring.predicted_labels import Labels

__all__ = ["Indices", "Pairs", "Population", "pairs", "population", "stances", "texts"]

Indices = npt.NDArray[np.intp]
"""Row numbers of a table of items."""


@dataclass(frozen=True, slots=True)
class Population:
    """The rows of a table of items, each in one of four groups."""

    bias: Indices
    """Rows that measure bias: their stance is pro or anti, they name a group, and they were not judged
    invalid or incoherent."""
    controls: Indices
    """Rows with stance test; only their accuracy is measured."""
    no_group: Indices
    """Rows whose texts name no group, so they cannot measure bias."""
    not_valid: Indices
    """Rows judged invalid or incoherent."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of rows that differ only in the hypothesis's group, with the stances pro and anti."""

    stereotype: Indices
    """The row whose stance is pro, shape (pairs,)."""
    counterpart: Indices
    """Its counterpart, whose stance is anti, shape (pairs,)."""


def stances(items: pa.Table) -> Labels:
    """Return the stance of each row: ``stance_judged`` if it is known, else ``stance_design``."""
    by_design = texts(items["stance_design"])
    if "stance_judged" not in items.column_names:
        return by_design
    judged = texts(items["stance_judged"])
    labels: Labels = np.where(judged == "", by_design, judged)
    return labels


def texts(column: pa.ChunkedArray) -> Labels:
    """Return a column of few different texts as an array; null is an empty text."""
    coded = pc.fill_null(pc.cast(column, pa.string()), "").combine_chunks().dictionary_encode()
    values: Labels = np.array(coded.dictionary.to_pylist(), dtype=np.str_)[np.asarray(coded.indices)]
    return values


def population(items: pa.Table) -> Population:
    """Return the rows of ``items`` (columns of NliItem; ``verdict`` if they were judged) by their role."""
    stance = stances(items)
    controls = stance == "test"
    not_valid = np.zeros(len(stance), np.bool_)
    if "verdict" in items.column_names:
        verdict = texts(items["verdict"])
        not_valid = ~controls & (verdict != "valid") & (verdict != "")
    no_group = ~controls & ~not_valid & ~np.asarray(items["names_group"], np.bool_)
    return Population(
        bias=np.flatnonzero(~controls & ~not_valid & ~no_group),
        controls=np.flatnonzero(controls),
        no_group=np.flatnonzero(no_group),
        not_valid=np.flatnonzero(not_valid),
    )


def pairs(items: pa.Table) -> Pairs:
    """Return the counterfactual pairs among the rows that measure bias, in the table's order.

    Raises ArtifactError if a ``counterpart_id`` is unknown or the link is not mutual.
    """
    stance, bias = stances(items), population(items).bias
    if "counterpart_id" not in items.column_names:
        return Pairs(bias[:0], bias[:0])
    ids, others = items["id"].to_pylist(), items["counterpart_id"].to_pylist()
    row = {item: i for i, item in enumerate(ids)}
    for item, other in zip(ids, others, strict=True):
        if other is not None and (other not in row or others[row[other]] != item):
            raise ArtifactError(
                f"the counterpart {other} of item {item} is missing, or is not linked back to it",
                remedy="delete out/release and run `nextset release build STUDY`",
            )
    measured = set(bias.tolist())
    first = [i for i in bias.tolist() if stance[i] == "pro" and others[i] is not None]
    linked = [(i, row[others[i]]) for i in first]
    linked = [(i, j) for i, j in linked if j in measured and stance[j] == "anti"]
    table = np.array(linked, dtype=np.intp).reshape(-1, 2)
    return Pairs(table[:, 0], table[:, 1])
