"""An entry of the judgment log: one for each state of an annotation that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.records.judgment import Verdict

__all__ = ["Entry", "Outcome"]

Outcome = Literal["judged", "declined", "skipped", "invalid", "altered"]
"""The kinds of answers. judged: there is a verdict. declined: "I would rather not judge this". skipped: with
Label Studio's button. invalid: it cannot be read as an answer. altered: someone had changed the text or the
page on the server before it was pulled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An annotation as it was found; a later change is a separate entry.

    The entry does not say whether it counts: that follows from the plan and from the other entries.
    """

    session: str
    """The session; empty for answers from a file."""
    project: str
    """The project's number on the server; empty if there is none."""
    annotation: str
    """The annotation's number on the server, or ``#`` and its line in a file."""
    digest: str
    """The hash of the answer, 32 hex digits, which changes with the answer."""
    answered_at: str
    """The time of the last change, ISO 8601 in UTC; empty if unknown."""
    unit_id: str
    """The unit, gold item or rest item that was judged."""
    judge: str
    """The pseudonym of the annotator who made the answer."""
    key: str
    """The name of the key that made the pseudonym."""
    outcome: Outcome
    """The kind of answer."""
    verdict: Verdict | None
    """The verdict; null unless judged."""
    stance_judged: Literal["pro", "anti"] | None
    """The stance of a valid hypothesis; null for all others."""
    underspecified: bool | None
    """True if the context of a question leaves open who is meant; null for hypotheses."""
    grammatical: bool | None
    """True if the texts of a question are grammatical; null for hypotheses."""
    free_of_hint: bool | None
    """True if nothing in a question hints at one of the two subjects; null for hypotheses."""
    reason: str
    """The reason chosen from the list; usually empty."""
    comment: str
    """The annotator's comment; usually empty."""
    problem: str
    """The reason why it is invalid; empty for other outcomes."""
    seconds: float | None
    """The time that the item was open: by the gateway, else by the browser."""
    guidelines: str
    """The version of the guidelines: the first 12 digits of their hash; empty if unknown."""
    nth: int | None = None
    """The number of the state among those of its answer, from 1, if another copy recorded it; else
    absent."""
    changed_by: str = ""
    """The pseudonym that last changed the annotation; absent if it is the judge's."""

    @property
    def answer(self) -> tuple[object, ...]:
        """What the annotator said, apart from when, where and in which form."""
        checks = (self.underspecified, self.grammatical, self.free_of_hint)
        return self.outcome, self.verdict, self.stance_judged, *checks, self.reason, self.comment

    @property
    def number(self) -> str:
        """The annotation's number; ``#`` for any line of a file, since lines differ between files."""
        return "#" if self.annotation.startswith("#") else self.annotation

    @property
    def ordered_by_time(self) -> bool:
        """True if its time shows which of two states is later: a server's time does, a hand-written one
        not."""
        return bool(self.answered_at) and self.number not in ("", "#")
