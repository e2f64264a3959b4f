"""The candidates and test items that models did not answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Bools
from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.model_answers import Answers
from nextset.scoring.wrong_answers import Missing

__all__ = ["UnansweredRow", "unanswered_rows", "unanswered_warnings"]

_POLICIES: dict[Missing, str] = {
    "not_wrong": "it counts as not wrong about them",
    "wrong": "it counts as wrong about them",
    "drop": "they are rejected",
}
"""The consequence of each policy, as a clause."""


@dataclass(frozen=True)
class UnansweredRow:
    """A model that did not answer some of the candidates or test items that it was asked about."""

    model: str
    """The model's published name."""
    role: str
    """filter or held_out."""
    asked: int
    """The number of candidates that it was asked about."""
    unanswered: int
    """The number of them without an answer: the missing answers could have changed the label."""
    kept: int
    """The number of kept candidates that it was asked about."""
    kept_unanswered: int
    """The number of them without an answer."""
    tests_unanswered: int
    """The number of test items without an answer; they are not right."""


def unanswered_rows(
    answers: Answers, keep: Bools, role: str, tests: Answers | None = None
) -> list[UnansweredRow]:
    """Return one row for each model that left a candidate, or one of the ``tests``, unanswered."""
    silent = answers.asked & ~answers.answered
    of_tests = np.zeros(len(answers.models), np.int64)
    if tests is not None:
        of_tests = (tests.asked & ~tests.answered).sum(axis=1)
    return [
        UnansweredRow(
            model,
            role,
            int(answers.asked[m].sum()),
            int(silent[m].sum()),
            int(answers.asked[m, keep].sum()),
            int(silent[m, keep].sum()),
            int(of_tests[m]),
        )
        for m, model in enumerate(answers.models)
        if silent[m].any() or of_tests[m]
    ]


def unanswered_warnings(rows: Sequence[UnansweredRow], missing: Missing) -> list[ConclusionRow]:
    """Return a warning for each model that left candidates unanswered; it says what the policy does."""
    return [
        ConclusionRow("unanswered", row.model, None, None, None, True, _text(row, missing))
        for row in rows
        if row.unanswered
    ]


def _text(row: UnansweredRow, missing: Missing) -> str:
    counts = f"{row.unanswered:,} of {row.asked:,} ({100 * row.unanswered / row.asked:.1f} %)"
    text = f"candidates that {row.model} did not answer: {counts}"
    if row.role == "held_out":
        return f"{text}; its numbers are over the others"
    return f"{text}; {_POLICIES[missing]} (filter.missing: {missing})"
