"""The outcome of a server's answer: one of the choices, or the reason why it is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.records.answer_outcomes import Outcome
from nextset.scoring.model_server.completion import CUT_OFF, REFUSAL, Completion
from nextset.scoring.prompts.answer_parsing import choice_of

__all__ = ["AnswerOutcome", "outcome_of"]

CONTENT_FILTER = {"content_filter", "safety", "blocked", "prohibited_content", "recitation", "guardrail"}
"""The words of servers, in lower case, for an answer that a filter stopped."""


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """The outcome of one answer."""

    choice: int | None
    """The position of the choice; None if the answer is none of the choices."""
    other: Outcome | None
    """The outcome of an answer that is none of the choices."""


def outcome_of(
    completion: Completion, choices: Sequence[str], abstention: int | None = None
) -> AnswerOutcome:
    """Return the outcome of ``completion``; an abstention is the choice ``abstention``, if there is one."""
    if completion.ending == CUT_OFF:
        return AnswerOutcome(None, "cut_off")
    if completion.ending == REFUSAL or completion.ending.lower() in CONTENT_FILTER:
        return AnswerOutcome(None, "refused")
    choice = None if completion.ending else choice_of(completion.answer, choices)
    return AnswerOutcome(choice, "unreadable" if choice is None else None)
