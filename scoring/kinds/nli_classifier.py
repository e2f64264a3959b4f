"""NLI classifiers as a kind of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nextset.forms import CHOICE, NLI
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["NLI_CLASSIFIER", "NliClassifierKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.nli import NliClassifier

    return NliClassifier.load(source, asking, device)


def _options(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.option_scorers.option_hypotheses import OptionHypotheses

    return OptionHypotheses.load(source, asking, device)


def _labels(asking: Asking) -> Mapping[str, Any]:
    return {"labels": list(asking.model.labels)}


class NliClassifierKind(ModelKind):
    """Models that classify pairs of a premise and a hypothesis."""

    name = "nli"
    noun = "NLI classifier"
    place = 0
    endings = ("ForSequenceClassification",)
    usual_form = NLI.name
    scorers = {  # noqa: RUF012
        NLI.name: FormScorer(_load, _labels),
        CHOICE.name: FormScorer(_options, _labels),
    }


NLI_CLASSIFIER = NliClassifierKind()
"""NLI classifiers."""
