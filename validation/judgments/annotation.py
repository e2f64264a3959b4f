"""One annotation of a Label Studio export: the server checks nothing of it, so all of it is checked here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from nextset.items import Verdict
from validation.page.labelling_config import NOT_JUDGED, STANCES, VERDICTS

__all__ = ["Answer", "NotCounted", "read_annotation"]


class NotCounted(Exception):
    """The answer does not count; the message says why, and names no person."""


@dataclass(frozen=True)
class Answer:
    """What one annotation says."""

    person: str
    """The account that it belongs to; to be made a pseudonym at once."""
    verdict: Verdict
    """The verdict."""
    stance: Literal["pro", "anti"] | None
    """The stance of a valid hypothesis; null for the others."""
    reason: str
    """What the annotator wrote."""
    answered_at: str
    """When it was last changed, ISO 8601 in UTC; empty where the export does not say."""
    seconds: float | None
    """How long the task was open."""


def read_annotation(annotation: Mapping[str, Any]) -> Answer:
    """The answer in ``annotation``; raises NotCounted where there is none that counts."""
    if annotation.get("was_cancelled"):
        raise NotCounted("skipped")
    regions = _regions(annotation)
    verdict = _choice(regions, "verdict", VERDICTS)
    if verdict is None:
        raise NotCounted("empty")
    if verdict == NOT_JUDGED:
        raise NotCounted("would rather not judge")
    stance = _choice(regions, "stance", STANCES) if verdict == "valid" else None
    if verdict == "valid" and stance is None:
        raise NotCounted("valid, but without a stance")
    return Answer(
        person=_person(annotation),
        verdict=cast("Verdict", verdict),
        stance=cast("Literal['pro', 'anti'] | None", stance),
        reason=_reason(regions),
        answered_at=_answered_at(annotation),
        seconds=_seconds(annotation),
    )


def _regions(annotation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    result = annotation.get("result")
    if not isinstance(result, list) or not all(isinstance(r, dict) for r in result):
        raise NotCounted("its result is not a list of answers")
    return result


def _choice(regions: list[Mapping[str, Any]], name: str, known: Mapping[str, str]) -> str | None:
    """The one choice made in the block ``name``; None where there is none."""
    chosen: list[Any] = []
    for region in regions:
        if region.get("from_name") == name:
            value = region.get("value")
            choices = value.get("choices") if isinstance(value, dict) else None
            if region.get("type") != "choices" or not isinstance(choices, list):
                raise NotCounted(f"its {name} is not a choice")
            chosen.extend(choices)
    if len(chosen) > 1:
        raise NotCounted(f"{len(chosen)} choices as {name}, where one belongs")
    if chosen and not (isinstance(chosen[0], str) and chosen[0] in known):
        raise NotCounted(f"unknown choice as {name}: {ascii(chosen[0])[:60]}")
    return chosen[0] if chosen else None


def _reason(regions: list[Mapping[str, Any]]) -> str:
    for region in regions:
        value = region.get("value")
        text = value.get("text") if isinstance(value, dict) else None
        if region.get("from_name") == "reason" and isinstance(text, list):
            return "\n".join(line for line in text if isinstance(line, str))
    return ""


def _person(annotation: Mapping[str, Any]) -> str:
    """The account: its number, which both forms of an export have; its e-mail where there is no number."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by["id"] if isinstance(by.get("id"), int) else by.get("email")
    if isinstance(by, int) and not isinstance(by, bool):
        return str(by)
    if isinstance(by, str) and by.strip() and by.isprintable():
        return by.strip().lower()
    raise NotCounted("it does not say whose answer it is")


def _answered_at(annotation: Mapping[str, Any]) -> str:
    written = annotation.get("updated_at")
    try:
        at = datetime.fromisoformat(written) if isinstance(written, str) else None
        at = at.replace(tzinfo=UTC) if at and at.tzinfo is None else at
        return at.astimezone(UTC).isoformat(timespec="microseconds") if at else ""
    except (ValueError, OverflowError):
        return ""


def _seconds(annotation: Mapping[str, Any]) -> float | None:
    value = annotation.get("lead_time")
    known = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
    return float(cast("float", value)) if known and math.isfinite(cast("float", value)) else None
