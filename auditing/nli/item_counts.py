"""The counts of all models' answers to a set of NLI items, by template; read shard by shard.

A set that is larger than `PER_PART` is distributed over files on disk by the items' ids, together with the
models' labels, so that memory does not grow with the set.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.auditing.measures.item_measures import NAMES, NEUTRAL, Codes
from nextset.auditing.nli.answer_counts import COUNTS, counted_items, paired_counts
from nextset.auditing.nli.item_bounds import filled_items, filled_pairs
from nextset.auditing.nli.judged_weights import Selections
from nextset.auditing.nli.labels_by_model import NO_LABEL, UNKNOWN, AlignedAnswers, LabelTable, id_bytes
from nextset.auditing.nli.outcome_counts import OutcomeCounts, OutcomeSums
from nextset.auditing.nli.population import population, stances, texts
from nextset.errors import ArtifactError
from nextset.files.scratch_partition import partition_rows, parts_for, read_partition
from nextset.records.hypothesis_patterns import PATTERN_COLUMNS, hypothesis_patterns
from nextset.records.nli_items import LABELS

__all__ = ["PROPERTIES", "Cluster", "CountedModel", "ItemCounts", "ItemSet", "clusters_of", "count_items"]

PROPERTIES = (
    "id", "label", "stance_design", "domain", "stereotype", "names_group", *PATTERN_COLUMNS,
)  # fmt: skip
"""The columns of plain items that are needed."""
JUDGED = ("verdict", "stance_judged", "counterpart_id", "unit_id", "premise_swapped")
"""Further columns that are used if they exist."""
PER_PART = 200_000
"""The number of items in memory at a time."""

Cells = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ItemSet:
    """A set of NLI items that is measured as one."""

    name: str
    """Its name in the tables: plain, released, judged or dataset."""
    rows: int
    shards: Callable[[], Iterable[pa.Table]]
    """The items in tables with the columns `PROPERTIES`, and those columns of `JUDGED` that are known."""
    selections: Selections = field(default_factory=Selections)
    """The rows that count, by the annotators' verdicts."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """The patterns of templates whose text is known (`nextset.records.hypothesis_patterns`)."""


@dataclass(frozen=True, order=True)
class Cluster:
    """Items that the bootstrap draws together."""

    stereotype: str
    template: str
    """The pattern of the hypothesis (`nextset.records.hypothesis_patterns`)."""
    domain: str


@dataclass(frozen=True)
class CountedModel:
    """A model whose answers were counted."""

    model: str
    role: str
    revision: str
    two_way: bool
    shows_outcomes: bool = field(default=False, compare=False)
    """True if tables have the model's rates of prompts without a choice."""


@dataclass(frozen=True)
class ItemCounts:
    """The answers of all models to a set of items."""

    name: str
    """The set's name."""
    clusters: tuple[Cluster, ...]
    """The clusters, sorted."""
    models: tuple[CountedModel, ...]
    """The models by role and name."""
    sums: Mapping[str, Floats]
    """The counts for each selection, shape (models, `COUNTS`, clusters)."""
    no_group: Floats
    """The number of items in each cluster whose texts name no group."""
    not_valid: Floats
    """The number of items in each cluster that were judged invalid or incoherent."""
    unanswered: Mapping[tuple[str, int], Floats] = field(default_factory=dict)
    """The counts of items that a model did not answer, by selection and place of the model, shape
    (`nextset.auditing.nli.item_bounds.FILLS`, `COUNTS`, clusters); without models that answered all."""
    outcomes: OutcomeCounts | None = None
    """The prompts without a choice; None if there are none."""


def count_items(
    items: ItemSet, scores: Iterable[pa.Table], tick: Callable[[int], None] = lambda rows: None
) -> ItemCounts:
    """Return the counts of the answers in ``scores`` (pieces of `NliScore`) to ``items``.

    ``tick`` gets the number of rows of scores that were read. Scores of other items are ignored. Raises
    MissingStage if a model lacks an item's score, ArtifactError if two revisions of a model are mixed, if a
    counterpart is missing or not linked back, if a label is unknown, or if a probability is not a number.
    """
    counter = _Counter(items.selections.names, patterns=dict(items.patterns))
    parts = parts_for(items.rows, PER_PART)
    compact = (counter.compact(shard, items.selections) for shard in items.shards())
    labels = counter.table.labels(_ticked(scores, tick))
    if parts == 1:
        tables = list(compact)
        if tables:
            counter.add_pairs(counter.add(pa.concat_tables(tables), labels))
        return counter.result(items)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        of_items = partition_rows(compact, lambda t: _part(t["id"], parts), parts, folder / "items")
        of_labels = partition_rows(labels, lambda t: _part(t["item_id"], parts), parts, folder / "labels")
        joined = (
            counter.add(rows, filter(None, [read_partition(label_file)]))
            for item_file, label_file in zip(of_items, of_labels, strict=True)
            if (rows := read_partition(item_file)) is not None
        )
        for path in partition_rows(joined, lambda t: _part(t["pair"], parts), parts, folder / "pairs"):
            if (pairs := read_partition(path)) is not None:
                counter.add_pairs(pairs)
    return counter.result(items)


def _ticked(scores: Iterable[pa.Table], tick: Callable[[int], None]) -> Iterator[pa.Table]:
    done = 0
    for piece in scores:
        yield piece
        done += piece.num_rows
        tick(done)


def _part(ids: pa.ChunkedArray, parts: int) -> npt.NDArray[np.int64]:
    hashed = (zlib.crc32(id_.encode()) % parts for chunk in ids.chunks for id_ in chunk.to_pylist())
    return np.fromiter(hashed, np.int64, len(ids))


@dataclass
class _Counter:
    """Counts that grow with each part of the items; clusters are numbered in the order of their first
    item."""

    selections: tuple[str, ...]
    table: LabelTable = field(default_factory=LabelTable)
    numbers: dict[Cluster, int] = field(default_factory=dict)
    sums: dict[tuple[str, int], Floats] = field(default_factory=dict)
    unanswered: dict[tuple[str, int], Floats] = field(default_factory=dict)
    outcomes: OutcomeSums = field(default_factory=OutcomeSums)
    no_group: Floats = field(default_factory=lambda: np.zeros(0))
    not_valid: Floats = field(default_factory=lambda: np.zeros(0))
    rows: int = 0
    patterns: dict[str, str] = field(default_factory=dict)

    def compact(self, items: pa.Table, selections: Selections) -> pa.Table:
        """Return the columns that are needed later, as numbers."""
        cells, groups = self._cells(items), population(items)
        self.rows += items.num_rows
        n = len(self.numbers)
        self.no_group = _padded(self.no_group, n) + np.bincount(cells[groups.no_group], minlength=n)
        self.not_valid = _padded(self.not_valid, n) + np.bincount(cells[groups.not_valid], minlength=n)
        weights = selections.weights(items, groups)
        right = _right_labels(items)
        swapped = (
            np.asarray(pc.fill_null(items["premise_swapped"], False), np.bool_)
            if "premise_swapped" in items.column_names
            else np.zeros(items.num_rows, np.bool_)
        )
        counterparts = items["counterpart_id"] if "counterpart_id" in items.column_names else None
        return pa.table(
            {
                "id": items["id"],
                "right": right,
                "states": stances(items) == "pro",
                "control": np.isin(np.arange(items.num_rows), groups.controls),
                "swapped": swapped,
                "cell": cells,
                "group": self._groups(items),
                "counterpart": pa.nulls(items.num_rows, pa.string())
                if counterparts is None
                else counterparts.cast(pa.string()),
                **{f"weight_{name}": weights[name] for name in self.selections},
            }
        )

    def add(self, rows: pa.Table, labels: Iterable[pa.Table]) -> pa.Table:
        """Count the answers to ``rows``; return the rows that have a counterpart, with their labels."""
        ids = id_bytes(rows["id"])
        aligned = self.table.aligned(ids, labels)
        self.table.note_missing(ids, aligned)
        models = list(self.table.models.values())
        known = [np.where(a.codes == UNKNOWN, np.int8(NEUTRAL), a.codes) for a in aligned]
        for place, (codes, model) in enumerate(zip(known, models, strict=True)):
            self._add_items(rows, place, codes, two_way=model.two_way)
        self._add_outcomes(rows, aligned)
        linked = rows["counterpart"].is_valid()
        mask = np.asarray(linked, np.bool_)
        pairs = rows.filter(linked)
        for place, codes in enumerate(known):
            pairs = pairs.append_column(f"label_{place}", pa.array(codes[mask]))
            if models[place].outcomes:
                mixtures = aligned[place].mixtures
                own = np.zeros(mask.size, np.int32) if mixtures is None else mixtures
                pairs = pairs.append_column(f"mixture_{place}", pa.array(own[mask]))
        return pairs.append_column("pair", pc.min_element_wise(pairs["id"], pairs["counterpart"]))

    def _add_items(self, rows: pa.Table, place: int, codes: Codes, *, two_way: bool) -> None:
        right, states = rows["right"].to_numpy(), rows["states"].to_numpy()
        swapped, cells = rows["swapped"].to_numpy(), rows["cell"].to_numpy()
        controls, missing = rows["control"].to_numpy(), codes == NO_LABEL
        for name in self.selections:
            weights = rows[f"weight_{name}"].to_numpy()
            if missing.any():
                filled = filled_items(
                    right, states, weights * missing, controls & missing, swapped, cells,
                    len(self.numbers), two_way=two_way,
                )  # fmt: skip
                self._add(name, place, filled, self.unanswered)
                weights = weights * ~missing
            counts = counted_items(
                codes, right, states, weights, controls & ~missing, swapped, cells, len(self.numbers),
                two_way=two_way,
            )  # fmt: skip
            self._add(name, place, counts)

    def _add_outcomes(self, rows: pa.Table, aligned: Sequence[AlignedAnswers]) -> None:
        """Add the shares of prompts without a choice, if a model has such answers."""
        if len(self.table.mixtures) == 1:
            return
        cells, groups = rows["cell"].to_numpy(), rows["group"].to_numpy()
        shares = self.table.outcome_shares
        for name in self.selections:
            weights = rows[f"weight_{name}"].to_numpy()
            self.outcomes.add_rows(name, weights, cells, groups)
            for place, answers in enumerate(aligned):
                if answers.mixtures is not None:
                    self.outcomes.add_shares((name, place), shares[answers.mixtures], weights, cells, groups)

    def add_pairs(self, rows: pa.Table) -> None:
        """Count the answers to the pairs among ``rows``, which have both items of each pair."""
        if not rows.num_rows:
            return
        ids, others = id_bytes(rows["id"]), id_bytes(rows["counterpart"])
        order = np.argsort(ids, kind="stable")
        place = np.minimum(np.searchsorted(ids, others, sorter=order), ids.size - 1)
        other = order[place]
        broken = np.flatnonzero((ids[other] != others) | (others[other] != ids))
        if broken.size:
            i = int(broken[0])
            raise ArtifactError(
                f"the counterpart {others[i].decode()} of item {ids[i].decode()} is missing, or is not "
                "linked back to it",
                remedy="in a study, delete out/release and run `nextset release build STUDY`; otherwise "
                "build or download the version again",
            )
        states, control = rows["states"].to_numpy(), rows["control"].to_numpy()
        first = np.flatnonzero(states & ~control & ~states[other] & ~control[other])
        second, cells = other[first], rows["cell"].to_numpy()
        for name in self.selections:
            weights = rows[f"weight_{name}"].to_numpy()
            both = np.where((weights[first] > 0) & (weights[second] > 0), weights[first] + weights[second], 0)
            if len(self.table.mixtures) > 1:
                self.outcomes.add_pair_rows(name, both / 2, cells[first])
            for k, model in enumerate(self.table.models.values()):
                codes: Codes = rows[f"label_{k}"].to_numpy()
                labels = codes[first], codes[second]
                self._add_labels(name, k, labels, both / 2, cells[first], two_way=model.two_way)
                if model.outcomes:
                    shares = self.table.outcome_shares[rows[f"mixture_{k}"].to_numpy()]
                    self.outcomes.add_pairs((name, k), shares[first], shares[second], both / 2, cells[first])

    def _add_labels(
        self, name: str, place: int, labels: tuple[Codes, Codes], weights: Floats, cells: Cells, *,
        two_way: bool,
    ) -> None:  # fmt: skip
        """Count the labels of pairs; those without an answer to both items are counted apart."""
        missing, n = (labels[0] == NO_LABEL) | (labels[1] == NO_LABEL), len(self.numbers)
        if missing.any():
            filled = filled_pairs(*labels, weights * missing, cells, n, two_way=two_way)
            self._add(name, place, filled, self.unanswered)
            labels = labels[0][~missing], labels[1][~missing]
            weights, cells = weights[~missing], cells[~missing]
        self._add(name, place, paired_counts(*labels, weights, cells, n, two_way=two_way))

    def result(self, items: ItemSet) -> ItemCounts:
        """Return the counts, with clusters and models sorted."""
        self.table.check(self.rows)
        order = sorted(self.numbers)
        places = [self.numbers[cluster] for cluster in order]
        n, names = len(order), self.table.order()
        known = list(self.table.models)
        empty = np.zeros((len(COUNTS), n))
        sums = {
            name: np.array(
                [_padded(self.sums.get((name, known.index(m)), empty), n)[:, places] for m in names]
            ).reshape(len(names), len(COUNTS), n)
            for name in self.selections
        }
        facts = self.table.models
        models = tuple(
            CountedModel(
                m, self.table.role(m), min(facts[m].revisions), facts[m].two_way, facts[m].shows_outcomes
            )
            for m in names
        )
        no_group, not_valid = (_padded(counts, n)[places] for counts in (self.no_group, self.not_valid))
        unanswered = {
            (name, names.index(known[m])): _padded(filled, n)[..., places]
            for (name, m), filled in self.unanswered.items()
        }
        outcomes = self.outcomes.result(self.selections, [known.index(m) for m in names], places)
        return ItemCounts(items.name, tuple(order), models, sums, no_group, not_valid, unanswered, outcomes)

    def _add(
        self,
        selection: str,
        model: int,
        found: Floats,
        to: dict[tuple[str, int], Floats] | None = None,
    ) -> None:
        sums = self.sums if to is None else to
        before = sums.get((selection, model), np.zeros((*found.shape[:-1], 0)))
        sums[selection, model] = _padded(before, found.shape[-1]) + found

    def _groups(self, items: pa.Table) -> Cells:
        """Return the number of each item's group: the one in the place of GROUP1."""
        n, known = items.num_rows, self.outcomes.groups
        if "bindings" not in items.column_names or not pa.types.is_struct(items["bindings"].type):
            return np.full(n, known.setdefault("", len(known)), np.int64)
        named = pc.fill_null(pc.struct_field(items["bindings"], "group1"), "").combine_chunks()
        coded = named.dictionary_encode()
        numbers = [known.setdefault(name, len(known)) for name in coded.dictionary.to_pylist()]
        return np.array(numbers, np.int64)[np.asarray(coded.indices)] if n else np.zeros(0, np.int64)

    def _cells(self, items: pa.Table) -> Cells:
        clusters, places = clusters_of(items, self.patterns)
        numbers = [self.numbers.setdefault(cluster, len(self.numbers)) for cluster in clusters]
        return np.array(numbers, np.int64)[places]


def clusters_of(items: pa.Table, patterns: Mapping[str, str]) -> tuple[tuple[Cluster, ...], Cells]:
    """Return the clusters of ``items``, sorted, and the place of each item's cluster, shape (items,).

    ``patterns`` are those of `ItemSet`.
    """
    of_items = pa.chunked_array([hypothesis_patterns(items, dict(patterns))])
    columns = [texts(items["stereotype"]), texts(of_items), texts(items["domain"])]
    coded = [np.unique(column, return_inverse=True) for column in columns]
    joint = np.column_stack([codes for _, codes in coded])
    unique, places = np.unique(joint, axis=0, return_inverse=True)
    clusters = tuple(
        Cluster(*(str(names[i]) for (names, _), i in zip(coded, row, strict=True))) for row in unique.tolist()
    )
    return clusters, places.reshape(-1).astype(np.int64)


def _right_labels(items: pa.Table) -> Codes:
    """Return the code of each item's label."""
    label = texts(items["label"])
    wrong = np.flatnonzero(~np.isin(label, LABELS))
    if wrong.size:
        i = int(wrong[0])
        raise ArtifactError(
            f"the label {label[i]!s:.40} of item {items['id'][i].as_py()} is not one of {', '.join(LABELS)}",
            remedy="correct the items, or rebuild them",
        )
    codes: Codes = np.array([NAMES.index(name) for name in label.tolist()], np.int8)
    return codes


def _padded(found: Floats, n: int) -> Floats:
    """Return ``found`` with zeros appended for clusters that were added later."""
    missing = n - found.shape[-1]
    return np.concatenate([found, np.zeros((*found.shape[:-1], missing))], axis=-1) if missing else found
