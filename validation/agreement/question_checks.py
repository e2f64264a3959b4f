"""The three checks of a question: as ratings, and aggregated per unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.validation.agreement.ratings import Rating
from nextset.validation.agreement.vote_aggregation import Method, aggregate_ratings, most_probable
from nextset.validation.judgments.log_entry import Entry

__all__ = ["CHECKS", "Check", "CheckedUnit", "aggregate_checks", "check_ratings"]

Check = Literal["underspecified", "grammatical", "free_of_hint"]

CHECKS: tuple[Check, ...] = ("underspecified", "grammatical", "free_of_hint")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUnit:
    """The aggregated answers to the three checks of a question; its verdict is aggregated separately."""

    unit_id: str
    underspecified: bool | None
    """True if the context leaves open who is meant; null on a tie or without answers."""
    grammatical: bool | None
    """True if the texts are grammatical; null on a tie or without answers."""
    free_of_hint: bool | None
    """True if nothing hints at one of the two subjects; null on a tie or without answers."""


def check_ratings(entries: Iterable[Entry], check: str) -> list[Rating]:
    """Return the answers to ``check``, as yes or no; entries without an answer are omitted."""
    answers = ((e, getattr(e, check)) for e in entries)
    return [
        Rating(e.unit_id, e.judge, "yes" if answer else "no") for e, answer in answers if answer is not None
    ]


def aggregate_checks(
    ids: Iterable[str], entries: Sequence[Entry], method: Method = "majority", seed: int = 0
) -> list[CheckedUnit]:
    """Return the checks of units ``ids``, sorted; ``entries`` has at most one entry per unit and annotator.

    Each check is aggregated separately. Raises DependencyMissing if crowd-kit is missing and the method is
    not majority.
    """
    known = sorted(set(ids))
    within = set(known)
    counted = [e for e in entries if e.unit_id in within]
    probabilities = {
        check: aggregate_ratings(check_ratings(counted, check), method, seed).probabilities
        for check in CHECKS
    }
    answer = {"yes": True, "no": False}
    return [
        CheckedUnit(
            unit_id=unit_id,
            **{c: answer.get(most_probable(probabilities[c].get(unit_id, {})) or "") for c in CHECKS},
        )
        for unit_id in known
    ]
