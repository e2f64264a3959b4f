"""An annotation as it was found becomes an entry of the log, its author a pseudonym."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from validation.judgments.annotation import digest, read_annotation
from validation.judgments.entry import Entry
from validation.page.choices import StudyKind

__all__ = ["entry_of"]


def entry_of(
    annotation: Mapping[str, Any],
    *,
    kind: StudyKind,
    session: str,
    project: str,
    unit_id: str,
    pseudonym: Callable[[str], str],
    key: str,
    guidelines: str,
) -> Entry:
    """The entry of ``annotation`` as Label Studio has it; ``pseudonym`` makes one of an account's number.

    Never raises: what cannot be read becomes an entry with the outcome invalid. Whoever changed the annotation last
    is its judge: on a server without roles that can be somebody else than who made it.
    """
    answer = read_annotation(annotation, kind)
    number = annotation.get("id")
    return Entry(
        session=session,
        project=project,
        annotation=str(number) if isinstance(number, int) and not isinstance(number, bool) else "",
        digest=digest(annotation),
        answered_at=answer.answered_at,
        unit_id=unit_id,
        judge=pseudonym(answer.account) if answer.account else "",
        key=key,
        outcome=answer.outcome,
        verdict=answer.verdict,
        stance_judged=answer.stance,
        underspecified=answer.underspecified,
        grammatical=answer.grammatical,
        free_of_hint=answer.free_of_hint,
        reason=answer.reason,
        comment=answer.comment,
        problem=answer.problem,
        seconds=answer.seconds,
        guidelines=guidelines,
    )
