"""Tables of quads and of their scores as arrays, class by class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.auditing.quads.quad_columns import SCORES, Codes, Lengths, QuadColumns, QuadModel, QuadSet
from nextset.errors import ArtifactError, MissingStage, examples
from nextset.forms import FormName
from nextset.records.prompt_outcomes import OUTCOMES, shows_outcomes
from nextset.scoring.outcome_shares import outcome_matrix

__all__ = [
    "PROPERTIES",
    "LengthsOf",
    "QuadTable",
    "outcomes_of",
    "quad_classes",
    "quad_set",
    "scores_by_model",
    "scores_of",
]

PROPERTIES = (
    "id", "subject_class", "template_id", "attribute", "attribute_cluster", "subject1", "subject2",
    "cluster1", "cluster2",
)  # fmt: skip
"""The columns of quads and statements that are needed."""


@dataclass(frozen=True)
class QuadTable:
    """The quads of one class and their ids."""

    ids: pa.Array
    """Their ids, shape (quads,)."""
    columns: QuadColumns
    """Their properties."""


LengthsOf = Callable[[QuadTable, QuadModel], Lengths | None]
"""The token lengths of the subjects of quads for a model; None if they are unknown."""


def quad_classes(tables: Iterable[pa.Table], form: FormName) -> list[QuadTable]:
    """Return the quads or statements in ``tables``, which have the columns `PROPERTIES`, by class."""
    whole = pa.concat_tables(_dictionaries(table) for table in tables).unify_dictionaries().combine_chunks()
    names = whole["subject_class"].unique().to_pylist() if whole.num_rows else []
    classes = []
    for name in sorted(names):
        rows = whole if len(names) == 1 else whole.filter(pc.equal(whole["subject_class"], name))
        classes.append(QuadTable(_array(rows["id"]), _columns(rows, form, name)))
    return classes


def scores_by_model(scores: Iterable[pa.Table]) -> dict[QuadModel, pa.Table]:
    """Return the `QuadScore` rows of each model; raises ArtifactError if two revisions of a model are
    mixed."""
    pieces: dict[tuple[str, str, str], list[pa.Table]] = {}
    for piece in scores:
        for key in piece.select(["role", "model", "revision"]).group_by(
            ["role", "model", "revision"]
        ).aggregate([]).to_pylist():  # fmt: skip
            mine = pc.and_(
                pc.equal(piece["model"], key["model"]),
                pc.and_(pc.equal(piece["role"], key["role"]), pc.equal(piece["revision"], key["revision"])),
            )
            rows = piece if pc.all(mine).as_py() else piece.filter(mine)
            named = (key["role"], key["model"], key["revision"])
            pieces.setdefault(named, []).append(_measured(rows))
    revisions: dict[str, set[str]] = {}
    for _, model, revision in pieces:
        revisions.setdefault(model, set()).add(revision)
    for model, known in revisions.items():
        if len(known) > 1:
            raise ArtifactError(
                f"scores of two revisions of {model} are mixed: {examples(sorted(known))}",
                remedy="score again with one revision",
            )
    return {
        QuadModel(*key): pa.concat_tables(tables, promote_options="default") for key, tables in pieces.items()
    }


def _measured(scores: pa.Table) -> pa.Table:
    """Return the columns that are measured; `OUTCOMES` only if their rates are shown."""
    outcomes = [name for name in OUTCOMES if name in scores.column_names] if shows_outcomes(scores) else []
    return scores.select(["item_id", *SCORES, *outcomes])


def outcomes_of(quads: QuadTable, scores: pa.Table) -> Floats:
    """Return the shares of `OUTCOMES` of ``quads`` in their order, shape (outcomes, quads)."""
    places = pc.index_in(quads.ids, value_set=_array(scores["item_id"]))
    there = [name for name in OUTCOMES if name in scores.column_names]
    return outcome_matrix(scores.select(there).take(places)).T


def scores_of(quads: QuadTable, model: str, scores: pa.Table) -> Floats:
    """Return the scores of ``quads`` in their order, shape (`SCORES`, quads).

    Raises MissingStage if a quad has no score, ArtifactError if a score is not a number from 0 to 1.
    """
    ids = _array(scores["item_id"])
    places = None
    if not ids.equals(quads.ids):
        places = pc.index_in(quads.ids, value_set=ids)
        if places.null_count:
            example = quads.ids.filter(places.is_null())[0].as_py()
            raise MissingStage(
                f"{model} has no score for {places.null_count:,} of {len(quads.ids):,} quads, such as "
                f"{example}",
                remedy="run `nextset audit STUDY` again to score them",
            )
    values = np.empty((len(SCORES), len(quads.ids)))
    for i, name in enumerate(SCORES):
        column = scores[name] if places is None else scores[name].take(places)
        values[i] = column.to_numpy()
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        quad = int(np.flatnonzero(wrong.any(axis=0))[0])
        raise ArtifactError(
            f"the score of quad {quads.ids[quad].as_py()} by {model} is not a number from 0 to 1",
            remedy="set scoring.precision: float32 and score again",
        )
    return values


def quad_set(
    name: str, quads: QuadTable, by_model: Mapping[QuadModel, pa.Table], lengths_of: LengthsOf
) -> QuadSet:
    """Return the ``quads`` of one class as the set ``name``, with the scores of each model, which are read
    when they are used."""
    return QuadSet(
        name,
        quads.columns,
        {m: lambda m=m: scores_of(quads, m.model, by_model[m]) for m in by_model},  # type: ignore[misc]
        {m: lengths_of(quads, m) for m in by_model},
        {
            m: lambda m=m: outcomes_of(quads, by_model[m])  # type: ignore[misc]
            for m, scores in by_model.items()
            if not set(OUTCOMES).isdisjoint(scores.column_names)
        },
    )


def _dictionaries(table: pa.Table) -> pa.Table:
    columns = {name: table[name] if name == "id" else _texts(table[name]) for name in PROPERTIES}
    return pa.table(columns)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ``column`` as a dictionary array; null becomes an empty text."""
    if column.null_count:
        column = pc.fill_null(pc.cast(column, pa.string()), "")
    return column.dictionary_encode()


def _columns(rows: pa.Table, form: FormName, name: str) -> QuadColumns:
    subjects = _shared(rows["subject1"], rows["subject2"])
    clusters = _shared(rows["cluster1"], rows["cluster2"])
    attributes, templates = _shared(rows["attribute"]), _shared(rows["template_id"])
    of_attribute = _shared(rows["attribute_cluster"])
    cluster = np.zeros(len(attributes[0]), np.int64)
    cluster[attributes[1][0]] = of_attribute[1][0]
    return QuadColumns(
        form=form,
        subject_class=name,
        subjects=subjects[0],
        attributes=attributes[0],
        attribute_clusters=tuple(of_attribute[0][i] for i in cluster.tolist()),
        templates=templates[0],
        clusters=clusters[0],
        subject1=subjects[1][0],
        subject2=subjects[1][1],
        attribute=attributes[1][0],
        template=templates[1][0],
        cluster1=clusters[1][0],
        cluster2=clusters[1][1],
    )


def _shared(*columns: pa.ChunkedArray) -> tuple[tuple[str, ...], list[Codes]]:
    """Return the sorted names in all ``columns``, and for each column the places of its values among them."""
    arrays = [_array(column) for column in columns]
    used = [a.dictionary.take(pc.unique(a.indices)) for a in arrays]
    names = sorted({name for values in used for name in values.to_pylist()})
    order = pa.array(names, pa.string())
    codes = []
    for a in arrays:
        place = pc.fill_null(pc.index_in(a.dictionary.cast(pa.string()), value_set=order), 0).to_numpy()
        codes.append(place.astype(np.int32)[a.indices.to_numpy()])
    return tuple(names), codes


def _array(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
