"""Multiple-choice models as a kind of models: they choose among answers."""

from __future__ import annotations

from typing import Any

from nextset.forms import CHOICE, QA
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.extractive_reader import answer_options
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["MULTIPLE_CHOICE", "MultipleChoiceKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.yes_no.multiple_choice_scorer import MultipleChoiceScorer

    return MultipleChoiceScorer.load(source, asking, device)


def _options(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.option_scorers.option_endings import OptionEndings

    return OptionEndings.load(source, asking, device)


class MultipleChoiceKind(ModelKind):
    """Models that choose among answers."""

    name = "choices"
    noun = "multiple-choice model"
    place = 2
    endings = ("ForMultipleChoice",)
    usual_form = QA.name
    scorers = {  # noqa: RUF012
        QA.name: FormScorer(_load, answer_options),
        CHOICE.name: FormScorer(_options),
    }


MULTIPLE_CHOICE = MultipleChoiceKind()
"""Multiple-choice models."""
