"""The measures of models on two versions of a dataset, and the interval of their change.

The same templates are drawn for both versions. Items that the versions share therefore move both values, and
do not widen the interval of the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.audit_records import ComparisonRow, MeasureRow
from nextset.auditing.measures.measure import titled
from nextset.auditing.model_comparisons import compare_sets
from nextset.auditing.nli.answer_counts import MEASURES
from nextset.auditing.nli.item_counts import ItemCounts, ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measure_rows
from nextset.auditing.nli.labels_by_model import ROLES
from nextset.auditing.nli.nli_audit import set_changes
from nextset.bootstrap_intervals import FEW
from nextset.forms import NLI
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS

__all__ = ["MeasureChange", "measure_changes"]

OLD, NEW = "old", "new"
Key = tuple[str, str]
"""A model's name and revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """A measure of a model on two versions of a dataset."""

    model: str
    """The model's published name."""
    measure: str
    """One of `nextset.auditing.nli.answer_counts.MEASURES`; empty if the model could not be compared."""
    before: float | None
    """The value on the old version; null if undefined."""
    after: float | None
    """The value on the new version; null if undefined."""
    change: float | None
    """After − before; null if either is null."""
    low: float | None
    """The lower end of the change's 95 % bootstrap interval; null if there is none."""
    high: float | None
    """The upper end of the interval."""
    p_corrected: float | None
    """The p-value of no change, corrected for all measures and models (Holm)."""
    n_before: int
    """The items that the old value is a share of."""
    n_after: int
    """The items that the new value is a share of."""
    note: str | None
    """Why the model was not compared, or a value or the interval is null."""

    @property
    def title(self) -> str:
        """The measure in words, with its name in tables if that differs."""
        return titled(self.measure)


def measure_changes(
    items_a: pa.Table, scores_a: pa.Table, items_b: pa.Table, scores_b: pa.Table
) -> list[MeasureChange]:
    """Return the measures of every model on the versions a and b, and the change from a to b.

    Items have the columns `nextset.auditing.nli.item_counts.PROPERTIES` and those of `JUDGED` that are known,
    and scores are tables of `NliScore`. An item of b that supersedes an item of a is drawn with it. A model,
    identified by name and revision, is compared if it has a score for every item in both versions; for every
    other model, one row gives the reason. The order of rows does not matter.
    Raises ArtifactError if counterparts are inconsistent.
    """
    tables_a, tables_b = _by_model(scores_a), _by_model(scores_b)
    reasons = {key: _why_not(key, (items_a, tables_a), (items_b, tables_b)) for key in {*tables_a, *tables_b}}
    compared = [key for key, why in reasons.items() if why is None]
    a = _counts(OLD, items_a, [tables_a[key] for key in compared])
    b = _counts(NEW, _with_templates_of(items_a, items_b), [tables_b[key] for key in compared])
    changes = {(r.first_model, r.measure): r for r in compare_sets(set_changes(a, b, NLI.name))}
    values = [{(r.model, r.measure): r for r in measure_rows(side, NLI.name, "all")} for side in (a, b)]
    rows: list[MeasureChange] = []
    for key in sorted(reasons, key=lambda k: (_role(tables_a, tables_b, k), k)):
        if (why := reasons[key]) is not None:
            rows.append(_not_compared(key[0], why))
        else:
            rows += _changes(key[0], values[0], values[1], changes)
    return rows


def _counts(name: str, items: pa.Table, scores: Iterable[pa.Table]) -> ItemCounts:
    return count_items(ItemSet(name, items.num_rows, lambda: [items]), scores)


def _with_templates_of(before: pa.Table, after: pa.Table) -> pa.Table:
    """Return ``after``; an item that supersedes one of ``before`` gets the cluster columns of that item."""
    if "supersedes" not in after.column_names or not after["supersedes"].is_valid().to_numpy().any():
        return after
    places = pc.index_in(after["supersedes"], before["id"].combine_chunks())
    own_rows = pa.array(range(after.num_rows), pa.int32())
    rows = pc.if_else(places.is_valid(), pc.add(places, after.num_rows), own_rows)
    for name in ("domain", "stereotype", *PATTERN_COLUMNS):
        if name in before.column_names and name in after.column_names:
            own, old = after[name], before[name]
            old = old if old.type == own.type else old.cast(own.type)
            both = pa.chunked_array([*own.chunks, *old.chunks], own.type)
            after = after.set_column(after.column_names.index(name), name, both.take(rows))
    return after


def _changes(
    model: str,
    a: dict[Key, MeasureRow],
    b: dict[Key, MeasureRow],
    changes: dict[Key, ComparisonRow],
) -> Iterator[MeasureChange]:
    for name in MEASURES:
        before, after, change = a[model, name], b[model, name], changes.get((model, name))
        why = None
        if change is not None and change.low is None:
            why = f"no interval: at least {FEW} templates are needed in both versions"
        yield MeasureChange(
            model=model,
            measure=name,
            before=before.value,
            after=after.value,
            change=change.difference if change else None,
            low=change.low if change else None,
            high=change.high if change else None,
            p_corrected=change.p_corrected if change else None,
            n_before=before.n,
            n_after=after.n,
            note=_joined(_own(before), _own(after), why),
        )


def _own(row: MeasureRow) -> str | None:
    """Return the note on a value without the part about the value's own interval; None if nothing is left."""
    parts = [part for part in (row.note or "").split("; ") if not part.startswith("no interval")]
    return "; ".join(parts) or None


def _joined(before: str | None, after: str | None, why: str | None) -> str | None:
    if before == after:
        parts = [before, why]
    else:
        parts = [before and f"old version: {before}", after and f"new version: {after}", why]
    return "; ".join(p for p in parts if p) or None


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
                return f"not compared: the {which} version has scores of a revision other than {key[1][:12]}"
            return f"not compared: the {which} version has no scores of this model"
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
        model=model, measure="", before=None, after=None, change=None, low=None, high=None, p_corrected=None,
        n_before=0, n_after=0, note=why,
    )  # fmt: skip
