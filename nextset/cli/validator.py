"""`nextset validate predict`: features from a scorer, people's verdicts so far, and what they let expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nextset.errors import StudyError
from nextset.progress import SILENT, Progress
from nextset.study import Study

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from nextset.items import Verdict
    from scoring.models.sources import ModelSource
    from validation.validator.predict import Prediction
    from validation.validator.stage import Featurizer

__all__ = ["predict_validity"]


def predict_validity(study: Study, model: str | None = None, progress: Progress = SILENT) -> Prediction:
    """Predict what people will say of the units without a verdict, and write it to out/validator.

    ``model``, an NLI classifier, gives the features: of each unit the stereotype in words and the
    hypothesis. The first of the filter's models when it is not named. The verdicts are put onto the items
    first, as `apply_judgments` does. Raises WaitingForPeople while too few are judged, StudyError where a
    rule judges, ModelError for a model without features.
    """
    from scoring.models.sources import locate
    from validation.kept import kept_units
    from validation.validator.classifier import need_sklearn
    from validation.validator.stage import predict, prediction

    if study.settings.validate_.judge == "rule":
        raise StudyError(
            "a rule judges this study, and there is nothing to expect of it",
            file=study.file,
            remedy="set validate: {judge: people}",
        )
    need_sklearn()
    source = locate(model or study.filter.models[0], study.folder)
    verdicts = _verdicts(study, progress)
    predict(study, kept_units(study), verdicts, _featurizer(source), progress)
    found = prediction(study)
    assert found is not None
    return found


def _verdicts(study: Study, progress: Progress) -> dict[str, Verdict]:
    """The verdict of each unit that has one."""
    from nextset.items import unit_ids
    from validation.stage import apply_judgments

    items = apply_judgments(study, progress).table("items")
    found = zip(unit_ids(items), items["verdict"].to_pylist(), strict=True)
    return {unit_id: verdict for unit_id, verdict in found if verdict is not None}


def _featurizer(source: ModelSource) -> Featurizer:
    from scoring.features import features
    from scoring.scorer import Pair
    from validation.validator.stage import Featurizer

    def of(units: pa.Table) -> npt.NDArray[np.float32]:
        texts = zip(units["stereotype"].to_pylist(), units["hypothesis"].to_pylist(), strict=True)
        return features(source, [Pair(*text) for text in texts])

    return Featurizer(source.name, source.identity, of)
