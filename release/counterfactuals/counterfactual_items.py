"""Counterparts of released items: the groups swapped only in the hypothesis (Baldini et al. 2023).

This module makes the items; `nextset.release.counterfactuals.swapped_texts` makes their texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nextset.records.content_ids import item_ids
from nextset.release.counterfactuals.swapped_texts import TextRenderer

__all__ = ["is_counterfactual", "with_counterfactuals"]

_FLIPPED = {"pro": "anti", "anti": "pro", None: None}


def with_counterfactuals(items: pa.Table, render: TextRenderer) -> pa.Table:
    """Return ``items`` followed by their missing counterparts, with a column counterpart_id.

    A counterpart has the premise of its item and the groups swapped in hypothesis and question. Its stance
    and judged stance are the opposite, the other columns of the judgment are its item's, and it is not
    filtered (missed_by, kept_because and fluency are null). If an id already exists, the existing item
    remains. counterpart_id is symmetric: an item has at most one counterpart, and is that one's counterpart.
    It is null for test items, for hypotheses that name no group, and if the counterpart already belongs to a
    different item.
    """
    if "counterpart_id" in items.column_names:
        items = items.drop_columns(["counterpart_id"])
    rows = items.to_pylist()
    by_id = {row["id"]: row for row in rows}
    preferred = {row["id"]: row["parent_id"] for row in rows if _is_counterpart(row, by_id)}
    for child, parent in list(preferred.items()):
        preferred.setdefault(parent, child)
    candidates = _counterparts([row for row in rows if row["id"] not in preferred], items.schema, render)
    for child in candidates.to_pylist():
        preferred[child["parent_id"]] = child["id"]
    new = _without_existing(candidates, by_id)
    preferred |= {child["id"]: child["parent_id"] for child in new.to_pylist()}
    table = pa.concat_tables([items, new])
    links = _links(preferred)
    return table.append_column(
        "counterpart_id", pa.array([links.get(id_) for id_ in table["id"].to_pylist()], pa.string())
    )


def is_counterfactual(items: pa.Table) -> list[bool]:
    """Return for each row of a table with counterparts whether nextset made it as a counterpart."""
    columns = (items["counterpart_id"].to_pylist(), items["parent_id"].to_pylist())
    return [c is not None and c == parent for c, parent in zip(*columns, strict=True)]


def _is_counterpart(row: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether ``row`` is the counterpart of an item in ``by_id``, made by this or an earlier run."""
    parent = by_id.get(row["parent_id"])
    return (
        parent is not None
        and parent["premise"] == row["premise"]
        and parent["stance_design"] == _FLIPPED.get(row["stance_design"])
    )


def _counterparts(rows: Sequence[Mapping[str, Any]], schema: pa.Schema, render: TextRenderer) -> pa.Table:
    """Return the counterparts of ``rows`` with their ids, including those that already exist."""
    counterparts = []
    for row in rows:
        texts = render(row) if row["stance_design"] in ("pro", "anti") else None
        if texts is not None and texts.hypothesis != row["hypothesis"]:
            counterparts.append(_counterpart(row, texts.hypothesis, texts.question))
    table = pa.Table.from_pylist(counterparts, schema=schema)
    at = schema.get_field_index("id")
    return table.set_column(at, schema.field(at), pa.array(item_ids(table), pa.string()))


def _counterpart(row: Mapping[str, Any], hypothesis: str, question: str) -> dict[str, Any]:
    bindings = row["bindings"]
    swapped = {"group1": bindings["group2"], "group2": bindings["group1"]}
    flipped = {
        name: _FLIPPED[row[name]] for name in ("stance_design", "stance_judged") if row.get(name) is not None
    }
    return {
        **row,
        **flipped,
        "hypothesis": hypothesis,
        "question": question,
        "bindings": {**bindings, **swapped},
        "parent_id": row["id"],
        "supersedes": None,
        "missed_by": None,
        "kept_because": None,
        "fluency": None,
    }


def _without_existing(items: pa.Table, existing: Mapping[str, Any]) -> pa.Table:
    """Return the first row of each id of ``items`` that is not among the ``existing`` ids."""
    seen = set(existing)
    keep = []
    for id_ in items["id"].to_pylist():
        keep.append(id_ not in seen)
        seen.add(id_)
    return items.filter(pa.array(keep, pa.bool_()))


def _links(preferred: Mapping[str, str]) -> dict[str, str]:
    """Pair the items by their preferred counterparts: mutual preferences first, then in order."""
    links: dict[str, str] = {}
    mutual = [(a, b) for a, b in preferred.items() if preferred.get(b) == a]
    for a, b in (*mutual, *preferred.items()):
        if a not in links and b not in links:
            links[a], links[b] = b, a
    return links
