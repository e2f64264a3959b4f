"""What came back from annotators: judgments, and answers that do not count."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.items import Judgment

__all__ = ["GivenJudgment", "Problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenJudgment(Judgment):
    """A judgment as an annotator gave it."""

    reason: str
    """What the annotator wrote about it; mostly empty."""
    answered_at: str
    """When the answer was last changed, ISO 8601 in UTC; empty where the export does not say."""
    seconds: float | None
    """How long the annotator had the task open, as Label Studio reckons it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An answer that does not count, and why."""

    task: str
    """The task's number on the server, or its place in the file (``#1`` is the first)."""
    annotation: str
    """The annotation's number on the server; empty where it has none."""
    reason: str
    """Why it does not count."""
