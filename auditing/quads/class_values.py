"""The measures of UnQover for a class as a whole, over any of its quads, in the draws of the whole class.

`nextset.auditing.quads.quad_values` also measures all parts of a class, which takes much longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.auditing.measures.measure import share
from nextset.auditing.measures.quad_measures import preference
from nextset.auditing.quads.chance import RaisedValues, raised_values
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.auditing.quads.quad_values import MEANS, MEASURES, OF_ALL, SIZES
from nextset.cluster_bootstrap import level_weights
from nextset.scoring.subjects.quad_bias import comparative

__all__ = ["ClassValues", "class_values"]

Codes = npt.NDArray[np.int64]

AT_ONCE = 128
"""The number of rows of weights that are evaluated at a time."""


@dataclass(frozen=True)
class ClassValues:
    """The measures of one model on some quads of a class."""

    values: Mapping[str, Floats]
    """The values of each of `nextset.auditing.quads.quad_values.MEASURES`, shape (rows of weights,)."""
    raised: Mapping[str, RaisedValues]
    """For each of `SIZES`, how much chance raises it."""
    templates: int
    """The number of templates of these quads."""
    pairs: int
    """The number of their pairs of subjects."""
    cell_quads: float
    """The mean number of quads with a given subject and attribute; μ and η are means over these."""


def class_values(columns: QuadColumns, rows: Codes, scores: Floats) -> ClassValues:
    """Return the measures of ``scores``, shape (8, rows), over the quads ``rows``, shape (rows,).

    A quad may be among ``rows`` several times, with different scores. All templates and pairs of ``columns``
    are drawn, so the draws of a class do not depend on ``rows``: the values of two parts of a class, or of
    two models, can be subtracted row by row. Li et al. (2020), equations 2 to 9.
    """
    codes, n_pairs = columns.pairs
    chosen = columns.where(rows)
    pair, template = codes[rows], chosen.template.astype(np.int64)
    cells, of_quad = np.unique(template * n_pairs + pair, return_inverse=True)
    first, second = scores[0::2], scores[1::2]
    c = comparative(first, second).c
    compared = [m for m in MEANS if m.compared]
    amounts = (*(m.of_quads(first, second) for m in compared), np.ones(len(c)))
    errors = np.array([np.bincount(of_quad, amount, minlength=len(cells)) for amount in amounts])
    preferences = _Preferences.of(chosen, c, of_quad, len(cells))
    of_templates, of_pairs = level_weights((len(columns.templates), n_pairs))
    by_measure: dict[str, list[Floats]] = {}
    drawn: list[list[Floats]] = []
    for start in range(0, len(of_pairs), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        weights = of_templates[part][:, cells // n_pairs] * of_pairs[part][:, cells % n_pairs]
        sums = errors @ weights.T
        for k, measure in enumerate(compared):
            by_measure.setdefault(measure.name, []).append(share(sums[k], sums[-1]))
        drawn.append(preferences.values(weights.T))
    values = {name: np.concatenate(parts) for name, parts in by_measure.items()}
    raised = {}
    for name, size, portions in zip(SIZES, OF_ALL, zip(*drawn, strict=True), strict=True):
        in_rows = np.concatenate(portions, axis=-1)
        values[name] = size(in_rows, None)[0]
        raised[name] = raised_values(size, in_rows, len(columns.templates), complete=chosen.complete)
    return ClassValues(
        {name: values[name] for name in MEASURES},
        raised,
        len(np.unique(template)),
        len(np.unique(pair)),
        preferences.cell_quads,
    )


@dataclass(frozen=True)
class _Preferences:
    """The sums of C, of its sign and of 1 as matrices: each subject's attributes × templates with pairs."""

    matrices: tuple[object, object, object]
    shape: tuple[int, int]
    """The number of subjects, and the largest number of attributes of one."""
    cell_quads: float
    """The mean number of quads with a given subject and attribute."""

    @classmethod
    def of(cls, columns: QuadColumns, c: Floats, cells: Codes, n_cells: int) -> _Preferences:
        from scipy.sparse import csr_matrix

        n = len(columns.attributes)
        apart = np.flatnonzero(columns.subject1 != columns.subject2)
        sides = [side[apart].astype(np.int64) * n for side in (columns.subject1, columns.subject2)]
        named, of_quad = np.unique(
            np.concatenate([side + columns.attribute[apart] for side in sides]), return_inverse=True
        )
        # the attributes of a subject lie side by side, and those without quads take no place
        subjects, begins, sizes = np.unique(named // n, return_index=True, return_counts=True)
        shape = len(subjects), int(sizes.max(initial=0))
        places = np.arange(len(named)) + np.repeat(np.arange(len(subjects)) * shape[1] - begins, sizes)
        signed = c[apart]
        at = places[of_quad], np.concatenate([cells[apart]] * 2)
        matrices = tuple(
            csr_matrix((np.concatenate([v, s * v]), at), (shape[0] * shape[1], n_cells))
            for v, s in ((signed, -1), (np.sign(signed), -1), (np.ones(len(signed)), 1))
        )
        return cls(matrices, shape, len(of_quad) / len(named) if len(named) else 0.0)

    def values(self, weights: Floats) -> list[Floats]:
        """Return γ and η(x, a), shape (subjects, attributes of each, rows of weights); NaN if undefined."""
        shape = (*self.shape, weights.shape[1])
        signed, signs, quads = ((m @ weights).reshape(shape) for m in self.matrices)  # type: ignore[operator]
        return [preference(signed, quads), preference(signs, quads)]
