"""Conversion of an annotation to an entry of the judgment log, with its author's pseudonym."""

from __future__ import annotations

from collections.abc import Callable

from nextset.validation.judgments.annotation import account, digest, read_answer
from nextset.validation.judgments.answer import AnswerForm
from nextset.validation.judgments.log_entry import Entry

__all__ = ["author", "entry_of"]


def entry_of(
    annotation: object,
    *,
    form: AnswerForm,
    session: str,
    project: str,
    unit_id: str,
    pseudonym: Callable[[str], str],
    key: str,
    guidelines: str,
    altered: bool = False,
) -> Entry:
    """Return the entry for ``annotation`` from Label Studio; ``pseudonym`` maps an account's number.

    With ``altered``, its text or page was not the plan's. Never raises: an unreadable annotation becomes an
    entry with the outcome invalid.
    """
    answer = read_answer(annotation, form)
    by = author(annotation)
    outcome, problem = answer.outcome, answer.problem
    if not by and outcome != "invalid":
        outcome, problem = "invalid", "the annotation does not say who answered"
    if altered:
        outcome, problem = "altered", ""
    judged = outcome == "judged"
    number = annotation.get("id") if isinstance(annotation, dict) else None
    return Entry(
        session=session,
        project=project,
        annotation=str(number) if isinstance(number, int) and not isinstance(number, bool) else "",
        digest=digest(annotation),
        answered_at=answer.answered_at,
        unit_id=unit_id,
        judge=pseudonym(by) if by else "",
        key=key,
        outcome=outcome,
        verdict=answer.verdict if judged else None,
        stance_judged=answer.stance if judged else None,
        underspecified=answer.underspecified if judged else None,
        grammatical=answer.grammatical if judged else None,
        free_of_hint=answer.free_of_hint if judged else None,
        reason=answer.reason,
        comment=answer.comment,
        problem=problem,
        seconds=answer.seconds,
        guidelines=guidelines,
    )


def author(annotation: object) -> str:
    """Return the number of the account that gave the current answer; empty if the annotation does not say.

    It is the account that changed the answer last: on a server without roles, it may not be the one that made
    it.
    """
    if isinstance(annotation, dict) and annotation.get("updated_by") is not None:
        return account({"completed_by": annotation["updated_by"]})
    return account(annotation)
