"""The verdict model's artifact: out/validator, made on request from the verdicts so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, is_finished, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.judgment import Verdict
from nextset.study.study_folder import Study
from nextset.validation.counted_answers import counted_answers, counted_entries
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.state import fold
from nextset.validation.verdict_model.prediction_records import Predicted, ValidatorReport
from nextset.validation.verdict_model.verdict_prediction import LEAST, SEED, Prediction, predict_rest
from nextset.validation.verdicts import aggregate

__all__ = ["Featurizer", "predict", "prediction", "verdicts_so_far"]

STAGE = "validator"


@dataclass(frozen=True)
class Featurizer:
    """The source of features; validation does not import scoring, so the command line provides it."""

    model: str
    """The model's published name."""
    digest: str
    """Digest of its weights and tokenizer: the same digest, the same features."""
    features: Callable[[pa.Table], npt.NDArray[np.float32]]
    """From units to their features, shape (units, features)."""


def predict(
    study: Study,
    units: pa.Table,
    verdicts: Mapping[str, Verdict],
    featurizer: Featurizer,
    progress: Progress = SILENT,
) -> Artifact:
    """Write out/validator: tables predicted (`Predicted`) and report (`ValidatorReport`).

    ``units`` has a column unit_id and what ``featurizer`` reads; ``verdicts`` are those that people have
    given so far. Raises WaitingForPeople while there are too few, and DependencyMissing without
    scikit-learn.
    """
    ids = units["unit_id"].to_pylist()
    known = {i: verdicts[i] for i in sorted(ids) if i in verdicts}

    def plan() -> list[Part]:
        made = predict_rest(ids, featurizer.features(units), known, model=featurizer.model)
        return [
            Part("predicted", lambda: PartResult(table_of(made.predicted, Predicted))),
            Part("report", lambda: PartResult(table_of([made.report], ValidatorReport))),
        ]

    recipe = Recipe(
        STAGE,
        1,
        {
            "units": content_id("units", *ids),
            "verdicts": content_id("verdicts", *(x for pair in known.items() for x in pair)),
        },
        {"least": LEAST, "seed": SEED},
        {featurizer.model: featurizer.digest},
    )
    with study.held("validate predict"):
        return build(study.out / STAGE, recipe, plan, progress=progress(STAGE))


def prediction(study: Study) -> Prediction | None:
    """Return the prediction in out/validator; None if nothing was predicted yet."""
    if not is_finished(study.out / STAGE):
        return None
    artifact = open_artifact(study.out / STAGE)
    (report,) = artifact.table("report").to_pylist()
    rows = artifact.table("predicted").to_pylist()
    return Prediction(tuple(Predicted(**row) for row in rows), ValidatorReport(**report))


def verdicts_so_far(study: Study, units: pa.Table) -> dict[str, Verdict]:
    """Return the verdict of each of ``units`` that has one, aggregated as the study says; ties have none."""
    ids = units["unit_id"].to_pylist()
    state = fold(read_events(study.judgments).events)
    found = counted_answers(counted_entries(study.judgments, state, frozenset(ids)))
    verdicts = aggregate(
        ids,
        found.judgments,
        method=study.settings.validate_.aggregate,
        adjudications=found.adjudications,
    )
    return {u: v.verdict for u, v in verdicts.by_unit.items() if v.verdict is not None}
