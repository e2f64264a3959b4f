"""Every item gets its counterpart, the group swapped in the hypothesis alone (Baldini et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nextset.records.content_ids import item_ids
from nextset.release.counterfactual_texts import Render

__all__ = ["is_counterfactual", "with_counterfactuals"]

_FLIPPED = {"pro": "anti", "anti": "pro", None: None}


def with_counterfactuals(items: pa.Table, render: Render) -> pa.Table:
    """``items``, behind them the counterparts that are not among them, and a column counterpart_id.

    A counterpart has the premise of its item and the groups swapped in hypothesis and question; stance and
    judged stance turn to the other, the other columns of the judgment are its item's, and it is not
    filtered (missed_by and kept_because are null, and fluency). Of equal ids the item that is there stays.
    counterpart_id is symmetric: an item has at most one counterpart, and is that one's counterpart; it is
    null for test items, for hypotheses that name no group, and where the counterpart belongs to another item
    already.
    """
    if "counterpart_id" in items.column_names:
        items = items.drop_columns(["counterpart_id"])
    rows = items.to_pylist()
    by_id = {row["id"]: row for row in rows}
    wanted = {row["id"]: row["parent_id"] for row in rows if _made_from(row, by_id)}
    for child, parent in list(wanted.items()):
        wanted.setdefault(parent, child)
    made = _made([row for row in rows if row["id"] not in wanted], items.schema, render)
    for child in made.to_pylist():
        wanted[child["parent_id"]] = child["id"]
    new = _new(made, by_id)
    wanted |= {child["id"]: child["parent_id"] for child in new.to_pylist()}
    table = pa.concat_tables([items, new])
    links = _links(wanted)
    return table.append_column(
        "counterpart_id", pa.array([links.get(id_) for id_ in table["id"].to_pylist()], pa.string())
    )


def is_counterfactual(items: pa.Table) -> list[bool]:
    """Of each row of a table with counterparts, whether it was made as the counterpart of another."""
    columns = (items["counterpart_id"].to_pylist(), items["parent_id"].to_pylist())
    return [c is not None and c == parent for c, parent in zip(*columns, strict=True)]


def _made_from(row: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether ``row`` was made as the counterpart of an item that is there, by this or an earlier run."""
    parent = by_id.get(row["parent_id"])
    return (
        parent is not None
        and parent["premise"] == row["premise"]
        and parent["stance_design"] == _FLIPPED.get(row["stance_design"])
    )


def _made(rows: Sequence[Mapping[str, Any]], schema: pa.Schema, render: Render) -> pa.Table:
    """The counterparts of ``rows`` with their ids, whether they are there already or not."""
    made = []
    for row in rows:
        texts = render(row) if row["stance_design"] in ("pro", "anti") else None
        if texts is not None and texts.hypothesis != row["hypothesis"]:
            made.append(_counterpart(row, texts.hypothesis, texts.question))
    table = pa.Table.from_pylist(made, schema=schema)
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


def _new(made: pa.Table, there: Mapping[str, Any]) -> pa.Table:
    """The first row of each id of ``made`` that is not ``there``."""
    seen = set(there)
    keep = []
    for id_ in made["id"].to_pylist():
        keep.append(id_ not in seen)
        seen.add(id_)
    return made.filter(pa.array(keep, pa.bool_()))


def _links(wanted: Mapping[str, str]) -> dict[str, str]:
    """Pairs out of what each item wants: first those who want each other, then in order those still free."""
    links: dict[str, str] = {}
    mutual = [(a, b) for a, b in wanted.items() if wanted.get(b) == a]
    for a, b in (*mutual, *wanted.items()):
        if a not in links and b not in links:
            links[a], links[b] = b, a
    return links
