"""Masked language models as a kind of models: they fill masks."""

from __future__ import annotations

from typing import Any

from nextset.forms import STATEMENT
from nextset.scoring.asking import Asking
from nextset.scoring.forms.scored_form import FormScorer
from nextset.scoring.kinds.kind_protocol import ModelKind
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["MASKED_LM", "MaskedLmKind"]


def _load(source: ModelSource, asking: Asking, device: str | None) -> Scorer[Any]:
    from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer

    return MaskedSubjectScorer.load(source, asking, device)


class MaskedLmKind(ModelKind):
    """Models that fill masks."""

    name = "masked_lm"
    noun = "masked language model"
    place = 3
    endings = ("ForMaskedLM",)
    usual_form = STATEMENT.name
    fills_masks = True
    scorers = {  # noqa: RUF012
        STATEMENT.name: FormScorer(_load, lambda asking: {"masks": asking.scoring.statements.model_dump()})
    }


MASKED_LM = MaskedLmKind()
"""Masked language models."""
