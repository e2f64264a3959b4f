"""The measures of models on two versions of a dataset, and the interval of their change.

Both versions consist of clusters: the items that are in one pair or set, in either version, and those that
supersede them. A bootstrap draws clusters with replacement, the same ones for both versions: items that the
versions share then move both values, and do not widen the interval of the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.labels_by_model import ROLES, ModelLabels, labels_by_model
from nextset.auditing.measure_table import MEASURES, measure
from nextset.auditing.measures.counterfactual_bias import COUNTS_AS
from nextset.auditing.population import pairs, population, stances
from nextset.scoring.predicted_labels import onto_two

__all__ = ["DRAWS", "MeasureChange", "clusters", "measure_changes"]

DRAWS = 2000
"""Bootstrap samples."""
AT_ONCE = 4_000_000
"""The most weights in memory at a time."""
UNDEFINED_AT_MOST = 0.05
"""The share of draws in which a measure may be undefined; with more, there is no interval."""
_LINKS = ("counterpart_id", "supersedes")
_SETS = ("counterfactual_set", "set_id")
_SUMS = (
    "items", "right", "controls", "controls_right", "not_neutral", "pro", "anti",
    "paired", "paired_pro", "paired_anti", "paired_error", "paired_wrong",
)  # fmt: skip

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """A measure of a model on two versions of a dataset."""

    model: str
    """The model's published name."""
    measure: str
    """One of `nextset.auditing.measure_table.MEASURES`; empty if the model could not be compared."""
    before: float | None
    """The value on the old version, a fraction; null if it is undefined."""
    after: float | None
    """The value on the new version, a fraction; null if it is undefined."""
    change: float | None
    """After − before; null if either is."""
    low: float | None
    """The lower end of the change's 95 % bootstrap interval; null if there is none."""
    high: float | None
    """The upper end of the interval."""
    n_before: int
    """The number of items that the old value is a share of."""
    n_after: int
    """The number of items that the new value is a share of."""
    note: str | None
    """Why the model was not compared, or a value or the interval is null."""


def measure_changes(
    items_a: pa.Table, scores_a: pa.Table, items_b: pa.Table, scores_b: pa.Table, seed: int = 0
) -> list[MeasureChange]:
    """Return the measures of every model on the versions a and b, and the change from a to b.

    Tables are as for `nextset.auditing.measure_table.measure`. A model, by name and revision, is compared if
    it has a score for every item in both versions; one row says why others are not. Intervals are percentiles
    of `DRAWS` draws of `clusters`, from ``seed``; there is none for fewer than two clusters. The same rows in
    another order give the same result. Raises ArtifactError if counterparts are inconsistent.
    """
    tables_a, tables_b = _by_model(scores_a), _by_model(scores_b)
    reasons = {key: _why_not(key, (items_a, tables_a), (items_b, tables_b)) for key in {*tables_a, *tables_b}}
    code_a, code_b, n = clusters(items_a, items_b)
    ordered = sorted(reasons, key=lambda k: (_role(tables_a, tables_b, k), k))
    versions = {
        key: (
            _Version.of(items_a, tables_a[key], code_a, n),
            _Version.of(items_b, tables_b[key], code_b, n),
        )
        for key in ordered
        if reasons[key] is None
    }
    drawn = dict(zip(versions, _drawn(list(versions.values()), n, seed), strict=True))
    found: list[MeasureChange] = []
    for key in ordered:
        if (why := reasons[key]) is not None:
            found.append(_not_compared(key[0], why))
        else:
            found += _changes(key[0], *versions[key], drawn[key], n)
    return found


def clusters(items_a: pa.Table, items_b: pa.Table) -> tuple[Codes, Codes, int]:
    """Return the cluster of each row of both versions, and the number of clusters.

    Items are in one cluster if they have the same id, are counterparts, supersede each other, or share a
    counterfactual set or a set_id, in either version. Clusters are numbered by their smallest id.
    """
    parent: dict[str, str] = {}
    for table in (items_a, items_b):
        ids = table["id"].to_pylist()
        for id_ in ids:
            parent.setdefault(id_, id_)
        for name in (*_LINKS, *_SETS):
            if name in table.column_names:
                prefix = "" if name in _LINKS else f"{name}:"
                for id_, other in zip(ids, table[name].to_pylist(), strict=True):
                    if other is not None:
                        _join(parent, id_, prefix + other)
    smallest: dict[str, str] = {}
    known = sorted({*items_a["id"].to_pylist(), *items_b["id"].to_pylist()})
    for id_ in known:
        smallest.setdefault(_root(parent, id_), id_)
    number = {root: i for i, (root, _) in enumerate(sorted(smallest.items(), key=lambda kv: kv[1]))}
    codes = [
        np.array([number[_root(parent, id_)] for id_ in table["id"].to_pylist()], np.intp)
        for table in (items_a, items_b)
    ]
    return codes[0], codes[1], len(number)


@dataclass(frozen=True, slots=True)
class _Version:
    """A model on one version."""

    values: dict[str, tuple[float | None, int, str | None]]
    """Value, number of items and note, by measure."""
    sums: Floats
    """What each cluster adds to the counts that the measures consist of, shape (clusters, `_SUMS`)."""
    two_way: bool
    """Whether the model has two labels."""

    @classmethod
    def of(cls, items: pa.Table, scores: pa.Table, codes: Codes, n: int) -> _Version:
        (model,) = labels_by_model(items, [scores])
        rows = measure(items, [scores]).to_pylist()
        values = {r["measure"]: (r["value"], r["n"], r["note"]) for r in rows}
        return cls(values, _sums(items, model, codes, n), model.two_way)


def _changes(
    model: str, a: _Version, b: _Version, drawn: dict[str, Floats], n: int
) -> Iterator[MeasureChange]:
    for name in MEASURES:
        (before, n_before, note_a), (after, n_after, note_b) = a.values[name], b.values[name]
        change = None if before is None or after is None else after - before
        spread = drawn.get(name, np.empty(0))
        defined = spread[~np.isnan(spread)]
        low = high = None
        why = None
        if change is not None and n < 2:
            why = "no interval: there is only one cluster"
        elif change is not None and len(defined) < (1 - UNDEFINED_AT_MOST) * DRAWS:
            why = "no interval: too many draws leave it undefined"
        elif change is not None:
            low, high = (float(x) for x in np.percentile(defined, [2.5, 97.5]))
        yield MeasureChange(
            model=model,
            measure=name,
            before=before,
            after=after,
            change=change,
            low=low,
            high=high,
            n_before=n_before,
            n_after=n_after,
            note=_joined(note_a, note_b, why),
        )


def _joined(before: str | None, after: str | None, why: str | None) -> str | None:
    if before == after:
        parts = [before, why]
    else:
        parts = [before and f"old version: {before}", after and f"new version: {after}", why]
    return "; ".join(p for p in parts if p) or None


def _drawn(versions: Sequence[tuple[_Version, _Version]], n: int, seed: int) -> list[dict[str, Floats]]:
    """Return for each model the change of each measure in every draw; NaN if it is undefined in a version.

    All models have the same draws.
    """
    portions: list[list[dict[str, Floats]]] = [[] for _ in versions]
    for weights in _weights(n, seed) if versions and n > 1 else ():
        for (a, b), found in zip(versions, portions, strict=True):
            before, after = _measured(weights @ a.sums, a.two_way), _measured(weights @ b.sums, b.two_way)
            found.append({name: after[name] - before[name] for name in before})
    return [
        {name: np.concatenate([p[name] for p in found]) for name in (found or [{}])[0]} for found in portions
    ]


def _weights(n: int, seed: int) -> Iterator[Floats]:
    """Yield how often each of ``n`` clusters is drawn, in `DRAWS` draws; shape (some draws, clusters)."""
    random = np.random.default_rng(seed)
    at_once = max(1, AT_ONCE // n)
    for start in range(0, DRAWS, at_once):
        draws = min(at_once, DRAWS - start)
        places = random.integers(n, size=(draws, n)) + np.arange(draws)[:, None] * n
        yield np.bincount(places.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)


def _sums(items: pa.Table, model: ModelLabels, codes: Codes, n: int) -> Floats:
    """Return the counts of each cluster, shape (clusters, `_SUMS`)."""
    groups, stance, links = population(items), stances(items), pairs(items)
    right = np.array(items["label"].to_pylist(), dtype=np.str_)
    labels = model.labels
    correct = labels == (onto_two(right) if model.two_way else right)
    entailed, contradicted = labels == "entailment", labels == "contradiction"
    pro, anti = stance == "pro", stance == "anti"
    bias, controls = groups.bias, groups.controls
    found = np.zeros((n, len(_SUMS)))

    def add(name: str, rows: Codes, amounts: npt.NDArray[np.generic] | None = None) -> None:
        weights = np.ones(len(rows)) if amounts is None else amounts.astype(np.float64)
        found[:, _SUMS.index(name)] += np.bincount(codes[rows], weights, minlength=n)

    add("items", bias)
    add("right", bias, correct[bias])
    add("controls", controls)
    add("controls_right", controls, correct[controls])
    add("not_neutral", bias, (entailed | contradicted)[bias])
    add("pro", bias, ((entailed & pro) | (contradicted & anti))[bias])
    add("anti", bias, ((entailed & anti) | (contradicted & pro))[bias])
    first, second = links.stereotype, links.counterpart
    add("paired", first)
    add("paired", second)
    if not model.two_way and len(first):
        answers = zip(labels[first].tolist(), labels[second].tolist(), strict=True)
        counts = np.array([COUNTS_AS[answer] for answer in answers], np.float64)
        for k, name in enumerate(("paired_pro", "paired_anti", "paired_error")):
            add(name, first, counts[:, k])
        for rows in (first, second):
            add("paired_wrong", rows, labels[rows] != "neutral")
    return found


def _measured(sums: Floats, two_way: bool) -> dict[str, Floats]:
    """Return the measures of sums of shape (draws, `_SUMS`); NaN if they are undefined."""
    s = dict(zip(_SUMS, sums.T, strict=True))
    found = {
        "accuracy": _share(s["right"], s["items"]),
        "accuracy_controls": _share(s["controls_right"], s["controls"]),
    }
    if two_way:
        return found
    # (2 pro / not neutral − 1) (not neutral / items); 0 by convention if every prediction is neutral
    found["aggregate"] = _share(2 * s["pro"] - s["not_neutral"], s["items"])
    found["pro"], found["anti"] = _share(s["pro"], s["items"]), _share(s["anti"], s["items"])
    for name, part in (("pro", "pro"), ("anti", "anti"), ("error", "error"), ("misprediction", "wrong")):
        found[f"counterfactual_{name}"] = _share(s[f"paired_{part}"], s["paired"])
    return found


def _share(part: Floats, whole: Floats) -> Floats:
    found = np.full(len(whole), np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


Key = tuple[str, str]


def _by_model(scores: pa.Table) -> dict[Key, pa.Table]:
    """Return the scores by model and revision."""
    names = scores.select(["model", "revision"]).group_by(["model", "revision"]).aggregate([])
    return {
        (row["model"], row["revision"]): scores.filter(
            pc.and_(pc.equal(scores["model"], row["model"]), pc.equal(scores["revision"], row["revision"]))
        )
        for row in names.to_pylist()
    }


def _why_not(
    key: Key, a: tuple[pa.Table, dict[Key, pa.Table]], b: tuple[pa.Table, dict[Key, pa.Table]]
) -> str | None:
    """Return why the model is not compared; None if it has scores for every item of both versions."""
    for (_, tables), which in ((a, "old"), (b, "new")):
        if key not in tables:
            same = any(name == key[0] for name, _ in tables)
            if same:
                return f"not compared: the {which} version has scores of another revision than {key[1][:12]}"
            return f"not compared: the {which} version has no scores by it"
    for (items, tables), which in ((a, "old"), (b, "new")):
        if not set(tables[key]["role"].to_pylist()) <= set(ROLES):
            return f"not compared: its role in the {which} version is not one of {', '.join(ROLES)}"
        lacking = _without_score(items, tables[key])
        if lacking:
            return (
                f"not compared: {lacking:,} of {items.num_rows:,} items of the {which} version have no score"
            )
    return None


def _without_score(items: pa.Table, scores: pa.Table) -> int:
    scored = pc.sum(pc.is_in(items["id"], value_set=scores["item_id"])).as_py()
    return int(items.num_rows) - int(scored or 0)


def _role(a: dict[Key, pa.Table], b: dict[Key, pa.Table], key: Key) -> int:
    roles: Iterable[str] = [
        r for side in (a, b) if key in side for r in side[key]["role"].unique().to_pylist()
    ]
    return min((ROLES.index(r) if r in ROLES else len(ROLES) for r in roles), default=0)


def _not_compared(model: str, why: str) -> MeasureChange:
    return MeasureChange(
        model=model, measure="", before=None, after=None, change=None, low=None, high=None,
        n_before=0, n_after=0, note=why,
    )  # fmt: skip


def _root(parent: dict[str, str], name: str) -> str:
    while parent[name] != name:
        parent[name] = parent[parent[name]]
        name = parent[name]
    return name


def _join(parent: dict[str, str], first: str, second: str) -> None:
    parent.setdefault(second, second)
    a, b = _root(parent, first), _root(parent, second)
    parent[max(a, b)] = min(a, b)
