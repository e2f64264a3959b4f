"""The measures of one model on the quads of one class, for each row of weights of the bootstrap.

A quad's weight is that of its template times that of its pair of subjects; the same statistic is computed for
all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.auditing.measures.measure import Measure, PreferenceMeasure, QuadMean, built_in, share
from nextset.auditing.measures.quad_measures import eta, largest, mean_size, mu, preference
from nextset.auditing.quads.chance import RaisedValues, Size, raised_values
from nextset.auditing.quads.drawn_values import DrawnValues
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.auditing.quads.quad_counts import cell_quads, level_counts
from nextset.cluster_bootstrap import level_weights
from nextset.errors import ArtifactError
from nextset.scoring.subjects.quad_bias import comparative

__all__ = [
    "ANSWERS",
    "MEANS",
    "MEASURES",
    "OF_ALL",
    "QUAD_MEASURES",
    "SIZES",
    "GroupValues",
    "QuadValues",
    "group_members",
    "preference_sizes",
    "quad_values",
]

Codes = npt.NDArray[np.int64]

QUAD_MEASURES = tuple(m for m in built_in(Measure) if isinstance(m, QuadMean | PreferenceMeasure))
"""nextset's measures of quads, in the order of the tables."""
MEANS = tuple(m for m in QUAD_MEASURES if isinstance(m, QuadMean))
"""The measures that are means over quads."""
MEASURES = tuple(m.name for m in QUAD_MEASURES if m.compared)
"""The names of the measures of a class that are compared between models: δ, ε, mean |C|, μ, η."""
ANSWERS = tuple(m.name for m in MEANS if not m.compared)
"""The names of the means over quads that describe a model's answers."""
SIZES = tuple(m.name for m in QUAD_MEASURES if isinstance(m, PreferenceMeasure))
"""The names of the measures that chance raises: means of maxima and of absolute values."""
_MEANS = tuple(m.name for m in MEANS)
MOST_CELLS = 100_000
"""The largest number of combinations of a subject and an attribute: the draws of each take 16 kB."""
AT_ONCE = 64
"""The number of rows of weights that are evaluated at a time."""


@dataclass(frozen=True)
class GroupValues:
    """The measures of the parts of one grouping."""

    names: tuple[str, ...]
    """The parts' names."""
    values: Mapping[str, Floats]
    """The values of each of `MEASURES` and `ANSWERS`, shape (rows of weights, parts); NaN if undefined."""
    raised: Mapping[str, RaisedValues]
    """For each of `SIZES`, how much chance raises it."""
    quads: Codes
    """The number of quads of each part."""
    templates: Codes
    pairs: Codes
    """The number of their pairs of subjects."""
    cell_quads: Floats
    """The mean number of quads over the subjects and attributes that have quads together; μ and η are means
    over these."""


@dataclass(frozen=True)
class QuadValues:
    """All measures of one model on the quads of one class."""

    groups: Mapping[str, GroupValues]
    """By grouping: all, subject, attribute, attribute_cluster, cluster and template."""
    gamma: Mapping[str, Floats]
    """γ of subjects and of clusters, shape (rows of weights, names, attributes + 1); the last column is
    γ(x)."""
    eta: Mapping[str, Floats]
    """η of subjects and of clusters, in the same shape; the last column is η(x)."""
    quads: Mapping[str, Codes]
    """The number of quads that each is based on, shape (names, attributes + 1)."""
    templates: Mapping[str, Codes]
    pairs: Mapping[str, Codes]
    """The number of their pairs of subjects."""


def quad_values(
    columns: QuadColumns,
    scores: Floats,
    *,
    draws: bool = True,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> QuadValues:
    """Return the measures of ``scores``, shape (`nextset.auditing.quads.quad_columns.SCORES`, quads).

    Raises ArtifactError if there are more than `MOST_CELLS` combinations of a subject and an attribute.

    Without ``draws`` there is only one row of weights, for the values themselves. Li et al. (2020), equations
    2 to 9.
    """
    subjects, attributes = len(columns.subjects), len(columns.attributes)
    if subjects * attributes > MOST_CELLS:
        raise ArtifactError(
            f"{subjects:,} subjects with {attributes:,} attributes make more combinations than the "
            f"{MOST_CELLS:,} that fit into memory",
            remedy="audit a part with fewer subjects or attributes",
        )
    return _Evaluation(columns, scores, draws).values(tick)


@dataclass(frozen=True)
class _Template:
    """The sums of the quads of one template, as matrices whose columns are pairs of subjects."""

    preferences: Mapping[str, tuple[object, object, object]]
    """For subjects and clusters, the sums of C, of its sign and of 1; rows are name × attribute."""
    errors: Mapping[str, Floats]
    """For each grouping, the sums of `MEANS` and of 1, shape (6, parts, pairs)."""


@dataclass
class _Sums:
    """The sums over templates for some rows of weights."""

    preferences: dict[str, list[Floats]] = field(default_factory=dict)
    errors: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class _Evaluation:
    columns: QuadColumns
    scores: Floats
    draws: bool

    @cached_property
    def pair(self) -> tuple[npt.NDArray[np.int32], int]:
        """The pair of subjects of each quad, regardless of their order, and the number of pairs."""
        codes, n = self.columns.pairs
        return codes.astype(np.int32), n

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        sizes = (len(self.columns.templates), self.pair[1])
        return level_weights(sizes) if self.draws else tuple(np.ones((1, n)) for n in sizes)

    @cached_property
    def kinds(self) -> Mapping[str, tuple[tuple[str, ...], npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """For subjects and clusters: the names, and the name of each quad's first and second subject."""
        c = self.columns
        by_kind = {"subject": (c.subjects, c.subject1, c.subject2)}
        if any(c.clusters):
            by_kind["cluster"] = (c.clusters, c.cluster1, c.cluster2)
        return by_kind

    @cached_property
    def groupings(self) -> Mapping[str, tuple[tuple[str, ...], Sequence[npt.NDArray[np.int32]]]]:
        """The parts of the groupings that are summed by pair, and for each quad its one or two parts."""
        by_name = group_members(self.columns)
        return {by: by_name[by] for by in ("all", "attribute", *self.kinds)}

    def values(self, tick: Callable[[int, int], None]) -> QuadValues:
        made: Iterable[_Template] = (self._template(t) for t in range(len(self.columns.templates)))
        of_templates, of_pairs = self.weights
        parts = list(made) if len(of_pairs) > AT_ONCE else made  # else one at a time is enough
        rows = len(of_pairs)
        drawn = DrawnValues()
        for start in range(0, rows, AT_ONCE):
            self._add(parts, of_templates[start : start + AT_ONCE], of_pairs[start : start + AT_ONCE], drawn)
            tick(min(start + AT_ONCE, rows), rows)
        del parts  # the next step needs the memory
        return self._result(drawn)

    def _template(self, template: int) -> _Template:
        from scipy.sparse import csr_matrix

        rows = np.flatnonzero(self.columns.template == template)
        first, second = self.scores[0::2, rows], self.scores[1::2, rows]
        pairs, n_pairs = self.pair[0][rows], self.pair[1]
        c = comparative(first, second).c
        amounts = np.array([*(m.of_quads(first, second) for m in MEANS), np.ones(len(c))])
        attribute, n = self.columns.attribute[rows].astype(np.int64), len(self.columns.attributes)
        preferences = {}
        for by, (names, one, other) in self.kinds.items():
            sides = one[rows].astype(np.int64), other[rows].astype(np.int64)
            # C counts for one subject and against the other, so it cancels out if both are in one cluster
            apart = np.flatnonzero(sides[0] != sides[1])
            places = np.concatenate([(side * n + attribute)[apart] for side in sides])
            columns = np.concatenate([pairs[apart]] * 2)
            shape = (len(names) * n, n_pairs)
            signed = (c[apart], np.sign(c[apart]))
            preferences[by] = (
                *(csr_matrix((np.concatenate([v, -v]), (places, columns)), shape) for v in signed),
                csr_matrix((np.ones(len(places)), (places, columns)), shape),
            )
        errors = {}
        for by, (names, members) in self.groupings.items():
            errors[by] = np.zeros((len(amounts), len(names), n_pairs))
            for i, member in enumerate(members):
                # a quad with both subjects in a part is one quad of the part, not two
                once = slice(None) if i == 0 else np.flatnonzero(members[0][rows] != member[rows])
                cell = (member[rows].astype(np.int64) * n_pairs + pairs)[once]
                for k, amount in enumerate(amounts):
                    errors[by][k] += np.bincount(cell, amount[once], minlength=len(names) * n_pairs).reshape(
                        -1, n_pairs
                    )
        return _Template(preferences, errors)

    def _add(
        self, parts: Iterable[_Template], of_templates: Floats, of_pairs: Floats, portions: DrawnValues
    ) -> None:
        sums: dict[str, list[Floats]] = {}
        errors: dict[str, Floats] = {}
        n, drawn = len(self.columns.attributes), of_pairs.T.copy()
        # A quad's weight is that of its template times that of its pair. So one matrix product per template
        # sums its pairs, and only the result is multiplied by the template's weights: memory holds one
        # template in some rows of weights, never all cells in all rows.
        for t, part in enumerate(parts):
            weight = of_templates[:, t]
            for by, matrices in part.preferences.items():
                mine = [(m @ drawn).reshape(-1, n, len(of_pairs)) for m in matrices]  # type: ignore[operator]
                if by == "subject":
                    both = [preference(numerator, mine[2]) for numerator in mine[:2]]
                    for name, size, values in zip(SIZES, OF_ALL, both, strict=True):
                        portions.add("template", name, size(values, None)[0], t)
                        portions.chance(name, t).add(size, values)
                for k, product in enumerate(mine):
                    product *= weight
                    if t:
                        sums[by][k] += product
                    else:
                        sums.setdefault(by, []).append(product)
            for by, amounts in part.errors.items():
                mine_errors = amounts @ drawn
                if by == "all":
                    for k, name in enumerate(_MEANS):
                        portions.add("template", name, share(mine_errors[k, 0], mine_errors[-1, 0]), t)
                errors[by] = errors.get(by, 0) + mine_errors * weight
            del part  # before the next one is made
        self._collect(sums, errors, portions)

    def _collect(
        self, sums: Mapping[str, list[Floats]], errors: Mapping[str, Floats], portions: DrawnValues
    ) -> None:
        for by, amounts in errors.items():
            for k, name in enumerate(_MEANS):
                portions.add(by, name, share(amounts[k], amounts[-1]))
        of_cluster, per = self.columns.attributes_of_clusters, errors["attribute"]
        for k, name in enumerate(_MEANS):
            parts = [
                share(per[k, rows].sum(axis=0), per[-1, rows].sum(axis=0)) for rows in of_cluster.values()
            ]
            portions.add_all("attribute_cluster", name, parts)
        for by, (signed, signs, quads) in sums.items():
            both = [preference(numerator, quads) for numerator in (signed, signs)]
            whole = [preference(numerator.sum(axis=1), quads.sum(axis=1)) for numerator in (signed, signs)]
            for kind, values, total in zip(("gamma", "eta"), both, whole, strict=True):
                portions.add(f"{kind} {by}", kind, np.concatenate([values, total[:, None]], axis=1))
            if by == "subject":
                for part, sizes in self._sizes().items():
                    for name, size, values in zip(SIZES, sizes, both, strict=True):
                        portions.add(part, name, size(values, None))

    def _sizes(self) -> dict[str, tuple[Size, Size]]:
        return preference_sizes(self.columns)

    def _result(self, portions: DrawnValues) -> QuadValues:
        c, groups = self.columns, {}
        members = group_members(c)
        of_cells = cell_quads(c)
        by_kind = [
            {by: portions.stacked(f"{kind} {by}", kind) for by in self.kinds} for kind in ("gamma", "eta")
        ]
        sizes = self._sizes()
        # the last column is over all attributes
        preferences = [np.moveaxis(kind["subject"][:, :, :-1], 0, -1) for kind in by_kind]
        for by, (names, sides) in members.items():
            values = {name: portions.stacked(by, name) for name in (*MEASURES, *ANSWERS)}
            raised: dict[str, RaisedValues] = {}
            if self.draws:
                raised = (
                    {name: portions.raised_of_templates(name) for name in SIZES}
                    if by == "template"
                    else {
                        name: raised_values(size, rows, len(c.templates), complete=c.complete)
                        for name, size, rows in zip(SIZES, sizes[by], preferences, strict=True)
                    }
                )
            counts = level_counts(c, sides, len(names))
            groups[by] = GroupValues(names, values, raised, *counts, of_cells[by])
        quads, templates, pairs = {}, {}, {}
        n = len(c.attributes)
        for by, (names, one, other) in self.kinds.items():
            apart = one != other
            of_names = [np.where(apart, side, -1).astype(np.int32) for side in (one, other)]
            cells = [np.where(apart, side * n + c.attribute, -1).astype(np.int32) for side in (one, other)]
            counted = level_counts(c, cells, len(names) * n), level_counts(c, of_names, len(names))
            joined = [
                np.concatenate([of_cell.reshape(-1, n), of_name[:, None]], axis=1)
                for of_cell, of_name in zip(*counted, strict=True)
            ]
            quads[by], templates[by], pairs[by] = joined
        return QuadValues(groups, by_kind[0], by_kind[1], quads, templates, pairs)


def _of_parts(parts: Sequence[Any]) -> tuple[Size, Size]:
    """Return how μ and η of several ``parts`` of the subjects and attributes are computed."""

    def of_each(measure: Callable[[Floats, Floats | None], Floats]) -> Size:
        return lambda values, at: np.array([measure(values[p], None if at is None else at[p]) for p in parts])

    return of_each(mu), of_each(eta)


OF_ALL = _of_parts([np.s_[:]])
"""How μ and η of a whole class are computed."""


def preference_sizes(columns: QuadColumns) -> dict[str, tuple[Size, Size]]:
    """Return how μ and η are computed from γ and η(x, a), by grouping; those of a template are `OF_ALL`."""
    sizes: dict[str, tuple[Size, Size]] = {
        "subject": (
            lambda gamma, at: largest(gamma, 1, at),
            lambda values, at: mean_size(values, 1, at),
        ),
        "all": OF_ALL,
        "attribute": (
            lambda gamma, at: mean_size(gamma, 0, at),
            lambda values, at: mean_size(values, 0, at),
        ),
    }
    if of_clusters := columns.attributes_of_clusters:
        sizes["attribute_cluster"] = _of_parts([np.s_[:, part] for part in of_clusters.values()])
    if any(columns.clusters):
        sizes["cluster"] = _of_parts([np.s_[part] for part in columns.subjects_of_clusters])
    return sizes


def group_members(
    columns: QuadColumns,
) -> dict[str, tuple[tuple[str, ...], tuple[npt.NDArray[np.int32], ...]]]:
    """Return the parts of each grouping, and for each quad its one or two parts, or −1."""
    c = columns
    members: dict[str, tuple[tuple[str, ...], tuple[npt.NDArray[np.int32], ...]]] = {
        "all": (("all",), (np.zeros(c.rows, np.int32),)),
        "attribute": (c.attributes, (c.attribute,)),
        "subject": (c.subjects, (c.subject1, c.subject2)),
    }
    if any(c.clusters):
        members["cluster"] = (c.clusters, (c.cluster1, c.cluster2))
    members["template"] = (c.templates, (c.template,))
    if of_clusters := c.attributes_of_clusters:
        codes = np.full(len(c.attributes), -1, np.int32)
        for i, places in enumerate(of_clusters.values()):
            codes[places] = i
        members["attribute_cluster"] = (tuple(of_clusters), (codes[c.attribute],))
    return members
