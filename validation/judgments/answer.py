"""The answer in an annotation, and what a form says about its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from nextset.errors import examples
from nextset.records.judgment import Verdict
from nextset.validation.judgments.log_entry import Outcome

__all__ = ["Answer", "AnswerForm", "NotAnAnswer", "unknown_choice"]


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


class AnswerForm(Protocol):
    """The answers that annotators can give about a unit of a form."""

    @property
    def choices(self) -> Mapping[str, Collection[str]]:
        """The choices of each block of the page, as aliases, with the reasons in the last block, reason."""

    @property
    def answer_blocks(self) -> tuple[str, ...]:
        """The blocks of choices without the reasons; the first block is always shown."""

    def answered(self, given: Mapping[str, str | None], unit_id: str) -> Answer:
        """Return the answer about the unit that choices, by block, stand for.

        Raises NotAnAnswer if they are incomplete.
        """

    def check_cells(self, given: Mapping[str, str | None]) -> None:
        """Raise NotAnAnswer if choices in the cells of a table, by block, contradict each other."""


def unknown_choice(block: str, choice: object, known: Iterable[str]) -> NotAnAnswer:
    """Return the error for a choice in ``block`` that is not in ``known``."""
    return NotAnAnswer(f"unknown choice for {block}: {ascii(choice)[:60]} (possible: {examples(known, 12)})")
