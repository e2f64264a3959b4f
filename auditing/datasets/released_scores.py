"""The scores that come with a dataset version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.datasets.audited_dataset import AuditedDataset
from nextset.auditing.score_pieces import NLI_COLUMNS, QUAD_COLUMNS
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliScore
from nextset.records.question_quads import QuadScore
from nextset.scoring.scorer_protocol import Form

__all__ = ["ReleasedScores", "released_scores", "score_columns"]


def score_columns(form: Form) -> tuple[str, ...]:
    """Return the columns of scores that the measures of ``form`` need."""
    return NLI_COLUMNS if form in ("nli", "qa") else QUAD_COLUMNS


@dataclass(frozen=True)
class ReleasedScores:
    """The scores in one form that come with a dataset version."""

    dataset: AuditedDataset
    """The dataset version."""
    form: Form
    """The form in which the models were asked."""
    ids: pa.Array
    """The rows' ids."""
    models: tuple[tuple[str, str], ...]
    """Published name and revision of the models that have a score for every row; a cascade, for instance,
    does not ask all models about all rows."""

    def pieces(self, without: Collection[str] = ()) -> Iterator[pa.Table]:
        """Yield the scores of `models`, except those named in ``without``, with `score_columns`."""
        for piece in self.dataset.accompanying("scores", _schema(self.form)):
            for model, revision in self.models:
                if model not in without:
                    by = pc.and_(pc.equal(piece["model"], model), pc.equal(piece["revision"], revision))
                    own = piece.filter(by)
                    yield own.filter(pc.is_in(own["item_id"], value_set=self.ids))


def released_scores(dataset: AuditedDataset, form: Form) -> ReleasedScores:
    """Return the scores in ``form`` that come with ``dataset``; none are released in the form qa."""
    parts = [chunk for table in dataset.tables(form, ("id",)) for chunk in table["id"].chunks]
    ids = pa.chunked_array(parts, pa.string()).combine_chunks()
    counts: Counter[tuple[str, str]] = Counter()
    if form == "qa":
        return ReleasedScores(dataset, form, ids, ())
    for piece in dataset.accompanying("scores", _schema(form)):
        own = piece.filter(pc.is_in(piece["item_id"], value_set=ids))
        by_model = own.group_by(["model", "revision"]).aggregate([("item_id", "count_distinct")])
        for row in by_model.to_pylist():
            counts[row["model"], row["revision"]] += row["item_id_count_distinct"]
    return ReleasedScores(dataset, form, ids, tuple(sorted(m for m, n in counts.items() if n == len(ids))))


def _schema(form: Form) -> pa.Schema:
    schema = arrow_schema(NliScore if form == "nli" else QuadScore)
    return pa.schema([schema.field(name) for name in score_columns(form)])
