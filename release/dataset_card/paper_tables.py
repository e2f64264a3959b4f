"""The tables of Baldini et al. (2023) for a release: rows by part and by stage, and models before and after.

Their tables 9, 10 and 12 count templates, samples and judged samples by domain and stereotype. Pure functions
over columns of the study's artifacts, which may come batch by batch.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc

from nextset.records.class_labels import untyped_table
from nextset.records.judgment import Verdict
from nextset.release.counterfactuals.counterfactual_items import is_counterfactual

__all__ = [
    "IMPORTED",
    "PAIR_COLUMNS",
    "ModelShift",
    "PartStages",
    "StageCount",
    "model_shifts",
    "part_stages",
    "stage_counts",
    "totals_by_domain",
    "verdict_counts",
]

Batches = Iterable[pa.RecordBatch | pa.Table]
"""Batches of a table. Only the columns that a function's docstring names are needed."""

Part = tuple[str, ...]

IMPORTED = "imported"
"""The stage of the authors' own pairs."""

ITEM_PARTS = ("domain", "stereotype")
"""The columns that divide items into parts."""
QUAD_PARTS = ("language", "subject_class")
"""The columns that divide quads into parts."""
PAIR_COLUMNS = ("counterpart_id", "parent_id", "counterfactual_set", "kept_because")
"""The columns of released rows that tell counterfactuals from other rows; a table may lack them."""


@dataclass(frozen=True)
class PartStages:
    """A stereotype of items, or a class of quads, from its templates to the release."""

    domain: str
    """The stereotype's domain; for quads the language."""
    part: str
    """The stereotype; for quads the class of the subjects; empty for a domain's total."""
    templates: int
    """Different hypothesis templates that made the candidates; for filled items those with a mask."""
    samples: int
    """Rows that they expand to before the masks are filled; for quads all rows."""
    candidates: int
    """Candidates of the filter: filled items, or items or quads without a mask."""
    kept: int | None
    """Candidates that the filter kept; null without a filter."""
    valid: int | None
    """Kept rows that were judged valid; null if nothing was judged."""
    originals: int
    """Released rows that are not counterfactuals."""
    counterfactuals: int
    """Released rows that nextset made as counterfactuals."""
    kind: str = ""
    """questions or statements in a dataset of both; empty in a dataset of one kind."""
    form_ok: int | None = None
    """Kept rows that no one judged and whose form is ok; null unless a rule checked the form."""
    template_ids: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The templates of quads, which classes can share; empty for items."""

    @property
    def name(self) -> str:
        """The part, or the domain of a total; with the kind if the dataset has several kinds."""
        return f"{self.part or self.domain}{f' ({self.kind})' if self.kind else ''}"

    @property
    def released(self) -> int:
        """All released rows of the part."""
        return self.originals + self.counterfactuals


@dataclass(frozen=True)
class StageCount:
    """The rows after a stage."""

    stage: str
    """The stage and its rows, as text."""
    rows: int
    kind: str = ""
    """questions or statements in a dataset of both; empty in a dataset of one kind."""


@dataclass(frozen=True)
class ModelShift:
    """A model's measure before and after the filter."""

    model: str
    """The model's published name."""
    role: str
    """filter or held out."""
    measure: str
    """accuracy, or mean |C| for questions and statements."""
    before: float | None
    """The measure among the candidates; null if the model was not asked about all of them."""
    after: float | None
    """The measure among the kept rows."""
    n_before: int
    """Candidates that the model was asked about."""
    n_after: int
    """Kept rows that the model was asked about."""


def part_stages(
    *,
    templates: Batches,
    candidates: Batches,
    kept: Batches | None,
    valid: Batches | None,
    form_ok: Batches | None = None,
    released: Batches,
    by: Sequence[str] = ITEM_PARTS,
) -> tuple[PartStages, ...]:
    """Return the number of rows of each part after each stage, sorted by domain and part.

    Every table needs the two columns of ``by`` (`ITEM_PARTS` or `QUAD_PARTS`), ``templates`` also template_id
    (its different values are counted, except null), and ``released``, if it has counterfactuals,
    counterpart_id and parent_id.
    """
    ids: defaultdict[Part, set[str]] = defaultdict(set)
    samples: Counter[Part] = Counter()
    for part, template, n in _by_template(templates, by):
        samples[part] += n
        ids[part] |= {template} if template is not None else set()
    made = _counts(candidates, by)
    stayed = None if kept is None else _counts(kept, by)
    judged = None if valid is None else _counts(valid, by)
    formed = None if form_ok is None else _counts(form_ok, by)
    final = _released_counts(released, by)
    parts = {*samples, *made, *(stayed or ()), *(judged or ()), *(key[:-1] for key in final)}
    return tuple(
        PartStages(
            part[0],
            part[1],
            len(ids[part]),
            samples[part],
            made[part],
            None if stayed is None else stayed[part],
            None if judged is None else judged[part],
            final[(*part, False)],
            final[(*part, True)],
            form_ok=None if formed is None else formed[part],
            template_ids=frozenset(ids[part]) if by == QUAD_PARTS else frozenset(),
        )
        for part in sorted(parts)
    )


def totals_by_domain(rows: Iterable[PartStages]) -> tuple[PartStages, ...]:
    """Return the totals of each kind and domain, sorted by kind and domain.

    A template of quads that several classes share counts once.
    """
    by_domain: defaultdict[Part, list[PartStages]] = defaultdict(list)
    for row in rows:
        by_domain[row.kind, row.domain].append(row)
    return tuple(_total(kind, domain, own) for (kind, domain), own in sorted(by_domain.items()))


def _total(kind: str, domain: str, rows: Sequence[PartStages]) -> PartStages:
    def added(values: Iterable[int | None]) -> int | None:
        known = [v for v in values if v is not None]
        return sum(known) if known else None

    shared = frozenset[str]().union(*(r.template_ids for r in rows))
    return PartStages(
        domain,
        "",
        len(shared) if shared else sum(r.templates for r in rows),
        sum(r.samples for r in rows),
        sum(r.candidates for r in rows),
        added(r.kept for r in rows),
        added(r.valid for r in rows),
        sum(r.originals for r in rows),
        sum(r.counterfactuals for r in rows),
        kind,
        added(r.form_ok for r in rows),
    )


def verdict_counts(judged: Batches) -> dict[str, int]:
    """Count the rows of each verdict; ``judged`` needs the column verdict, and null is not counted."""
    counts = _counts(judged, ["verdict"])
    return {verdict: n for (verdict,), n in counts.items() if verdict is not None}


def stage_counts(
    *,
    expanded: int,
    filled: int | None,
    kept: int | None,
    verdicts: Mapping[str, int],
    counterfactuals: int,
    released: int,
    imported: int = 0,
    form_ok: int | None = None,
    controls: int = 0,
) -> tuple[StageCount, ...]:
    """Return the stages as text with their numbers of rows, without stages that the study does not have.

    ``expanded`` are rows from templates without their fills, ``filled`` is null without masks, ``verdicts``
    is empty if nothing was judged, and ``released`` are all released rows with their counterfactuals.
    ``imported`` are the authors' own pairs among the candidates. ``form_ok`` are the kept rows that no one
    judged and whose form a rule found ok. ``controls`` are the released test items.
    """
    undecided = kept - sum(verdicts.values()) if verdicts and kept is not None else 0
    counts = (
        ("expanded from templates", expanded or None),
        ("filled at the masks", filled or None),
        (IMPORTED, imported or None),
        ("kept by the filter", kept),
        *((f"judged {v}", verdicts.get(v, 0) if verdicts else None) for v in get_args(Verdict)),
        ("without a verdict: a tie, or too few judgments", max(0, undecided) or None),
        ("form ok, not judged", form_ok),
        ("counterfactuals added", counterfactuals or None),
        ("test items (controls) added", controls or None),
        ("released", released),
    )  # fmt: skip
    return tuple(StageCount(stage, rows) for stage, rows in counts if rows is not None)


def model_shifts(table: pa.Table) -> tuple[ModelShift, ...]:
    """Return the rows of the filter report's table accuracy (items) or bias (quads)."""
    accuracy = "before" in table.column_names
    before, after = ("before", "after") if accuracy else ("c_before", "c_after")
    return tuple(
        ModelShift(
            row["model"],
            row["role"].replace("_", " "),
            "accuracy" if accuracy else "mean |C|",
            row[before],
            row[after],
            row["n_before"],
            row["n_after"],
        )
        for row in table.to_pylist()
    )


def _counts(batches: Batches, columns: Sequence[str]) -> Counter[Part]:
    counts: Counter[Part] = Counter()
    for table in _tables(batches, columns):
        grouped = table.group_by(columns).aggregate([([], "count_all")])
        for row in grouped.to_pylist():
            counts[tuple(row[c] for c in columns)] += row["count_all"]
    return counts


def _released_counts(batches: Batches, by: Sequence[str]) -> Counter[tuple[Any, ...]]:
    """Return the number of rows by part and by whether they are counterfactuals."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for table in _tables(batches, [*by, *PAIR_COLUMNS], optional=PAIR_COLUMNS):
        paired = all(name in table.column_names for name in PAIR_COLUMNS[:2])
        made = is_counterfactual(table) if paired else [False] * table.num_rows
        marked = table.select(by).append_column("made", pa.array(made, pa.bool_()))
        for row in marked.group_by([*by, "made"]).aggregate([([], "count_all")]).to_pylist():
            counts[(*(row[c] for c in by), row["made"])] += row["count_all"]
    return counts


def _by_template(batches: Batches, by: Sequence[str]) -> Iterator[tuple[Part, str | None, int]]:
    """Yield the number of rows of each part and template, batch by batch."""
    columns = [*by, "template_id"]
    for table in _tables(batches, columns):
        for row in table.group_by(columns).aggregate([([], "count_all")]).to_pylist():
            yield tuple(row[c] for c in by), row["template_id"], row["count_all"]


def _tables(batches: Batches, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[pa.Table]:
    """Yield the named columns of each batch as text; numbers that have names become their names."""
    for batch in batches:
        table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
        names = [c for c in columns if c in table.column_names or c not in optional]
        texts = untyped_table(table.select(names))
        yield pa.table({c: pc.cast(texts[c], pa.string()) for c in names})
