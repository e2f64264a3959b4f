"""Counterparts of released items: the groups swapped only in the hypothesis (Baldini et al. 2023).

This module makes the items and links them. The module `counterpart_rendering` makes their texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.generation.templates.item_rendering import CounterfactualTexts, counterfactual_groups
from nextset.records.content_ids import content_id, item_ids
from nextset.release.counterfactuals.counterpart_rendering import TextRenderer
from nextset.release.counterfactuals.imported_counterparts import GroupTexts, Rendering
from nextset.release.counterfactuals.phrase_swap import FlagReason, SwapFlag

__all__ = [
    "Counterfactuals",
    "ItemFlag",
    "is_counterfactual",
    "with_counterfactuals",
    "without_lost_links",
]

_OF_THE_FILTER = ("missed_by", "unanswered_by", "kept_because")
_OF_THE_FILL = ("fluency", "relative_fluency", "fill_marks")
"""Columns that describe the fill of an item and do not apply to a text with other groups."""
_FLIPPED = {"pro": "anti", "anti": "pro", None: None}
_LINKS = ("counterpart_id", "counterfactual_set")
_READ = (
    *("id", "language", "domain", "stereotype", "template_id", "premise", "hypothesis", "question"),
    *("stance_design", "bindings", "names_group", "parent_id"),
)
_IDENTITY = ("language", "stereotype", "stance_design", "premise", "hypothesis", "question")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ItemFlag:
    """A reason why a person should check an item's counterparts."""

    item_id: str
    reason: FlagReason
    term: str
    """The term in the text, or the groups."""
    group: str
    """The group of the counterpart that is missing for this reason; empty if none is missing."""


@dataclass(frozen=True)
class Counterfactuals:
    """Items with their counterparts."""

    items: pa.Table
    """The items, then the new counterparts, with the columns counterpart_id and counterfactual_set."""
    flags: tuple[ItemFlag, ...]
    """The items that a person should check, with the reasons."""


@dataclass(frozen=True)
class _Candidate:
    """A text that a counterpart of an item may have."""

    parent: Row
    """The item."""
    texts: CounterfactualTexts
    """The counterpart's texts."""
    group: GroupTexts
    """The counterpart's group, with all its texts."""
    target: str = ""
    """The group that the stereotype is about, if the template has more than two groups; else empty."""

    @property
    def flips(self) -> bool:
        """True if the counterpart has the opposite stance: its group is the target, or the item's is."""
        return not self.target or self.target in (self.group.group, self.parent["bindings"]["group1"])

    @property
    def stance(self) -> str | None:
        """The counterpart's stance_design."""
        stance = self.parent["stance_design"]
        return _FLIPPED[stance] if self.flips else stance

    @property
    def groups(self) -> tuple[str, str] | None:
        """The first and second group of the counterpart's bindings; None if the item's are swapped."""
        if not self.target:
            return None
        return counterfactual_groups(self.parent["bindings"], self.group.group, (self.target,))


def with_counterfactuals(
    items: pa.Table, render: TextRenderer, imported: pa.Array | None = None
) -> Counterfactuals:
    """Return ``items`` followed by their missing counterparts, with counterpart_id and counterfactual_set.

    A counterpart has the premise of its item and the groups swapped in hypothesis and question. Its stance
    and judged stance are the opposite, the other columns of the judgment are its item's, and it is not
    filtered (missed_by, unanswered_by, kept_because and the columns of the fill are null). If an id already
    exists, the existing item remains. An ambiguous or doubtful item gets no new counterpart. It is linked if
    exactly one of its possible texts exists. If none exists in ``items``, but exactly one has an id in
    ``imported``, that text becomes its counterpart.

    counterpart_id is symmetric: an item has at most one counterpart, and is the counterpart of its
    counterpart. In a set of more than two groups, counterpart_id links the item to the member with the
    smallest id. It is null for test items, for hypotheses that name no group, and if the counterpart already
    belongs to a different item. All members of a pair or set share counterfactual_set. names_group becomes
    true for items that name a group according to ``render``.

    All members of a set share language, stereotype and premise, so a table can be divided by these columns.
    """
    items = items.drop_columns([name for name in _LINKS if name in items.column_names])
    rows = items.select(_READ).to_pylist()
    by_id = {row["id"]: row for row in rows}
    parent_of = {row["id"]: row["parent_id"] for row in rows if _is_counterpart(row, by_id)}
    parents = set(parent_of.values())
    rendered = [
        (row, rendering)
        for row in rows
        if row["id"] not in parent_of and row["stance_design"] in ("pro", "anti")
        if (rendering := render(row)) is not None and (row["id"] not in parents or len(rendering.groups) > 1)
    ]
    made, edges, flags = _linked(rendered, by_id, imported)
    edges |= dict.fromkeys(((parent, child) for child, parent in parent_of.items()), True)
    parent_of |= {id_: candidate.parent["id"] for id_, candidate in made.items() if candidate.flips}
    table = pa.concat_tables(
        [
            _naming_groups(items, {row["id"] for row, rendering in rendered if rendering.names_group}),
            _counterparts(items, made),
        ]
    )
    links, sets = _links(_preferred(parent_of, edges)), _sets(edges)
    ids = table["id"].to_pylist()
    table = table.append_column("counterpart_id", pa.array([links.get(i) for i in ids], pa.string()))
    table = table.append_column("counterfactual_set", pa.array([sets.get(i) for i in ids], pa.string()))
    return Counterfactuals(
        table, tuple(flag for flag in flags if flag.reason != _UNKNOWN or flag.item_id not in sets)
    )


def without_lost_links(items: pa.Table) -> pa.Table:
    """Return ``items`` without counterpart_ids of absent items and counterfactual_sets of one member.

    ``items`` has whole sets: some members may have been removed, but no member is in another table.
    """
    there = pc.is_in(items["counterpart_id"], value_set=items["id"].combine_chunks())
    members = Counter(items["counterfactual_set"].to_pylist())
    several = pa.array([members[set_] > 1 for set_ in items["counterfactual_set"].to_pylist()], pa.bool_())
    for name, kept in (("counterpart_id", there), ("counterfactual_set", several)):
        at = items.schema.get_field_index(name)
        links = pc.if_else(kept, items[name], pa.scalar(None, pa.string()))
        items = items.set_column(at, items.schema.field(at), links)
    return items


def is_counterfactual(items: pa.Table) -> list[bool]:
    """Return for each row of a table with counterparts whether nextset made the row as a counterpart."""
    parents, others = items["parent_id"].to_pylist(), items["counterpart_id"].to_pylist()
    if "kept_because" not in items.column_names or "counterfactual_set" not in items.column_names:
        return [o is not None and o == p for o, p in zip(others, parents, strict=True)]
    sets, kept = items["counterfactual_set"].to_pylist(), items["kept_because"].to_pylist()
    # In a set of more than two groups, only one member is linked to the item that it was made from.
    return [
        p is not None and (o == p or (s is not None and k is None))
        for p, o, s, k in zip(parents, others, sets, kept, strict=True)
    ]


def _is_counterpart(row: Row, by_id: Mapping[str, Row]) -> bool:
    """Return whether ``row`` is the counterpart of an item in ``by_id``, made by this or an earlier run."""
    parent = by_id.get(row["parent_id"])
    return (
        parent is not None
        and parent["premise"] == row["premise"]
        and parent["stance_design"] == _FLIPPED.get(row["stance_design"])
    )


_UNKNOWN: FlagReason = "stereotyped group unknown"

Edges = dict[tuple[str, str], bool]
"""From an item's id to its counterparts' ids, in their order: True if their stances are opposite."""


def _linked(
    rendered: Sequence[tuple[Row, Rendering]], by_id: Mapping[str, Row], imported: pa.Array | None
) -> tuple[dict[str, _Candidate], Edges, list[ItemFlag]]:
    """Return the new counterparts by their ids, all links to their items, and the flags."""
    candidates = [c for row, rendering in rendered for c in _candidates(row, rendering)]
    ids = _existing_ids(candidates, _candidate_ids(candidates), by_id)
    existing: dict[tuple[str, str], list[str]] = {}
    elsewhere: dict[tuple[str, str], list[str]] = {}
    doubted = [(c, i) for c, i in zip(candidates, ids, strict=True) if len(c.group.texts) != 1]
    there = _among([id_ for _, id_ in doubted], imported)
    for candidate, id_ in doubted:
        key = (candidate.parent["id"], candidate.group.group)
        if id_ in by_id:
            existing.setdefault(key, []).append(id_)
        elif id_ in there:
            elsewhere.setdefault(key, []).append(id_)
    existing = elsewhere | existing
    new: dict[str, _Candidate] = {}
    edges: Edges = {}
    for candidate, id_ in zip(candidates, ids, strict=True):
        parent = candidate.parent["id"]
        if len(candidate.group.texts) == 1 or existing.get((parent, candidate.group.group)) == [id_]:
            edges[parent, id_] = candidate.flips
            if id_ not in by_id:
                new.setdefault(id_, candidate)
    resolved = {key for key, children in existing.items() if len(children) == 1}
    return new, edges, list(_flags(rendered, resolved))


def _candidates(row: Row, found: Rendering) -> Iterator[_Candidate]:
    if len(found.groups) > 1 and row["stance_design"] != "pro" and not found.target:
        return  # it is unknown which of the other groups the stereotype is about
    for group in found.groups:
        for texts in (*group.texts, *group.doubted):
            if texts.hypothesis != row["hypothesis"]:
                yield _Candidate(row, texts, group, found.target)


def _existing_ids(candidates: Sequence[_Candidate], ids: list[str], by_id: Mapping[str, Row]) -> list[str]:
    """Return ``ids``; if a text exists only with a small first letter (white people), with that text's id."""
    small = [
        (
            i,
            replace(
                c, texts=replace(c.texts, hypothesis=c.texts.hypothesis[0].lower() + c.texts.hypothesis[1:])
            ),
        )
        for i, (c, id_) in enumerate(zip(candidates, ids, strict=True))
        if id_ not in by_id and c.group.group and c.texts.hypothesis[0].isupper()
    ]
    small_ids = _candidate_ids([c for _, c in small])
    other = {i: id_ for (i, _), id_ in zip(small, small_ids, strict=True) if id_ in by_id}
    return [other.get(i, id_) for i, id_ in enumerate(ids)]


def _among(ids: Sequence[str], imported: pa.Array | None) -> set[str]:
    """Return the ``ids`` that are ``imported``."""
    if imported is None or not ids:
        return set()
    wanted = pa.array(ids, pa.string())
    return set(wanted.filter(pc.is_in(wanted, value_set=imported)).to_pylist())


def _candidate_ids(candidates: Sequence[_Candidate]) -> list[str]:
    columns = {
        "stance_design": [c.stance for c in candidates],
        "hypothesis": [c.texts.hypothesis for c in candidates],
        "question": [c.texts.question for c in candidates],
    }
    columns |= {n: [c.parent[n] for c in candidates] for n in ("language", "stereotype", "premise")}
    return item_ids(pa.table({name: pa.array(columns[name], pa.string()) for name in _IDENTITY}))


def _flags(rendered: Iterable[tuple[Row, Rendering]], resolved: set[tuple[str, str]]) -> Iterator[ItemFlag]:
    for row, rendering in rendered:
        if len(rendering.groups) > 1 and row["stance_design"] != "pro" and not rendering.target:
            yield ItemFlag(row["id"], _UNKNOWN, ", ".join(g.group for g in rendering.groups), "")
            continue
        yield from (_flag(row, flag, "") for flag in rendering.flags)
        for group in rendering.groups:
            if (row["id"], group.group) not in resolved:
                yield from (_flag(row, flag, group.group) for flag in group.flags)


def _flag(row: Row, flag: SwapFlag, group: str) -> ItemFlag:
    return ItemFlag(row["id"], flag.reason, flag.term, group)


def _counterparts(items: pa.Table, made: Mapping[str, _Candidate]) -> pa.Table:
    """Return the rows of the new counterparts: the rows of their parents with new texts, not filtered."""
    place = {id_: i for i, id_ in enumerate(items["id"].to_pylist())}
    table = items.take(pa.array([place[c.parent["id"]] for c in made.values()], pa.int64()))
    stances = ("stance_design", "stance_judged")
    columns: dict[str, list[Any] | pa.Array] = {
        "id": list(made),
        "hypothesis": [candidate.texts.hypothesis for candidate in made.values()],
        "question": [candidate.texts.question for candidate in made.values()],
        "bindings": _other_bindings(table["bindings"].combine_chunks(), made.values()),
        "names_group": [True] * len(made),
        "parent_id": [candidate.parent["id"] for candidate in made.values()],
        **{
            n: [
                _FLIPPED.get(v, v) if c.flips else v
                for v, c in zip(table[n].to_pylist(), made.values(), strict=True)
            ]
            for n in stances
            if n in table.column_names
        },
        **{n: [None] * len(made) for n in ("supersedes", *_OF_THE_FILTER, *_OF_THE_FILL)},
    }
    for name, values in columns.items():
        at = table.schema.get_field_index(name)
        if at >= 0:
            field = table.schema.field(at)
            table = table.set_column(at, field, pa.array(values, field.type))
    return table


def _other_bindings(bindings: pa.StructArray, made: Iterable[_Candidate]) -> pa.StructArray:
    """Return ``bindings`` with the groups of the counterparts ``made``, one each: mostly swapped."""
    fields = list(bindings.type)
    swapped = zip(bindings.field("group2").to_pylist(), bindings.field("group1").to_pylist(), strict=True)
    groups = [c.groups or other for c, other in zip(made, swapped, strict=True)]
    other = {
        name: pa.array([pair[i] for pair in groups], bindings.field(name).type)
        for i, name in enumerate(("group1", "group2"))
    }
    arrays = [other.get(field.name, bindings.field(field.name)) for field in fields]
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=bindings.is_null())


def _naming_groups(items: pa.Table, ids: set[str]) -> pa.Table:
    """Return ``items`` with names_group true for ``ids``."""
    at = items.schema.get_field_index("names_group")
    both = zip(items["id"].to_pylist(), items["names_group"].to_pylist(), strict=True)
    return items.set_column(
        at, items.schema.field(at), pa.array([n or i in ids for i, n in both], pa.bool_())
    )


def _preferred(parent_of: Mapping[str, str], edges: Edges) -> dict[str, str]:
    """Return the preferred counterpart of each item: its parent, or else the one with the smallest id."""
    preferred = dict(parent_of)
    smallest: dict[str, str] = {}
    for item, counterpart in (pair for pair, opposite in edges.items() if opposite):
        smallest[item] = min(counterpart, smallest.get(item, counterpart))
    for item, counterpart in smallest.items():
        preferred.setdefault(item, counterpart)
    return preferred


def _links(preferred: Mapping[str, str]) -> dict[str, str]:
    """Pair the items by their preferred counterparts: mutual preferences first, then in order."""
    links: dict[str, str] = {}
    mutual = [(a, b) for a, b in preferred.items() if preferred.get(b) == a]
    for a, b in (*mutual, *preferred.items()):
        if a not in links and b not in links:
            links[a], links[b] = b, a
    return links


def _sets(edges: Edges) -> dict[str, str]:
    """Return the set's id for each item that ``edges`` connect. The id is a hash of the members' ids."""
    root: dict[str, str] = {}

    def find(item: str) -> str:
        path = [item]
        while root.setdefault(path[-1], path[-1]) != path[-1]:
            path.append(root[path[-1]])
        for passed in path:
            root[passed] = path[-1]
        return path[-1]

    for one, other in edges:
        root[find(one)] = find(other)
    members: dict[str, list[str]] = {}
    for item in root:
        members.setdefault(find(item), []).append(item)
    return {
        item: id_
        for connected in members.values()
        for id_ in (content_id("counterfactuals", *sorted(connected)),)
        for item in connected
    }
