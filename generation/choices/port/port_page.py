"""The page of a port: what was decided on each template, and what people said about its stereotype."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.counted import per_cent_text
from nextset.html.page import page
from nextset.records.port_decisions import DECISIONS, PortDecision
from nextset.study.choice_settings import PortSettings

__all__ = ["PortReport", "render_port"]

_UNDECIDED = "undecided"


@dataclass(frozen=True)
class PortReport:
    """The data of the page."""

    study: str
    """The study's name."""
    settings: PortSettings
    decisions: Sequence[PortDecision]
    """The decision on each template."""
    items: int
    """The number of items of the templates that are kept."""
    masked: int = 0
    """The number of rows with masks of these templates, which a model fills."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of templates by decision; undecided comes last."""
        counted = Counter(row.decision or _UNDECIDED for row in self.decisions)
        return {decision: counted[decision] for decision in (*DECISIONS, _UNDECIDED) if counted[decision]}

    @property
    def kept(self) -> int:
        """The number of templates that are kept."""
        return sum(row.kept for row in self.decisions)

    @property
    def surveyed(self) -> bool:
        """True if there are answers of people."""
        return any(row.people is not None for row in self.decisions)

    @property
    def without_stereotype(self) -> int:
        """The number of templates with items that state no stereotype, such as controls."""
        return sum(bool(row.language) and not row.stereotype.strip() for row in self.decisions)

    @property
    def otherwise_named(self) -> list[PortDecision]:
        """The kept templates whose most named group is not one of their target groups."""
        return [
            row
            for row in self.decisions
            if row.kept and row.most_named and not _names(row.most_named, row.target_groups)
        ]


def _names(group: str, targets: Sequence[str]) -> bool:
    """Return whether an answer of people, one group or several with commas, names one of ``targets``."""
    return not _parts(group).isdisjoint(set().union(*map(_parts, targets)))


def _parts(group: str) -> set[str]:
    return {part.strip().casefold() for part in (*group.split(","), group)}


def render_port(report: PortReport) -> str:
    """Return the page as HTML. The same data give the same bytes; every text from data is escaped."""
    return page(Path(__file__).parent / "port.html.j2", per_cent_text, report=report)
