"""The measures of one model on the quads of one class, for each row of weights of the bootstrap.

A quad counts as often as its template and its pair of subjects; the same statistic is computed for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nextset.auditing.measures.attribute_error import attribute_error
from nextset.auditing.measures.bias_intensity import largest, mean_size, preference
from nextset.auditing.measures.positional_error import positional_error
from nextset.auditing.measures.share import share
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.cluster_bootstrap import level_weights
from nextset.scoring.subjects.quad_bias import comparative

__all__ = ["ERRORS", "MEASURES", "GroupValues", "QuadValues", "quad_values"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

ERRORS = ("positional_error", "attribute_error", "mean_c")
"""The measures that are means over quads: δ, ε and the mean of |C|."""
MEASURES = (*ERRORS, "mu", "eta")
"""All measures of a class: δ, ε, mean |C|, μ, η."""
AT_ONCE = 64
"""Rows of weights that are evaluated at a time."""


@dataclass(frozen=True)
class GroupValues:
    """The measures of the parts of one grouping."""

    names: tuple[str, ...]
    """The parts' names."""
    values: Mapping[str, Floats]
    """For each of `MEASURES` its values, shape (rows of weights, parts); NaN if undefined."""
    quads: Codes
    """The number of quads of each part."""
    templates: Codes
    """The number of their templates."""
    pairs: Codes
    """The number of their pairs of subjects."""


@dataclass(frozen=True)
class QuadValues:
    """All measures of one model on the quads of one class."""

    groups: Mapping[str, GroupValues]
    """By grouping: all, subject, attribute, attribute_cluster, cluster and template."""
    gamma: Mapping[str, Floats]
    """γ of subjects and of clusters, shape (rows of weights, names, attributes + 1); the last one is γ(x)."""
    eta: Mapping[str, Floats]
    """η in the same way."""
    quads: Mapping[str, Codes]
    """The number of quads behind each, shape (names, attributes + 1)."""
    templates: Mapping[str, Codes]
    """The number of their templates."""
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

    Without ``draws`` there is one row of weights, that of the values themselves. Li et al. (2020), equations
    2 to 9.
    """
    return _Evaluation(columns, scores, draws).values(tick)


@dataclass(frozen=True)
class _Template:
    """The sums of the quads of one template, as matrices whose columns are pairs of subjects."""

    preferences: Mapping[str, tuple[object, object, object]]
    """For subjects and clusters the sums of C, of its sign and of 1; rows are name × attribute."""
    errors: Mapping[str, Floats]
    """For each grouping the sums of `ERRORS` and of 1, shape (4, parts, pairs)."""


@dataclass
class _Sums:
    """What is added up over templates for some rows of weights."""

    preferences: dict[str, list[Floats]] = field(default_factory=dict)
    errors: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class _Evaluation:
    columns: QuadColumns
    scores: Floats
    draws: bool

    @cached_property
    def pair(self) -> tuple[Codes, int]:
        """The pair of subjects of each quad, regardless of their order, and the number of pairs."""
        one, other = self.columns.subject1.astype(np.int64), self.columns.subject2.astype(np.int64)
        joint = np.minimum(one, other) * len(self.columns.subjects) + np.maximum(one, other)
        return _compact(joint, len(self.columns.subjects) ** 2)

    @cached_property
    def weights(self) -> tuple[Floats, ...]:
        sizes = (len(self.columns.templates), self.pair[1])
        return level_weights(sizes) if self.draws else tuple(np.ones((1, n)) for n in sizes)

    @cached_property
    def kinds(self) -> Mapping[str, tuple[tuple[str, ...], npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """For subjects and clusters: the names, and the name of each quad's first and second subject."""
        c = self.columns
        found = {"subject": (c.subjects, c.subject1, c.subject2)}
        if any(c.clusters):
            found["cluster"] = (c.clusters, c.cluster1, c.cluster2)
        return found

    @cached_property
    def groupings(self) -> Mapping[str, tuple[tuple[str, ...], Sequence[npt.NDArray[np.int32]]]]:
        """The parts of each grouping, and for each quad the one or two parts that it belongs to."""
        c = self.columns
        kinds = {by: (names, (first, second)) for by, (names, first, second) in self.kinds.items()}
        return {
            "all": (("all",), (np.zeros(c.rows, np.int32),)),
            "attribute": (c.attributes, (c.attribute,)),
            **kinds,
        }

    def values(self, tick: Callable[[int, int], None]) -> QuadValues:
        parts = [self._template(t) for t in range(len(self.columns.templates))]
        of_templates, of_pairs = self.weights
        rows = len(of_pairs)
        found = _Collected()
        for start in range(0, rows, AT_ONCE):
            self._add(parts, of_templates[start : start + AT_ONCE], of_pairs[start : start + AT_ONCE], found)
            tick(min(start + AT_ONCE, rows), rows)
        return self._result(found)

    def _template(self, template: int) -> _Template:
        from scipy.sparse import csr_matrix

        rows = np.flatnonzero(self.columns.template == template)
        first, second = self.scores[0::2, rows], self.scores[1::2, rows]
        pairs, n_pairs = self.pair[0][rows], self.pair[1]
        c = comparative(first, second).c
        amounts = np.array(
            [positional_error(first, second), attribute_error(first, second), np.abs(c), np.ones(len(c))]
        )
        attribute, n = self.columns.attribute[rows].astype(np.int64), len(self.columns.attributes)
        preferences = {}
        for by, (names, one, other) in self.kinds.items():
            sides = one[rows].astype(np.int64), other[rows].astype(np.int64)
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
                once = slice(None) if i == 0 else np.flatnonzero(members[0][rows] != member[rows])
                cell = (member[rows].astype(np.int64) * n_pairs + pairs)[once]
                for k, amount in enumerate(amounts):
                    errors[by][k] += np.bincount(cell, amount[once], minlength=len(names) * n_pairs).reshape(
                        -1, n_pairs
                    )
        return _Template(preferences, errors)

    def _add(
        self, parts: Sequence[_Template], of_templates: Floats, of_pairs: Floats, found: _Collected
    ) -> None:
        sums: dict[str, list[Floats]] = {}
        errors: dict[str, Floats] = {}
        n, drawn = len(self.columns.attributes), of_pairs.T.copy()
        for t, part in enumerate(parts):
            weight = of_templates[:, t]
            for by, matrices in part.preferences.items():
                mine = [(m @ drawn).reshape(-1, n, len(of_pairs)) for m in matrices]  # type: ignore[operator]
                if by == "subject":
                    found.add("template", "mu", mean_size(largest(preference(mine[0], mine[2]), 1), 0), t)
                    found.add("template", "eta", mean_size(preference(mine[1], mine[2]), (0, 1)), t)
                for k, some in enumerate(mine):
                    some *= weight
                    if t:
                        sums[by][k] += some
                    else:
                        sums.setdefault(by, []).append(some)
            for by, amounts in part.errors.items():
                mine_errors = amounts @ drawn
                if by == "all":
                    for k, name in enumerate(ERRORS):
                        found.add("template", name, share(mine_errors[k, 0], mine_errors[-1, 0]), t)
                errors[by] = errors.get(by, 0) + mine_errors * weight
        self._collect(sums, errors, found)

    def _collect(
        self, sums: Mapping[str, list[Floats]], errors: Mapping[str, Floats], found: _Collected
    ) -> None:
        for by, amounts in errors.items():
            for k, name in enumerate(ERRORS):
                found.add(by, name, share(amounts[k], amounts[-1]))
        of_cluster = _members(self.columns.attribute_clusters)
        shape = len(of_cluster), errors["all"].shape[-1]  # some sets have no clusters of attributes
        for k, name in enumerate(ERRORS):
            per = errors["attribute"]
            found.add("attribute_cluster", name, np.array(
                [share(per[k, rows].sum(axis=0), per[-1, rows].sum(axis=0)) for rows in of_cluster.values()]
            ).reshape(shape))  # fmt: skip
        for by, (signed, signs, quads) in sums.items():
            gamma, eta = preference(signed, quads), preference(signs, quads)
            whole = [preference(some.sum(axis=1), quads.sum(axis=1)) for some in (signed, signs)]
            for kind, values, total in (("gamma", gamma, whole[0]), ("eta", eta, whole[1])):
                joined = np.concatenate([values, total[:, None]], axis=1)
                found.add(f"{kind} {by}", kind, joined)
            if by != "subject":
                continue
            top = largest(gamma, 1)
            found.add("subject", "mu", top)
            found.add("subject", "eta", mean_size(eta, 1))
            found.add("all", "mu", mean_size(top, 0)[None])
            found.add("all", "eta", mean_size(eta, (0, 1))[None])
            found.add("attribute", "mu", mean_size(gamma, 0))
            found.add("attribute", "eta", mean_size(eta, 0))
            mu = [mean_size(largest(gamma[:, rows], 1), 0) for rows in of_cluster.values()]
            found.add("attribute_cluster", "mu", np.array(mu).reshape(shape))
            sizes = [mean_size(eta[:, rows], (0, 1)) for rows in of_cluster.values()]
            found.add("attribute_cluster", "eta", np.array(sizes).reshape(shape))
            if "cluster" in self.kinds:
                members = [np.flatnonzero(self._in_cluster[:, k]) for k in range(len(self.columns.clusters))]
                found.add("cluster", "mu", np.array([mean_size(top[rows], 0) for rows in members]))
                found.add("cluster", "eta", np.array([mean_size(eta[rows], (0, 1)) for rows in members]))

    @cached_property
    def _in_cluster(self) -> npt.NDArray[np.bool_]:
        """Whether each subject belongs to each cluster, shape (subjects, clusters)."""
        c = self.columns
        found = np.zeros((len(c.subjects), len(c.clusters)), np.bool_)
        found[c.subject1, c.cluster1] = True
        found[c.subject2, c.cluster2] = True
        return found

    def _result(self, found: _Collected) -> QuadValues:
        c, groups = self.columns, {}
        members = {
            **{by: (names, places) for by, (names, places) in self.groupings.items()},
            "attribute_cluster": (
                tuple(_members(c.attribute_clusters)),
                (_cluster_codes(c.attribute_clusters)[c.attribute],),
            ),
            "template": (c.templates, (c.template,)),
        }
        for by, (names, places) in members.items():
            values = {name: found.stacked(by, name) for name in MEASURES}
            counts = self._sizes(places, len(names))
            groups[by] = GroupValues(names, values, *counts)
        quads, templates, pairs = {}, {}, {}
        n = len(c.attributes)
        for by, (names, one, other) in self.kinds.items():
            apart = np.flatnonzero(one != other)
            sides = [side[apart].astype(np.int64) for side in (one, other)]
            cell = [side * n + c.attribute[apart] for side in sides]
            counted = [
                self._counts(np.concatenate(cell), np.concatenate([apart] * 2), len(names) * n),
                self._counts(np.concatenate(sides), np.concatenate([apart] * 2), len(names)),
            ]
            joined = [
                np.concatenate([of_cell.reshape(-1, n), of_name[:, None]], axis=1)
                for of_cell, of_name in zip(*counted, strict=True)
            ]
            quads[by], templates[by], pairs[by] = joined
        by_kind = [
            {by: found.stacked(f"{kind} {by}", kind) for by in self.kinds} for kind in ("gamma", "eta")
        ]
        return QuadValues(groups, by_kind[0], by_kind[1], quads, templates, pairs)

    def _sizes(self, places: Sequence[npt.NDArray[np.int32]], n: int) -> tuple[Codes, Codes, Codes]:
        rows: list[npt.NDArray[np.intp]] = [np.arange(self.columns.rows)]
        rows += [np.flatnonzero(places[0] != other) for other in places[1:]]
        codes: Codes = np.concatenate([p[some] for p, some in zip(places, rows, strict=True)]).astype(
            np.int64
        )
        named = codes >= 0  # some attributes have no cluster
        return self._counts(codes[named], np.concatenate(rows)[named], n)

    def _counts(self, codes: Codes, rows: npt.NDArray[np.intp], n: int) -> tuple[Codes, Codes, Codes]:
        """The number of quads, of templates and of pairs of each code; ``rows`` are the quads."""
        quads = np.bincount(codes, minlength=n)
        t, p = len(self.columns.templates), self.pair[1]
        found = []
        for level, size in ((self.columns.template[rows], t), (self.pair[0][rows], p)):
            there = np.zeros((n, size), np.bool_)
            there[codes, level] = True
            found.append(there.sum(axis=1))
        return quads, found[0], found[1]


@dataclass
class _Collected:
    """The values of each grouping and measure, portion by portion of the rows of weights."""

    portions: dict[tuple[str, str], list[Floats]] = field(default_factory=dict)
    """Arrays whose last axis is the rows; of templates one after the other."""
    of_template: dict[tuple[str, int], list[Floats]] = field(default_factory=dict)

    def add(self, by: str, name: str, values: Floats, template: int | None = None) -> None:
        if template is None:
            self.portions.setdefault((by, name), []).append(values)
        else:
            self.of_template.setdefault((name, template), []).append(values)

    def stacked(self, by: str, name: str) -> Floats:
        """All rows, as the first axis."""
        if by == "template":
            places = sorted(t for measure, t in self.of_template if measure == name)
            return np.column_stack([np.concatenate(self.of_template[name, t]) for t in places])
        found: Floats = np.concatenate(self.portions[by, name], axis=-1)
        return np.moveaxis(found, -1, 0)


def _compact(codes: Codes, size: int) -> tuple[Codes, int]:
    there = np.zeros(size, np.bool_)
    there[codes] = True
    return (np.cumsum(there) - 1)[codes], int(there.sum())


def _members(names: Sequence[str]) -> dict[str, Codes]:
    """The places of each name, by name."""
    found: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        found.setdefault(name, []).append(i)
    return {name: np.array(places) for name, places in sorted(found.items()) if name}


def _cluster_codes(names: Sequence[str]) -> npt.NDArray[np.int32]:
    order = list(_members(names))
    return np.array([order.index(name) if name else -1 for name in names], np.int32)
