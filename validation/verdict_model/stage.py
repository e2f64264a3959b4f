"""The verdict model's artifact: out/validator, made on request from the verdicts so far."""

from __future__ import annotations

import hashlib
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
from nextset.records.expected_units import ExpectedValid
from nextset.records.judgment import Verdict
from nextset.study.study_folder import Study
from nextset.validation.agreement.counted_answers import counted_answers, counted_entries
from nextset.validation.judgments.judgment_log import read
from nextset.validation.plan.coverage import queued
from nextset.validation.plan.event_log import read_events
from nextset.validation.plan.state import fold
from nextset.validation.study_units import kept_unit_count, kept_units
from nextset.validation.verdict_model.expected_valid import expected_valid, expected_without_verdicts
from nextset.validation.verdict_model.prediction_records import Predicted, ValidatorReport
from nextset.validation.verdict_model.unit_features import (
    FeatureRow,
    UnitFeatures,
    WordClasses,
    unit_features,
)
from nextset.validation.verdict_model.valid_per_hour import seconds_by_unit
from nextset.validation.verdict_model.verdict_prediction import LEAST, SEED, Prediction, predict_rest
from nextset.validation.verdicts import aggregate

__all__ = ["Featurizer", "SoFar", "expectation", "predict", "prediction", "verdicts_so_far"]

STAGE = "validator"


@dataclass(frozen=True)
class Featurizer:
    """The source of features; validation does not import scoring, so the command line provides it."""

    model: str
    """The published name of the model."""
    digest: str
    """The digest of its weights and tokenizer: the same digest means the same features."""
    features: Callable[[pa.Table], npt.NDArray[np.float32]]
    """The function from units to the features of their texts, shape (units, features)."""
    word_classes: WordClasses
    """The classes of a fill, such as ADJ."""


@dataclass(frozen=True)
class SoFar:
    """The verdicts of a study so far."""

    verdicts: Mapping[str, Verdict]
    """The verdict of each unit that has one, aggregated by the study's method; units with a tie have none."""
    seconds: Mapping[str, float]
    """The mean time of the judgments of each unit, if it is known."""
    queued: bool
    """True if a main session asked for some of the judgments, in the order of validate.session."""


def predict(
    study: Study,
    units: pa.Table,
    so_far: SoFar,
    featurizer: Featurizer,
    progress: Progress = SILENT,
) -> Artifact:
    """Write out/validator: tables of `Predicted`, `ValidatorReport` (report) and `FeatureRow` (features).

    ``units`` are the study's (`nextset.validation.study_units.kept_units`), ``so_far`` are their verdicts so
    far. Raises WaitingForPeople while there are too few verdicts, and DependencyMissing without scikit-learn.
    """
    ids = units["unit_id"].to_pylist()
    known = {i: so_far.verdicts[i] for i in sorted(ids) if i in so_far.verdicts}
    about = unit_features(units, featurizer.word_classes)

    def plan() -> list[Part]:
        made = predict_rest(
            ids,
            featurizer.features(units),
            known,
            model=featurizer.model,
            about=about,
            seconds=so_far.seconds,
        )
        return [
            Part("predicted", lambda: PartResult(table_of(made.predicted, Predicted))),
            Part("report", lambda: PartResult(table_of([made.report], ValidatorReport))),
            Part("features", lambda: PartResult(table_of(made.features, FeatureRow))),
        ]

    times = sorted((i, s) for i, s in so_far.seconds.items() if i in known)
    recipe = Recipe(
        STAGE,
        4,
        {
            "units": content_id("units", *ids),
            "features": _digest(about),
            "verdicts": content_id("verdicts", *(x for pair in known.items() for x in pair)),
            "seconds": content_id("seconds", *(str(x) for pair in times for x in pair)),
        },
        {"least": LEAST, "seed": SEED},
        {featurizer.model: featurizer.digest},
    )
    with study.held("validate predict"):
        return build(study.out / STAGE, recipe, plan, progress=progress(STAGE))


def prediction(study: Study) -> Prediction | None:
    """Return the prediction in out/validator, or None if nothing has been predicted yet."""
    if not is_finished(study.out / STAGE):
        return None
    artifact = open_artifact(study.out / STAGE)
    (report,) = artifact.table("report").to_pylist()
    rows = artifact.table("predicted").to_pylist()
    features = artifact.table("features").to_pylist()
    return Prediction(
        tuple(Predicted(**row) for row in rows),
        ValidatorReport(**report),
        tuple(FeatureRow(**row) for row in features),
    )


def verdicts_so_far(study: Study, units: pa.Table) -> SoFar:
    """Return the verdicts of ``units`` so far."""
    ids = units["unit_id"].to_pylist()
    state = fold(read_events(study.judgments).events)
    counted = counted_entries(study.judgments, state, frozenset(ids))
    answers = counted_answers(counted)
    verdicts = aggregate(
        ids,
        answers.judgments,
        method=study.settings.validate_.aggregate,
        adjudications=answers.adjudications,
    )
    by_unit = {u: v.verdict for u, v in verdicts.by_unit.items() if v.verdict is not None}
    return SoFar(by_unit, seconds_by_unit(counted), queued(counted))


def expectation(study: Study) -> ExpectedValid | None:
    """Return the expected number of valid kept units; None before `filter` has run.

    Without judgments, only the columns that distinguish units are read from the kept items.
    """
    folder = study.out / "filter"
    if study.settings.filter is None or not is_finished(folder):
        return None
    if not read(study.judgments).entries:
        return expected_without_verdicts(
            kept_unit_count(folder, study.filter.form, study.settings.validate_.unit)
        )
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)
    so_far = verdicts_so_far(study, units)
    if not so_far.verdicts:
        return expected_without_verdicts(units.num_rows)
    predicted = prediction(study)
    known = predicted is not None and predicted.is_of(units["unit_id"].to_pylist())
    report = predicted.report if predicted and known else None
    return expected_valid(units.num_rows, so_far.verdicts, report, queued=so_far.queued)


def _digest(about: UnitFeatures) -> str:
    """Return a hash of the features: they decide the predictions, and a different fill changes them."""
    names = (f"{row.feature} {row.known} {row.columns}" for row in about.rows)
    return content_id("features", *names, hashlib.sha256(about.values.round(9).tobytes()).hexdigest())
