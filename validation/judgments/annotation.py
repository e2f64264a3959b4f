"""Reader for one Label Studio annotation; the server checks nothing in it, so all is checked here."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, cast

from nextset.errors import examples
from nextset.records.judgment import Verdict
from nextset.validation.judgment_choices import (
    DECLINED,
    QUESTION_BLOCKS,
    QUESTION_REASONS,
    REASONS,
    STANCES,
    VERDICTS,
    YES_NO,
    StudyKind,
)
from nextset.validation.judgments.log_entry import Outcome
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS
from nextset.validation.timestamps import read_timestamp

__all__ = [
    "Answer",
    "NotAnAnswer",
    "account",
    "answered",
    "choices_of",
    "digest",
    "known_choices",
    "question_verdict",
    "read_answer",
    "single_choice",
    "time_of",
    "unknown_choice",
]


class NotAnAnswer(Exception):
    """The content is not an answer; the message says why, and names no person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer in one annotation; the fields are as in `nextset.validation.judgments.log_entry.Entry`."""

    outcome: Outcome
    """The kind of answer."""
    verdict: Verdict | None = None
    """The verdict; null unless judged."""
    stance: Literal["pro", "anti"] | None = None
    """The stance of a valid hypothesis; null for all others."""
    underspecified: bool | None = None
    """The check of a question; null for hypotheses."""
    grammatical: bool | None = None
    """The check of a question; null for hypotheses."""
    free_of_hint: bool | None = None
    """The check of a question; null for hypotheses."""
    reason: str = ""
    """The alias of the reason chosen from the list; usually empty."""
    comment: str = ""
    """The annotator's comment; usually empty."""
    problem: str = ""
    """The reason why it is invalid; empty for other outcomes."""
    answered_at: str = ""
    """The time of the last change, ISO 8601 in UTC; empty if unknown."""
    seconds: float | None = None
    """The time that the item was open."""


def read_answer(annotation: object, kind: StudyKind) -> Answer:
    """Return the answer in an annotation of the work page, which can be any JSON; never raises.

    Anything that cannot be read as an answer gets the outcome invalid and a problem.
    """
    if not isinstance(annotation, dict):
        return Answer(outcome="invalid", problem="not an annotation")
    if annotation.get("was_cancelled"):
        answer = Answer(outcome="skipped")
    else:
        try:
            given = {
                block: single_choice(annotation, block, known) for block, known in known_choices(kind).items()
            }
            answer = answered(kind, given)
        except NotAnAnswer as e:
            answer = Answer(outcome="invalid", problem=str(e))
    try:
        answered_at = time_of(annotation)
    except ValueError:
        answer, answered_at = Answer(outcome="invalid", problem="the time is not in ISO 8601"), ""
    return replace(
        answer, comment=_comment(annotation), answered_at=answered_at, seconds=_seconds(annotation)
    )


def answered(kind: StudyKind, given: Mapping[str, str | None]) -> Answer:
    """Return the answer that choices, by block, stand for; raises NotAnAnswer if they are incomplete."""
    reason = given.get("reason") or ""
    first = given.get("verdict" if kind == "nli" else "underspecified")
    if first is None:
        raise NotAnAnswer("empty")
    if first == DECLINED:
        return Answer(outcome="declined", reason=reason)
    if kind == "nli":
        stance = given.get("stance") if first == "valid" else None
        if first == "valid" and stance is None:
            raise NotAnAnswer("valid without a stance")
        return Answer(
            outcome="judged",
            verdict=cast("Verdict", first),
            stance=cast("Literal['pro', 'anti'] | None", stance),
            reason=reason,
        )
    missing = [block for block in QUESTION_BLOCKS if given.get(block) is None]
    if missing:
        raise NotAnAnswer(f"no answer to {' and '.join(missing)}")
    open_, grammatical, fair = (given[block] == "yes" for block in QUESTION_BLOCKS)
    return Answer(
        outcome="judged",
        verdict=question_verdict(underspecified=open_, grammatical=grammatical, free_of_hint=fair),
        underspecified=open_,
        grammatical=grammatical,
        free_of_hint=fair,
        reason=reason,
    )


def question_verdict(*, underspecified: bool, grammatical: bool, free_of_hint: bool) -> Verdict:
    """Return the verdict that follows from the three checks of a question."""
    if not grammatical:
        return "incoherent"
    return "valid" if underspecified and free_of_hint else "invalid"


def single_choice(annotation: Mapping[str, Any], block: str, known: Collection[str]) -> str | None:
    """Return the one choice in a block, or None if there is none; raises NotAnAnswer for anything else."""
    choices = choices_of(annotation, block, known)
    if len(choices) > 1:
        raise NotAnAnswer(f"{len(choices)} choices for {block}, but only one is possible")
    return choices[0] if choices else None


def unknown_choice(block: str, choice: object, known: Iterable[str]) -> NotAnAnswer:
    """Return the error for a choice in ``block`` that is not in ``known``."""
    return NotAnAnswer(f"unknown choice for {block}: {ascii(choice)[:60]} (possible: {examples(known, 12)})")


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


def known_choices(kind: StudyKind) -> dict[str, Collection[str]]:
    """Return the choices of each block of the work page, as aliases."""
    if kind == "nli":
        return {"verdict": (*VERDICTS, DECLINED), "stance": STANCES, "reason": REASONS}
    first, *others = QUESTION_BLOCKS
    return {first: (*YES_NO, DECLINED), **dict.fromkeys(others, YES_NO), "reason": QUESTION_REASONS}


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
    """Return the time of the last change, as the logs write it; empty if the annotation does not say.

    Raises ValueError if the time is not in ISO 8601.
    """
    written = annotation.get("updated_at")
    if written is None or written == "":
        return ""
    if not isinstance(written, str):
        raise ValueError("not a text")
    return read_timestamp(written)


def _seconds(annotation: Mapping[str, Any]) -> float | None:
    value = annotation.get("lead_time")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value < 1e9 else None
