"""Findings about pairs and sets of counterparts, their counts, and the refusal of a release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from nextset.errors import ArtifactError
from nextset.study.release_settings import Waivers

__all__ = ["PairFinding", "PairReport", "PairSummary", "refuse_pairs", "summed"]

_EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFinding:
    """A pair or set that is incomplete or not minimal, or an item that a person should check."""

    kind: Literal["missing", "not_minimal", "flagged"]
    """missing: a member is missing; not_minimal: more than the group differs; flagged: check it."""
    item_id: str | None
    """The item, quad or masked statement; null if the finding is about a set of subject pairs."""
    counterfactual_set: str | None
    """The set of counterparts; null if the item is not in a set."""
    detail: str
    """The group whose member is missing, the texts that differ, or the reason and the term."""
    tokens: tuple[str, ...] = ()
    """The item's tokens, other than the group, that differ."""
    other_tokens: tuple[str, ...] = ()
    """The tokens in the same place in the other member; for a quad, in the text that its pack makes."""


@dataclass(frozen=True, slots=True)
class PairSummary:
    """Counts of the pairs and sets of counterparts, with the first examples."""

    sets: int = 0
    """Pairs and sets; an item whose counterparts are all missing counts as one."""
    complete: int = 0
    """Sets without a missing member."""
    incomplete: int = 0
    """Sets with a missing member."""
    minimal: int = 0
    """Sets with two or more members that differ only in the group."""
    not_minimal: int = 0
    """Sets with members that differ in more than the group."""
    flagged: int = 0
    """Items that a person should check."""
    incomplete_examples: tuple[str, ...] = ()
    """The first incomplete sets, as text."""
    not_minimal_examples: tuple[str, ...] = ()
    """The first sets that are not minimal, as text."""

    def __add__(self, other: PairSummary) -> PairSummary:
        """Return the sums of both counts, with the first examples."""
        return PairSummary(
            self.sets + other.sets,
            self.complete + other.complete,
            self.incomplete + other.incomplete,
            self.minimal + other.minimal,
            self.not_minimal + other.not_minimal,
            self.flagged + other.flagged,
            (*self.incomplete_examples, *other.incomplete_examples)[:_EXAMPLES],
            (*self.not_minimal_examples, *other.not_minimal_examples)[:_EXAMPLES],
        )


@dataclass(frozen=True, slots=True)
class PairReport:
    """The findings about a table, and their summary."""

    findings: tuple[PairFinding, ...]
    """The findings, in the order of the table."""
    summary: PairSummary
    """The counts."""


def summed(
    findings: Iterable[PairFinding], sets: int, incomplete: int, measured: int, not_minimal: int
) -> PairReport:
    """Return the report of ``findings``. ``measured`` is the number of sets with two or more members."""
    kept = tuple(findings)
    return PairReport(
        kept,
        PairSummary(
            sets,
            sets - incomplete,
            incomplete,
            measured - not_minimal,
            not_minimal,
            len({f.item_id for f in kept if f.kind == "flagged"}),
            tuple(_shown(f) for f in kept if f.kind == "missing")[:_EXAMPLES],
            tuple(_shown(f) for f in kept if f.kind == "not_minimal")[:_EXAMPLES],
        ),
    )


def _shown(finding: PairFinding) -> str:
    item = f"{finding.item_id}: " if finding.item_id else ""
    if not finding.tokens and not finding.other_tokens:
        return item + finding.detail
    tokens, others = (" ".join(t[:10]) for t in (finding.tokens, finding.other_tokens))
    return f"{item}{tokens!r} and {others!r} ({finding.detail})"


def refuse_pairs(summary: PairSummary, waivers: Waivers) -> None:
    """Raise ArtifactError if pairs are incomplete or not minimal, unless ``waivers`` give a reason.

    The message has the counts and the first examples, if ``summary`` has any.
    """
    problems = (
        ("incomplete", summary.incomplete, "lack a member", summary.incomplete_examples),
        (
            "not_minimal",
            summary.not_minimal,
            "differ in more than the group",
            summary.not_minimal_examples,
        ),
    )
    refused = [p for p in problems if p[1] and not getattr(waivers, p[0])]
    if refused:
        message = "; ".join(
            f"pairs and sets of counterparts that {what}: {count:,} of {summary.sets:,}"
            + (f" ({'; '.join(examples)})" if examples else "")
            for _, count, what, examples in refused
        )
        keys = " and ".join(f'release.waivers.{name}: "why"' for name, *_ in refused)
        raise ArtifactError(
            message,
            remedy=f"correct the template, the imported texts or the lexicon of group terms, or write {keys}",
        )
