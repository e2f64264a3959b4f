"""The share of specified twins that a model answers correctly, with and without each intervention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.auditing.quads.quad_columns import SCORES
from nextset.cluster_bootstrap import Clusters, pair_clusters
from nextset.errors import MissingStage
from nextset.extensions.interventions.audit.answered_both import silent_quads
from nextset.extensions.interventions.audit.held_out_rows import HELD_OUT
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries
from nextset.extensions.interventions.intervened_rows import applies
from nextset.extensions.interventions.intervention import Intervention
from nextset.forms import FormName

__all__ = ["TWIN_ACCURACY", "AskedTwins", "right_answers", "twin_series"]

TWIN_ACCURACY = "twin_accuracy"
"""The name of the measure."""
PROPERTIES = (
    "id", "language", "subject_class", "attribute_cluster", "template_id", "subject1", "subject2",
)  # fmt: skip


@dataclass(frozen=True)
class AskedTwins:
    """The specified twins of a class in one language, and the model that was asked about them."""

    twins: pa.Table
    """The twins, with the columns `PROPERTIES`."""
    form: FormName
    model: str
    """The model's published name."""
    within: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The templates of each intervention that is measured on only some templates, by the intervention's
    id."""
    held_out: Bools | None = None
    """Which twins tuning never saw, shape (twins,); None without tuning."""
    tuned: bool = False
    """True if the model was tuned and is therefore measured only on held-out twins."""


def twin_series(
    asked: AskedTwins, interventions: Sequence[Intervention], scores: Callable[[str], pa.Table]
) -> Iterator[InterventionSeries]:
    """Yield the accuracy on twins, with and without each of ``interventions``.

    ``scores`` returns the scores with an intervention, and without one for the empty id. The draws are the
    same for all interventions: the templates and pairs of subjects of all twins in a selection. Raises
    MissingStage if a score is missing. Twins that were not answered both without and with an intervention are
    left out.
    """
    twins, without = asked.twins, scores("")
    known: dict[bytes, Clusters] = {}
    for intervention in interventions:
        for selection, applied, drawn in _selections(asked, intervention):
            if drawn.tobytes() not in known:
                known[drawn.tobytes()] = _clusters(twins, drawn)
            clusters = known[drawn.tobytes()]
            rows, codes = twins.filter(pa.array(applied)), clusters.codes[applied[drawn]]
            of_arms = without, scores(intervention.id)
            counted = ~silent_quads(rows["id"], *of_arms)
            answered, codes = rows.filter(pa.array(counted)), codes[counted]
            levels = [np.unique(of_cell[codes]) for of_cell in clusters.levels]
            for added, table in zip((False, True), of_arms, strict=True):
                right = right_answers(answered["id"], asked.model, table)
                yield InterventionSeries(
                    form=asked.form,
                    language=rows["language"][0].as_py(),
                    part=rows["subject_class"][0].as_py(),
                    selection=selection,
                    model=asked.model,
                    kind=intervention.kind,
                    place=intervention.place,
                    intervention=intervention.id,
                    sentences=1,
                    added=added,
                    measure=TWIN_ACCURACY,
                    n=answered.num_rows,
                    unanswered=rows.num_rows - answered.num_rows,
                    sizes=tuple(map(len, levels)),
                    effective_rows=None,
                    effective_templates=None,
                    of_templates=(),
                    cell_quads=None,
                    values=tuple(_shares(right, codes, clusters).tolist()),
                    raised=(),
                    null=(),
                )


def _clusters(twins: pa.Table, drawn: Bools) -> Clusters:
    rows = twins.filter(pa.array(drawn))
    return pair_clusters(rows["template_id"], rows["subject1"], rows["subject2"])


def _selections(asked: AskedTwins, intervention: Intervention) -> Iterator[tuple[str, Bools, Bools]]:
    """Yield the name of each selection, the twins that ``intervention`` is measured on, and the twins whose
    templates and pairs are drawn, both of shape (twins,)."""
    applied: Bools = np.asarray(applies(intervention, asked.twins, asked.form))
    drawn = np.ones(asked.twins.num_rows, np.bool_)
    if intervention.id in asked.within:
        names = pa.array(sorted(asked.within[intervention.id]), pa.string())
        drawn = np.asarray(pc.is_in(pc.cast(asked.twins["template_id"], pa.string()), value_set=names))
    selections = {} if asked.tuned else {"all": drawn}
    if asked.held_out is not None and intervention.held_out:
        selections[HELD_OUT] = asked.held_out
    for name, of_selection in selections.items():
        if (applied & of_selection).any():
            yield name, applied & of_selection, of_selection


def right_answers(ids: pa.ChunkedArray, model: str, scores: pa.Table) -> Floats:
    """Return for each twin the share of its four questions whose right subject scores higher, shape (twins,).

    Subject 1 is the answer to the question and subject 2 to its negation; equal scores count as half right.
    Raises MissingStage if a twin has no score.
    """
    places = pc.index_in(ids, value_set=scores["item_id"].combine_chunks())
    if places.null_count:
        raise MissingStage(
            f"{model} has no score for {places.null_count:,} specified twins",
            remedy="run `nextset interventions STUDY` again to score them",
        )
    values = np.array([scores[name].take(places).to_numpy() for name in SCORES])
    first, second = values[0::2], values[1::2]  # asked on 12, on 21, then negated on 12, on 21
    margin = np.concatenate([first[:2] - second[:2], second[2:] - first[2:]])
    shares: Floats = (0.5 * (1 + np.sign(margin))).mean(axis=0)
    return shares


def _shares(right: Floats, codes: npt.NDArray[np.int64], clusters: Clusters) -> Floats:
    """Return the mean of ``right``, for rows in the cells ``codes``, in all draws of ``clusters``."""
    amounts = np.array([np.bincount(codes, w, minlength=clusters.n) for w in (right, np.ones(len(right)))])
    sums = clusters.sums(amounts)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = sums[:, 0] / sums[:, 1]
    return shares
