"""The canaries of a model, and the check that it answers them."""

from __future__ import annotations

from typing import Any

from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.models.labels import Labelled
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.scoring.scorer_protocol import Scorer

__all__ = ["canaries_of", "check_canaries", "right_questions"]


def canaries_of(source: ModelSource, asking: Asking) -> Canaries | Waived:
    """Return the canaries for ``source``: the study's own, those of the model's card, or nextset's.

    Returns Waived if no canaries are asked. Raises ModelError if the card's canaries cannot be read, or if a
    label has too few canaries.
    """
    if asking.model.canaries_waived:
        return Waived(asking.model.canaries_waived)
    return SCORED_FORMS[asking.form].canaries(source, asking)


def check_canaries(scorer: Scorer[Any], canaries: Canaries | Waived, name: str) -> str:
    """Ask the model called ``name`` and return the result as text; raises FailedCanaries if it fails.

    The classes of canaries, such as `nextset.scoring.canaries.pair_canaries.PairCanaries`, say how many of
    them must be right.
    """
    if isinstance(canaries, Waived):
        return f"waived: {canaries.reason}"
    remedy = "check its files, or download or save the model again"
    if name.startswith(SERVER):
        remedy = "check OPENAI_BASE_URL, and that the server works"
    with library_errors(f"{name} cannot be asked", remedy):
        numbers = scorer.scores(scorer.encoded(canaries.inputs))
    return canaries.check(numbers, name, scorer.labels if isinstance(scorer, Labelled) else None)


def right_questions(scorer: Scorer[Any], canaries: Canaries | Waived) -> int:
    """Return the number of a reader's ``canaries`` with a higher score for the answer than for the other
    subject; 0 if no canaries are asked."""
    if isinstance(canaries, Waived):
        return 0
    return int(canaries.right(scorer.scores(scorer.encoded(canaries.inputs))).sum())
