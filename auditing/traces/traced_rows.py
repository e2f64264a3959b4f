"""The rows whose prompts a model thought about: their clusters, their groups, and their pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.population import Pairs, pairs, population
from nextset.cluster_bootstrap import Clusters, pair_clusters, template_clusters
from nextset.forms import FormName
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS

__all__ = ["ITEM_COLUMNS", "LINK_COLUMNS", "QUAD_COLUMNS", "TracedRows", "traced_items", "traced_quads"]

ITEM_COLUMNS = ("id", "stance_design", "stereotype", "names_group", *PATTERN_COLUMNS)
"""The columns of NLI items that are needed."""
LINK_COLUMNS = ("counterpart_id", "stance_judged", "verdict")
"""Further columns of NLI items that are used if they exist."""
QUAD_COLUMNS = ("id", "subject_class", "template_id", "subject1", "subject2")
"""The columns of quads that are needed."""


@dataclass(frozen=True, kw_only=True)
class TracedRows:
    """The rows of a set that are measured together."""

    form: FormName
    """The form that the models were asked in."""
    items: str
    """The set's name in tables."""
    selection: str
    """The rows that count, as tables name them."""
    subject_class: str = ""
    """The class of the subjects of quads; empty for NLI items."""
    place: Mapping[str, int]
    """The place of each row by its id."""
    clusters: Clusters
    """The clusters of the rows."""
    groups: Sequence[str]
    """The group that each row's hypothesis is about; empty for a row without one."""
    pairs: Pairs
    """The rows whose counterpart is known, by their places; empty for quads."""


def traced_items(items: pa.Table, form: FormName, name: str, patterns: Mapping[str, str]) -> TracedRows:
    """Return the items of the set ``name`` that measure bias; ``patterns`` as in `template_clusters`.

    Raises ArtifactError if a counterpart is missing or not linked back.
    """
    counted = set(population(items).bias.tolist())
    bindings = items["bindings"].to_pylist()
    return TracedRows(
        form=form,
        items=name,
        selection=MEASURED,
        place={row: i for i, row in enumerate(items["id"].to_pylist()) if i in counted},
        clusters=template_clusters(items, patterns),
        groups=[b["group1"] if b else "" for b in bindings],
        pairs=pairs(items),
    )


def traced_quads(quads: pa.Table, form: FormName, name: str) -> Iterator[TracedRows]:
    """Yield the quads of the set ``name``, class by class."""
    classes = np.array(quads["subject_class"].cast(pa.string()).to_pylist(), dtype=object)
    nothing = np.array([], dtype=np.intp)
    for subject_class in sorted(set(classes.tolist())):
        rows = quads.take(np.flatnonzero(classes == subject_class))
        yield TracedRows(
            form=form,
            items=name,
            selection="all",
            subject_class=subject_class,
            place={row: i for i, row in enumerate(rows["id"].to_pylist())},
            clusters=pair_clusters(rows["template_id"], rows["subject1"], rows["subject2"]),
            groups=[""] * rows.num_rows,
            pairs=Pairs(nothing, nothing),
        )
