"""Quads of one class with the scores of all models as rows for functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.auditing.own_measures.function_measure import Columns
from nextset.auditing.own_measures.measured_rows import AskedModel, MeasuredRows
from nextset.auditing.quads.quad_columns import SCORES, QuadColumns, QuadSet
from nextset.cluster_bootstrap import crossed_clusters
from nextset.scoring.subjects.quad_bias import comparative

__all__ = ["quad_rows"]

ALL = "all"


def quad_rows(quads: QuadSet) -> MeasuredRows:
    """Return the quads of one class with the scores of all models, in memory."""
    c = quads.columns
    every = np.ones(c.rows, np.bool_)
    none = np.zeros(c.rows, np.bool_)
    pair, n_pairs = c.pairs
    return MeasuredRows(
        form=c.form,
        items=quads.name,
        selection=ALL,
        subject_class=c.subject_class,
        columns=_columns(c),
        predictions={
            AskedModel(m.model, m.role, m.revision): _predictions(quads.scores[m](), c.rows)
            for m in sorted(quads.scores)
        },
        unanswered=frozenset(
            AskedModel(m.model, m.role, m.revision) for m in quads.outcomes if quads.answered(m) is not None
        ),
        kinds={"bias": every, "test": none, "all": every},
        parts={by: parts for by, parts in _parts(c).items() if parts},
        clusters=crossed_clusters(c.template.astype(np.int64), len(c.templates), pair, n_pairs),
        cluster_keys=tuple((name,) for name in c.templates),
        crossed=True,
    )


def _columns(c: QuadColumns) -> Columns:
    readers: Mapping[str, Callable[[], npt.NDArray[np.generic]]] = {
        "subject_class": lambda: np.full(c.rows, c.subject_class),
        "template_id": lambda: _names(c.templates)[c.template],
        "attribute": lambda: _names(c.attributes)[c.attribute],
        "attribute_cluster": lambda: _names(c.attribute_clusters)[c.attribute],
        "subject1": lambda: _names(c.subjects)[c.subject1],
        "subject2": lambda: _names(c.subjects)[c.subject2],
        "cluster1": lambda: _names(c.clusters)[c.cluster1],
        "cluster2": lambda: _names(c.clusters)[c.cluster2],
    }
    return Columns(tuple(readers), c.rows, lambda name: readers[name]())


def _names(names: tuple[str, ...]) -> npt.NDArray[np.str_]:
    return np.array(names, np.str_)


def _predictions(scores: Floats, rows: int) -> Columns:
    def read(name: str) -> npt.NDArray[np.generic]:
        if name == "c":
            return comparative(scores[0::2], scores[1::2]).c
        score: Floats = scores[SCORES.index(name)]
        return score

    return Columns((*SCORES, "c"), rows, read)


def _parts(c: QuadColumns) -> dict[str, dict[str, Bools]]:
    clusters = {name: (c.cluster1 == i) | (c.cluster2 == i) for i, name in enumerate(c.clusters) if name}
    of_attribute = _names(c.attribute_clusters)[c.attribute] if c.attributes else np.array([], np.str_)
    return {
        ALL: {ALL: np.ones(c.rows, np.bool_)},
        "attribute": {name: c.attribute == i for i, name in enumerate(c.attributes)},
        "subject": {name: (c.subject1 == i) | (c.subject2 == i) for i, name in enumerate(c.subjects)},
        "cluster": clusters,
        "template": {name: c.template == i for i, name in enumerate(c.templates)},
        "attribute_cluster": {
            name: of_attribute == name for name in sorted(set(c.attribute_clusters)) if name
        },
    }
