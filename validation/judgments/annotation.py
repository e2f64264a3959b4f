"""Reader for one Label Studio annotation, as an answer or as an entry of the judgment log.

The server checks nothing in it, so all is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from nextset.validation.judgments.answer import Answer, AnswerForm, NotAnAnswer, unknown_choice
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS
from nextset.validation.timestamps import read_timestamp

__all__ = [
    "account",
    "changed_by",
    "choices_of",
    "digest",
    "entry_of",
    "read_answer",
    "seconds_of",
    "single_choice",
    "time_of",
]


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

    Its judge is the account that made it, regardless of later changes by others. With ``altered``, its text
    or page was not the plan's. Never raises: an unreadable annotation becomes an entry with the outcome
    invalid.
    """
    answer = read_answer(annotation, form, unit_id)
    by, other = account(annotation), changed_by(annotation)
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
        changed_by=pseudonym(other) if other else "",
    )


def read_answer(annotation: object, form: AnswerForm, unit_id: str = "") -> Answer:
    """Return the answer about a unit in an annotation of the work page, which can be any JSON; never raises.

    Anything that cannot be read as an answer gets the outcome invalid and a problem.
    """
    if not isinstance(annotation, dict):
        return Answer(outcome="invalid", problem="not an annotation")
    if annotation.get("was_cancelled"):
        answer = Answer(outcome="skipped")
    else:
        try:
            given = {block: single_choice(annotation, block, known) for block, known in form.choices.items()}
            answer = form.answered(given, unit_id)
        except NotAnAnswer as e:
            answer = Answer(outcome="invalid", problem=str(e))
    try:
        answered_at = time_of(annotation)
    except ValueError:
        answer, answered_at = Answer(outcome="invalid", problem="the time is not in ISO 8601"), ""
    return replace(
        answer, comment=_comment(annotation), answered_at=answered_at, seconds=seconds_of(annotation)
    )


def single_choice(annotation: Mapping[str, Any], block: str, known: Collection[str]) -> str | None:
    """Return the one choice in a block, or None if there is none; raises NotAnAnswer for anything else."""
    choices = choices_of(annotation, block, known)
    if len(choices) > 1:
        raise NotAnAnswer(f"{len(choices)} choices for {block}, but only one is possible")
    return choices[0] if choices else None


def choices_of(annotation: Mapping[str, Any], block: str, known: Collection[str]) -> list[str]:
    """Return the choices made in a block; raises NotAnAnswer if they are unknown or not choices at all."""
    result = annotation.get("result")
    if not isinstance(result, list) or not all(isinstance(r, dict) for r in result):
        raise NotAnAnswer("the result is not a list of answers")
    chosen: list[str] = []
    for region in result:
        if region.get("from_name") == block:
            value = region.get("value")
            choices = value.get("choices") if isinstance(value, dict) else None
            if region.get("type") != "choices" or not isinstance(choices, list):
                raise NotAnAnswer(f"the answer to {block} is not a choice")
            for choice in choices:
                if not (isinstance(choice, str) and choice in known):
                    raise unknown_choice(block, choice, known)
                chosen.append(choice)
    return chosen


def account(annotation: object) -> str:
    """Return the number of the account that made an annotation; empty if the annotation does not say."""
    by = annotation.get("completed_by") if isinstance(annotation, dict) else None
    number = by.get("id") if isinstance(by, dict) else by
    known = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 10**18
    return str(number) if known else ""


def changed_by(annotation: object) -> str:
    """Return the number of the account that changed an annotation last; empty if its author did."""
    by = account({"completed_by": annotation.get("updated_by")}) if isinstance(annotation, dict) else ""
    return by if by != account(annotation) else ""


def digest(annotation: object) -> str:
    """Return a hash of the result, and of whether it was skipped: 32 hex digits that change with it."""
    digested = annotation
    if isinstance(annotation, dict):
        digested = {
            "result": annotation.get("result"),
            "was_cancelled": bool(annotation.get("was_cancelled")),
        }
    raw = json.dumps(digested, sort_keys=True, separators=(",", ":"))
    return blake2b(raw.encode(), digest_size=16).hexdigest()


def _comment(annotation: Mapping[str, Any]) -> str:
    """Return the comment, as text that any file can store."""
    lines: list[str] = []
    result = annotation.get("result")
    for region in result if isinstance(result, list) else ():
        if isinstance(region, dict) and region.get("from_name") == "comment":
            value = region.get("value")
            text = value.get("text") if isinstance(value, dict) else None
            lines.extend(
                line for line in (text if isinstance(text, list) else [text]) if isinstance(line, str)
            )
    written = "\n".join(lines)[:MAX_CHARACTERS].replace("\0", "\ufffd")
    return written.encode("utf-8", "replace").decode()


def time_of(annotation: Mapping[str, Any]) -> str:
    """Return the time of the author's last change, as the logs write it; empty if the annotation does not
    say.

    If another account changed it last, that is the time when it was made. Raises ValueError if the time is
    not in ISO 8601.
    """
    made = annotation.get("created_at") if changed_by(annotation) else None
    written = made or annotation.get("updated_at")
    if written is None or written == "":
        return ""
    if not isinstance(written, str):
        raise ValueError("not a text")
    return read_timestamp(written)


def seconds_of(annotation: Mapping[str, Any]) -> float | None:
    """Return the time that an annotation says it took; None if that is not a time."""
    value = annotation.get("lead_time")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value < 1e9 else None
