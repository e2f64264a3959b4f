"""An entry of the judgment log: one for each state in which an annotation was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.records.judgment import Verdict

__all__ = ["Entry", "Outcome"]

Outcome = Literal["judged", "declined", "skipped", "invalid", "altered"]
"""judged: there is a verdict. declined: "I would rather not judge this". skipped: with Label Studio's button.
invalid: nothing that can be read as an answer. altered: somebody had changed the text or the page on the
server before it was pulled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An annotation as it was found; when it is changed later, that is another entry.

    Whether it counts is not said here: that follows from the plan and from the other entries.
    """

    session: str
    """The session that asked; empty for answers that came in a file."""
    project: str
    """The project's number on the server; empty where there is none."""
    annotation: str
    """The annotation's number on the server, or ``#`` and its line in a file."""
    digest: str
    """Hash of what was answered, 32 hex digits: it changes when the answer does."""
    answered_at: str
    """When it was last changed, ISO 8601 in UTC; empty where that is not known."""
    unit_id: str
    """What was judged: a unit, a gold item or an item of rest."""
    judge: str
    """Pseudonym of the annotator."""
    key: str
    """Which key made the pseudonym: pseudonyms of different keys cannot be compared."""
    outcome: Outcome
    """What it is."""
    verdict: Verdict | None
    """The verdict; null unless judged."""
    stance_judged: Literal["pro", "anti"] | None
    """The stance of a valid hypothesis; null for all others."""
    underspecified: bool | None
    """Of a question: whether the context leaves open who is meant; null for hypotheses."""
    grammatical: bool | None
    """Of a question: whether the texts are grammatical; null for hypotheses."""
    free_of_hint: bool | None
    """Of a question: whether nothing hints at one of the two; null for hypotheses."""
    reason: str
    """The reason chosen from the list; mostly empty."""
    comment: str
    """What the annotator wrote; mostly empty."""
    problem: str
    """Why it is invalid; empty for the other outcomes."""
    seconds: float | None
    """How long the annotator had it open, as the server reckons it."""
    guidelines: str
    """Version of the guidelines: the first 12 digits of their hash; empty where it is not known."""
    nth: int | None = None
    """Of a judgment of another copy of the study: which state of its answer it is there, from 1; absent from
    all others."""

    @property
    def number(self) -> str:
        """The annotation's number; ``#`` for any line of a file: in the next file the lines are others."""
        return "#" if self.annotation.startswith("#") else self.annotation

    @property
    def ordered_by_time(self) -> bool:
        """Whether its time says which of two states is the later: that of a server does, not one by hand."""
        return bool(self.answered_at) and self.number not in ("", "#")
