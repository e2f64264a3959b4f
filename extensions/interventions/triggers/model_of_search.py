"""The models that can be searched: those whose readings have gradients, each for one form."""

from __future__ import annotations

from nextset.errors import ModelError
from nextset.extensions.interventions.triggers.searched_items import SearchedItems
from nextset.extensions.interventions.triggers.searched_model import SearchedModel
from nextset.extensions.interventions.triggers.searched_questions import SearchedQuestions
from nextset.extensions.interventions.triggers.searched_statements import SearchedStatements
from nextset.extensions.interventions.triggers.trigger_records import Form
from nextset.scoring.asking import Asking
from nextset.scoring.kinds.model_kind import MODEL_KINDS
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.sources import ModelSource

__all__ = ["searched_form", "searched_model"]

_FORMS: dict[str, Form] = {"masked_lm": "statement", "spans": "question", "nli": "nli"}


def searched_form(source: ModelSource) -> Form:
    """Return the form of the rows for a trigger search with the model in ``source``.

    Raises ModelError for a model that cannot be searched: one behind a server, one that writes, or one that
    chooses.
    """
    kind = kind_of(source)
    if kind not in _FORMS:
        known = ", ".join(MODEL_KINDS[k].noun for k in _FORMS)
        raise ModelError(
            f"{source.name} is a model of the kind {MODEL_KINDS[kind].noun}, which cannot be searched for "
            "triggers: the search needs gradients",
            remedy=f"choose one of these kinds: {known}",
        )
    return _FORMS[kind]


def searched_model(source: ModelSource, asking: Asking, accuracy_weight: float) -> SearchedModel:
    """Return the model in ``source``, loaded in float32 as ``asking`` asks it; raises ModelError."""
    scoring = asking.scoring.model_copy(update={"precision": "float32"})
    exact = Asking(asking.form, scoring, asking.model, asking.prompts)
    if asking.form == "nli":
        from nextset.scoring.nli import NliClassifier

        return SearchedItems(NliClassifier.load(source, exact), accuracy_weight)
    if asking.form == "question":
        from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer

        return SearchedQuestions(SpanScorer.load(source, exact), accuracy_weight)
    from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer

    return SearchedStatements(MaskedSubjectScorer.load(source, exact), accuracy_weight)
