"""`nextset validate predict`: predict the remaining verdicts from features and the verdicts so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import StudyError
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from nextset.forms import FormName
    from nextset.scoring.models.sources import ModelSource
    from nextset.validation.verdict_model.stage import Featurizer
    from nextset.validation.verdict_model.verdict_prediction import Prediction

__all__ = ["featurizer", "predict_validity"]


@of_study
def predict_validity(study: Study, model: str | None = None, progress: Progress = SILENT) -> Prediction:
    """Predict the verdicts of the units that have none yet, and write them to out/validator.

    ``model``, an NLI classifier, gives the features: it reads a hypothesis after its stereotype as text, and
    a question after its context. The default is the first filter model; for questions, name one. Raises
    WaitingForPeople while too few units are judged, StudyError if a rule judges or no model is named, and
    ModelError for a model without features.
    """
    from nextset.scoring.study_models import located_model
    from nextset.validation.forms.validated_form import VALIDATED_FORMS
    from nextset.validation.study_units import kept_units, need_annotators
    from nextset.validation.verdict_model.classifier import need_sklearn
    from nextset.validation.verdict_model.stage import predict, prediction, verdicts_so_far

    need_annotators(study.settings.validate_, study.file)
    if model is None and not VALIDATED_FORMS[study.filter.form].classified:
        raise StudyError(
            "features come from an NLI classifier, and the filter's models are not NLI classifiers",
            file=study.file,
            remedy="name one with --model NAME; to try the tool, use builtin:nli-electra",
        )
    need_sklearn()
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)
    name = model or study.filter.models[0]
    features = featurizer(located_model(study, name), study.model_label(name), study.filter.form)
    predict(study, units, verdicts_so_far(study, units), features, progress)
    predicted = prediction(study)
    assert predicted is not None
    return predicted


def featurizer(source: ModelSource, label: str, form: FormName) -> Featurizer:
    """Return a function that gives the features of units, from ``source`` and the lexicon's word classes."""
    from nextset.scoring.classifier_features import features
    from nextset.scoring.scorer_protocol import Pair
    from nextset.validation.forms.validated_form import VALIDATED_FORMS
    from nextset.validation.verdict_model.stage import Featurizer

    first, second = VALIDATED_FORMS[form].feature_texts

    def of(units: pa.Table) -> npt.NDArray[np.float32]:
        texts = zip(units[first].to_pylist(), units[second].to_pylist(), strict=True)
        return features(source, [Pair(*text) for text in texts])

    return Featurizer(label, source.identity, of, _word_classes)


def _word_classes(language: str, word: str) -> tuple[str, ...]:
    """Return the lexicon's categories and forms of ``word``, such as adj.positive, or else unlisted.

    Only English has a lexicon. It lists content words, so closed-class words and names are unlisted.
    """
    from nextset.generation.word_forms import english_words, is_english

    if not is_english(language):
        return ()
    readings = english_words().readings.get(word.lower(), ())
    return tuple(sorted({f"{r.category}.{r.form}" for r in readings})) or ("unlisted",)
