"""The outcome of a server's answer: one of the choices, or the reason why it is none of them."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.records.prompt_outcomes import Outcome
from nextset.scoring.model_server.completion import CUT_OFF, REFUSAL, Completion
from nextset.scoring.model_server.declined_answer import DeclinedAnswer, declined_answer
from nextset.scoring.prompts.answer_parsing import choice_of
from nextset.scoring.prompts.option_reading import option_of
from nextset.scoring.prompts.rendered_prompt import Rendered

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


def outcome_of(completion: Completion, prompt: Rendered) -> AnswerOutcome:
    """Return the outcome of ``completion``; an abstention is the choice of ``prompt`` with that meaning, if
    there is one.

    The outcomes are looked for in this order: cut off, refused by the server, a choice, an abstention, a
    refusal in words. An answer that declines and yet names a choice is unreadable.
    """
    if completion.ending == CUT_OFF:
        return AnswerOutcome(None, "cut_off")
    if completion.ending == REFUSAL or completion.ending.lower() in CONTENT_FILTER:
        return AnswerOutcome(None, "refused")
    if completion.ending:
        return AnswerOutcome(None, "unreadable")
    choice = (
        option_of(completion.answer, prompt.letters, prompt.options)
        if prompt.options
        else choice_of(completion.answer, prompt.choices)
    )
    if choice is not None:
        return AnswerOutcome(choice, None)
    declined = declined_answer(completion.answer, prompt.options or prompt.choices)
    if declined is None:
        return AnswerOutcome(None, "unreadable")
    return _without_a_choice(declined, prompt.abstention)


def _without_a_choice(declined: DeclinedAnswer, abstention: int | None) -> AnswerOutcome:
    """Return the outcome of an answer that declines; it is unreadable if it also names a choice."""
    if declined.named - declined.within or len(declined.within) > 1:
        return AnswerOutcome(None, "unreadable")
    if declined.outcome == "refused":
        return AnswerOutcome(None, "refused")
    chosen = next(iter(declined.within), abstention)
    if chosen is None:
        return AnswerOutcome(None, "abstained")
    return AnswerOutcome(chosen, None) if abstention in (None, chosen) else AnswerOutcome(None, "unreadable")
