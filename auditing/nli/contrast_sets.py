"""The items of each pair of groups, for stereotypes that compare their target with several groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.nli.item_counts import ItemSet

__all__ = ["contrast_sets"]

_MOST = 24
"""The most pairs that are measured: more are names of people or spellings, not groups of a template."""
_LINKS = ("counterpart_id",)
"""The columns that link items of different pairs of groups."""
_TEXTS = ("premise", "hypothesis")
_KEYS = ("stereotype", "target", "other")

Pair = tuple[str, str]


def contrast_sets(items: ItemSet) -> Mapping[str, ItemSet]:
    """Return the items of each pair of groups by its name, such as nurses × pilots, sorted.

    Only stereotypes count whose one target is compared with several groups. An item whose texts name no
    other group, such as nurses are tidy, is in the sets of all pairs of its stereotype. The sets have no
    counterparts, since a counterpart can be about a third group.
    """
    pairs: dict[str, set[Pair]] = defaultdict(set)
    for table in items.shards():
        for row in _pairs(table).group_by(list(_KEYS)).aggregate([]).to_pylist():
            if row["target"] is not None:
                pairs[row["stereotype"]].add((row["target"], row["other"]))
    several = {s: of for s, of in pairs.items() if len(of) > 1 and len({target for target, _ in of}) == 1}
    names = sorted({pair for of in several.values() for pair in of})
    if len(names) > _MOST:
        return {}
    return {
        " × ".join(pair): replace(
            items, shards=_of_pair(items, pair, [s for s in several if pair in several[s]])
        )
        for pair in names
    }


def _of_pair(items: ItemSet, pair: Pair, stereotypes: list[str]) -> Callable[[], Iterable[pa.Table]]:
    def shards() -> Iterator[pa.Table]:
        for table in items.shards():
            named = _pairs(table)
            of_target = pc.fill_null(pc.equal(named["target"], pair[0]), False)
            of_target = pc.and_(of_target, pc.is_in(named["stereotype"], value_set=pa.array(stereotypes)))
            shared = _names_no_other(table, pc.filter(named["other"], of_target), named["other"])
            chosen = pc.and_(of_target, pc.or_(pc.equal(named["other"], pair[1]), shared))
            links = [name for name in _LINKS if name in table.column_names]
            yield table.filter(pc.fill_null(chosen, False)).drop_columns(links)

    return shards


def _names_no_other(table: pa.Table, groups: pa.ChunkedArray, others: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return True for each item whose texts do not name its other group, if that is among ``groups``."""
    shared = pc.is_in(others, value_set=pa.array([], pa.string()))
    for group in pc.unique(groups).to_pylist():
        named = [pc.match_substring(table[name], group, ignore_case=True) for name in _TEXTS]
        without = pc.invert(pc.fill_null(pc.or_(*named), False))
        shared = pc.or_(shared, pc.and_(pc.equal(others, group), without))
    return shared


def _pairs(table: pa.Table) -> pa.Table:
    """Return the stereotype of each item, and its groups, the stereotype's own first; null for controls."""
    none = pa.nulls(table.num_rows, pa.string())
    groups = [none, none]
    if "bindings" in table.column_names and pa.types.is_struct(table["bindings"].type):
        groups = [pc.struct_field(table["bindings"], name) for name in ("group1", "group2")]
    stance = table["stance_design"]
    pro, anti = pc.equal(stance, "pro"), pc.equal(stance, "anti")
    columns = [pc.if_else(pro, one, pc.if_else(anti, other, none)) for one, other in (groups, groups[::-1])]
    return pa.table([table["stereotype"], *columns], names=list(_KEYS))
