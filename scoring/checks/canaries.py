"""The canaries of a model, and the check that it answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nextset.artifacts.answer_usage import AnswerUsage, answers_watched
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, FailedCanaries, Waived
from nextset.scoring.canaries.unanswered_canaries import server_remedy
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
    with library_errors(f"{name} cannot be asked", remedy), answers_watched() as answers:
        numbers = scorer.scores(scorer.encoded(canaries.inputs))
    try:
        return canaries.check(numbers, name, scorer.labels if isinstance(scorer, Labelled) else None)
    except FailedCanaries as e:
        if name.startswith(SERVER):
            check = server_remedy(numbers, canaries.right(numbers))
            e = FailedCanaries(e.message, check=check, in_study=e.in_study)
        stored = [answer for answer in answers.values() if answer is not None]
        if not stored:
            raise e from None
        raise _resting_on_stored(e, name, stored, len(answers)) from None


def _resting_on_stored(
    failed: FailedCanaries, name: str, stored: Sequence[AnswerUsage], answers: int
) -> FailedCanaries:
    """Return the error ``failed`` with the days of the ``stored`` answers, and how to ask again."""
    days = sorted({answer.date for answer in stored if answer.date})
    on = {0: "earlier", 1: f"on {days[0]}" if days else ""}.get(len(days)) or f"from {days[0]} to {days[-1]}"
    again = f"`nextset cache prune --answers --model {name}`"
    return FailedCanaries(
        f"{len(stored):,} of the {answers:,} answers to its canaries were stored {on}, and not asked again. "
        f"{failed.message}",
        check=f"if the server has changed since, remove its stored answers with {again}, and run again; "
        f"else {failed.check}",
        in_study=failed.in_study,
    )


def right_questions(scorer: Scorer[Any], canaries: Canaries | Waived) -> int:
    """Return the number of a reader's ``canaries`` with a higher score for the answer than for the other
    subject; 0 if no canaries are asked."""
    if isinstance(canaries, Waived):
        return 0
    return int(canaries.right(scorer.scores(scorer.encoded(canaries.inputs))).sum())
