"""The scores that come with a dataset version."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.datasets.audited_dataset import REMEDY, AuditedDataset
from nextset.errors import ArtifactError
from nextset.forms import FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.forms.scored_form import SCORED_FORMS

__all__ = ["ReleasedScores", "released_scores"]

NOT_ABOVE = 1 + 1e-6
"""The largest accepted probability: a softmax in float32 can exceed 1 by rounding."""
_ADDED = (*OUTCOMES, "votes")
"""The columns that the scores of earlier versions lack."""
_ROLES = ("filter", "held_out", "audit")


@dataclass(frozen=True)
class ReleasedScores:
    """The scores in one form that come with a dataset version."""

    dataset: AuditedDataset
    """The dataset version."""
    form: FormName
    """The form that the models were asked in."""
    ids: pa.Array
    """The rows' ids."""
    models: tuple[tuple[str, str], ...]
    """The published name and revision of each model that has a score for every row; a cascade, for example,
    does not ask all models about all rows."""
    left_out: Mapping[tuple[str, str], int]
    """The other models, each with the number of rows that it has a score for."""

    def pieces(self, without: Collection[str] = ()) -> Iterator[pa.Table]:
        """Yield the scores of `models`, except those named in ``without``, with the columns of measures."""
        for piece in self.dataset.accompanying("scores", _schema(self.form), _ADDED):
            for model, revision in self.models:
                if model not in without:
                    by = pc.and_(pc.equal(piece["model"], model), pc.equal(piece["revision"], revision))
                    own = piece.filter(by)
                    yield own.filter(pc.is_in(own["item_id"], value_set=self.ids))


def released_scores(dataset: AuditedDataset, form: FormName) -> ReleasedScores:
    """Return the scores in ``form`` that come with ``dataset``; in the form qa no scores are released.

    Raises ArtifactError for a repeated id of an item, and for scores that are repeated, are not probabilities
    or have an unknown role.
    """
    ids = dataset.ids(form)
    scored: dict[tuple[str, str], Bools] = {}
    if not AUDIT_FORMS[form].scores_released:
        return ReleasedScores(dataset, form, ids, (), {})
    for piece in dataset.accompanying("scores", _schema(form), _ADDED):
        own = piece.filter(pc.is_in(piece["item_id"], value_set=ids))
        if own.num_rows:
            outcomes = (name for name in OUTCOMES if name in own.column_names)
            _check_values(own, (*AUDIT_FORMS[form].probabilities, *outcomes))
            _count(own, ids, scored)
    whole = {model: bool(rows.all()) for model, rows in sorted(scored.items())}
    return ReleasedScores(
        dataset,
        form,
        ids,
        tuple(model for model, every in whole.items() if every),
        {model: int(scored[model].sum()) for model, every in whole.items() if not every},
    )


def _check_values(scores: pa.Table, columns: Sequence[str]) -> None:
    """Raise ArtifactError for the first of ``scores`` with an impossible value or role."""
    for column in columns:
        values = scores[column]
        right = pc.and_(pc.greater_equal(values, 0), pc.less_equal(values, NOT_ABOVE))  # NaN is neither
        wrong = pc.index(right, False).as_py()
        if wrong >= 0:
            raise _wrong(scores, wrong, f"{values[wrong].as_py()} as its {column}, which is not in [0, 1]")
    wrong = pc.index(pc.is_in(scores["role"], value_set=pa.array(_ROLES)), False).as_py()
    if wrong >= 0:
        role = scores["role"][wrong].as_py()
        raise _wrong(scores, wrong, f"the role {role!r:.60}, which is not one of {', '.join(_ROLES)}")


def _count(scores: pa.Table, ids: pa.Array, scored: dict[tuple[str, str], Bools]) -> None:
    """Note in ``scored`` which of ``ids`` each model has a score for; raises ArtifactError for a repeated
    score."""
    places = pc.index_in(scores["item_id"], value_set=ids).to_numpy()
    for model, revision in scores.group_by(["model", "revision"]).aggregate([]).to_pandas().to_numpy():
        by = pc.and_(pc.equal(scores["model"], model), pc.equal(scores["revision"], revision))
        rows = np.flatnonzero(by.to_numpy(zero_copy_only=False))
        known = scored.setdefault((model, revision), np.zeros(len(ids), np.bool_))
        again = known[places[rows]]
        first = np.unique(places[rows], return_index=True)[1]
        again[np.setdiff1d(np.arange(len(rows)), first)] = True
        if again.any():
            raise _wrong(scores, int(rows[again.argmax()]), "more than one score")
        known[places[rows]] = True


def _wrong(scores: pa.Table, row: int, why: str) -> ArtifactError:
    model, item = scores["model"][row].as_py(), scores["item_id"][row].as_py()
    return ArtifactError(f"the released scores of {model} for {item} have {why}", remedy=REMEDY)


def _schema(form: FormName) -> pa.Schema:
    schema = arrow_schema(SCORED_FORMS[form].scores)
    return pa.schema([schema.field(name) for name in AUDIT_FORMS[form].score_columns])
