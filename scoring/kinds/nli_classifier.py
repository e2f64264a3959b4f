"""NLI classifiers as a kind of models."""

from __future__ import annotations

from typing import Any

from nextset.forms import NLI
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["NLI_CLASSIFIER", "NliClassifierKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.nli import NliClassifier

    return NliClassifier.load(source, asking, device)


class NliClassifierKind(ModelKind):
    """Models that classify pairs of a premise and a hypothesis."""

    name = "nli"
    noun = "NLI classifier"
    place = 0
    endings = ("ForSequenceClassification",)
    usual_form = NLI.name
    scorers = {NLI.name: FormScorer(_load, lambda asking: {"labels": list(asking.model.labels)})}  # noqa: RUF012


NLI_CLASSIFIER = NliClassifierKind()
"""NLI classifiers."""
