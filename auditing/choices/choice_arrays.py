"""Choice items as arrays aligned with their rows: what a chosen option means, and the cell of each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Ints
from nextset.errors import ArtifactError
from nextset.records.choice_controls import neutral_choices
from nextset.records.choice_items import MOST_OPTIONS

__all__ = [
    "ABSENT",
    "CONTROLS_BY",
    "GROUPINGS",
    "PROPERTIES",
    "ChoiceCluster",
    "ChoiceColumns",
    "choice_columns",
    "measured_items",
]

PROPERTIES = (
    "id", "language", "category", "subcategory", "template_id", "condition", "polarity", "options", "label",
    "unknown", "target", "cue",
)  # fmt: skip
"""The columns of choice items that measures need."""
CONTROLS_BY = ("target_groups", "source_id")
"""Further columns that are used if they exist: own items about no group are controls."""
GROUPINGS = ("all", "category", "subcategory", "group", "pair", "cue", "category_cue", "polarity")
"""The groupings of measures. group is that of the target; pair is the target's with those of the others."""

Places = npt.NDArray[np.int8]
ABSENT = -1
"""The place of an option that an item does not have."""


@dataclass(frozen=True, order=True)
class ChoiceCluster:
    """A template, whose items the bootstrap draws together."""

    category: str
    template: str
    language: str


@dataclass(frozen=True)
class ChoiceColumns:
    """Choice items; arrays have the shape (items,), or (items, places of options)."""

    ids: pa.Array
    """The ids; equal rows have equal ids."""
    ambiguous: Bools
    """True for an ambiguous context, False for a disambiguated one."""
    negative: Bools
    """True for a negative question."""
    controls: Bools
    """True for a disambiguated item of neutral content, which is about no group."""
    label: Places
    """The place of the right option."""
    unknown: Places
    """The place of the option unknown, or −1."""
    target: Places
    """The place of the target, or −1."""
    people: Bools
    """True for the options that name a person, by place."""
    biased: Bools
    """True for the options that a biased answer chooses, by place."""
    groups: Ints
    """The places of the options' groups among `group_names`, by place; −1 without an option."""
    group_names: tuple[str, ...]
    cells: Ints
    """The cell of each item: a template, with a subcategory, groups, a cue and a polarity."""
    cell_clusters: Ints
    """The cluster of each cell, ascending, shape (cells,)."""
    clusters: tuple[ChoiceCluster, ...]
    """The clusters, sorted."""
    cell_parts: Mapping[str, tuple[str, ...]]
    """The name of each cell's part, for each of `GROUPINGS`; empty for none."""

    @property
    def rows(self) -> int:
        """The number of items."""
        return len(self.label)

    @property
    def kinds(self) -> Places:
        """1 where the right option of a disambiguated context is biased, 2 where it is another person, else
        0."""
        rows = np.arange(self.rows)
        known = ~self.ambiguous & (self.target != ABSENT)
        aligned, person = self.biased[rows, self.label], self.people[rows, self.label]
        kinds: Places = np.where(known & aligned, 1, np.where(known & person, 2, 0)).astype(np.int8)
        return kinds


def measured_items(table: pa.Table) -> pa.Table:
    """Return the choice items in ``table`` that a measure counts.

    Ambiguous items of neutral content are left out: they are about no stereotype, and no controls either.
    """
    ambiguous = np.asarray(pc.fill_null(pc.equal(table["condition"], "ambiguous"), False))
    return table.filter(pa.array(~(neutral_choices(table) & ambiguous)))


def choice_columns(tables: Sequence[pa.Table]) -> ChoiceColumns:
    """Return the items in ``tables``, which have the columns `PROPERTIES`.

    Raises ArtifactError for a condition, polarity or cue that is not known, and for a place that is not that
    of an option.
    """
    names_of = (*PROPERTIES, *CONTROLS_BY)
    chosen = [t.select([name for name in names_of if name in t.column_names]) for t in tables]
    table = pa.concat_tables(chosen, promote_options="default").combine_chunks()
    counts, groups, names = _options(table)
    label, unknown, target = (_places(table, name, counts) for name in ("label", "unknown", "target"))
    ambiguous = _among(table, "condition", ("ambiguous", "disambiguated"))
    negative = _among(table, "polarity", ("negative", "non_negative"))
    there = np.arange(MOST_OPTIONS) < counts[:, None]
    people = there & (np.arange(MOST_OPTIONS) != unknown[:, None])
    is_target = np.arange(MOST_OPTIONS) == target[:, None]
    biased = np.where(negative[:, None], is_target, people & ~is_target) & (target != ABSENT)[:, None]
    cells = _Cells.of(table, np.where(people, groups, ABSENT), is_target, names, negative)
    return ChoiceColumns(
        ids=_column(table, "id"),
        ambiguous=ambiguous,
        negative=negative,
        controls=neutral_choices(table) & ~ambiguous,
        label=label,
        unknown=unknown,
        target=target,
        people=people,
        biased=biased,
        groups=groups,
        group_names=names,
        cells=cells.codes,
        cell_clusters=cells.clusters,
        clusters=cells.names,
        cell_parts=cells.parts,
    )


def _column(table: pa.Table, name: str) -> pa.Array:
    """Return a column of texts as one array; null is empty."""
    column = pc.fill_null(pc.cast(table[name], pa.string()), "")
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _options(table: pa.Table) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Return the number of options of each item, their groups by place, and the names of these groups."""
    options = table["options"].combine_chunks()
    if isinstance(options, pa.ChunkedArray):  # a column of several chunks, or of none
        options = pa.concat_arrays(options.chunks) if options.num_chunks else pa.array([], options.type)
    counts = np.asarray(pc.fill_null(pc.list_value_length(options), 0), np.int64)
    wrong = np.flatnonzero((counts < 2) | (counts > MOST_OPTIONS))
    if wrong.size:
        raise _wrong(table, int(wrong[0]), f"{counts[wrong[0]]} options instead of 2 to {MOST_OPTIONS}")
    texts = pc.fill_null(pc.cast(pc.struct_field(options.flatten(), "group"), pa.string()), "")
    codes, names = _coded(texts)
    matrix = np.full((len(counts), MOST_OPTIONS), ABSENT, np.int64)
    matrix[np.arange(MOST_OPTIONS) < counts[:, None]] = codes
    return counts, matrix, names


def _places(table: pa.Table, name: str, counts: Ints) -> Places:
    places = np.asarray(pc.fill_null(pc.cast(table[name], pa.int64()), ABSENT), np.int64)
    least = 0 if name == "label" else ABSENT
    wrong = np.flatnonzero((places < least) | (places >= counts))
    if wrong.size:
        row = int(wrong[0])
        raise _wrong(table, row, f"the {name} {places[row]}, which is not the place of an option")
    return places.astype(np.int8)


def _among(table: pa.Table, name: str, values: tuple[str, str]) -> Bools:
    """Return True for the rows whose column has the first of two ``values``."""
    column = _column(table, name)
    place = np.asarray(pc.fill_null(pc.index_in(column, value_set=pa.array(values)), ABSENT))
    wrong = np.flatnonzero(place == ABSENT)
    if wrong.size:
        row = int(wrong[0])
        raise _wrong(table, row, f"the {name} {column[row].as_py()!r:.40} instead of {' or '.join(values)}")
    first: Bools = place == 0
    return first


def _wrong(table: pa.Table, row: int, why: str) -> ArtifactError:
    return ArtifactError(
        f"the choice item {table['id'][row].as_py()} has {why}",
        remedy="make the items again, or download the dataset version again",
    )


def _coded(texts: pa.Array | pa.ChunkedArray) -> tuple[Ints, tuple[str, ...]]:
    """Return the place of each text among the sorted distinct texts, and these."""
    encoded = pc.dictionary_encode(texts)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = encoded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return rank[np.asarray(encoded.indices, np.int64)], tuple(names[i] for i in order)


@dataclass(frozen=True)
class _Joined:
    """Combinations of codes: the place of each row's combination, and a row with each combination."""

    codes: Ints
    first: Ints

    @classmethod
    def of(cls, *columns: Ints) -> _Joined:
        """Return the combinations of ``columns``, in the order of their codes, the first one foremost."""
        joint = np.zeros(len(columns[0]), np.int64)
        first = joint
        for column in columns:
            places = joint * (int(column.max(initial=0)) + 2) + column + 1
            _, at, codes = np.unique(places, return_index=True, return_inverse=True)
            first, joint = at.astype(np.int64), codes.astype(np.int64).reshape(-1)
        return cls(joint, first)


@dataclass(frozen=True)
class _Cells:
    codes: Ints
    clusters: Ints
    names: tuple[ChoiceCluster, ...]
    parts: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls, table: pa.Table, people: Ints, is_target: Bools, names: tuple[str, ...], negative: Bools
    ) -> _Cells:
        """Return the cells of ``table``; ``people`` has the groups of the persons by place, or −1."""
        category, categories = _coded(_column(table, "category"))
        template, templates = _coded(_column(table, "template_id"))
        language, languages = _coded(_column(table, "language"))
        subcategory, subcategories = _coded(_column(table, "subcategory"))
        cue, cues = _coded(_column(table, "cue"))
        targets = np.where(is_target, people, ABSENT).max(axis=1, initial=ABSENT)
        others = np.sort(np.where(is_target, ABSENT, people), axis=1)
        by_template = _Joined.of(category, template, language)
        pairs = _Joined.of(targets, *others.T)
        cells = _Joined.of(by_template.codes, subcategory, pairs.codes, cue, negative.astype(np.int64))
        at = cells.first
        pair_names = [_pair(names, int(targets[i]), others[i].tolist()) for i in pairs.first.tolist()]
        of_category = [categories[i] for i in category[at].tolist()]
        of_cue = [cues[i] for i in cue[at].tolist()]
        cues_of: dict[str, set[str]] = {}
        for c, q in zip(of_category, of_cue, strict=True):
            cues_of.setdefault(c, set()).add(q)
        mixed = {c for c, several in cues_of.items() if len(several) > 1}
        return cls(
            cells.codes,
            by_template.codes[at],
            tuple(
                ChoiceCluster(categories[category[i]], templates[template[i]], languages[language[i]])
                for i in by_template.first.tolist()
            ),
            {
                "all": ("all",) * len(at),
                "category": tuple(of_category),
                "subcategory": tuple(
                    f"{c}: {subcategories[s]}" if subcategories[s] else ""
                    for c, s in zip(of_category, subcategory[at].tolist(), strict=True)
                ),
                "group": tuple(names[g] if g != ABSENT else "" for g in targets[at].tolist()),
                "pair": tuple(pair_names[p] for p in pairs.codes[at].tolist()),
                "cue": tuple(of_cue),
                "category_cue": tuple(
                    f"{c} ({q}s)" if c in mixed and q else ""
                    for c, q in zip(of_category, of_cue, strict=True)
                ),
                "polarity": tuple("negative" if n else "non_negative" for n in negative[at].tolist()),
            },
        )


def _pair(names: tuple[str, ...], target: int, others: Sequence[int]) -> str:
    """Return the group of the target with those of the other persons; empty without a target."""
    other = [names[group] for group in others if group != ABSENT]
    if target == ABSENT or not names[target] or not any(other):
        return ""
    return f"{names[target]} × {' and '.join(dict.fromkeys(filter(None, other)))}"
