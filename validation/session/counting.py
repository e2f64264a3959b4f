"""What of the study's log counts, going by its plan."""

from __future__ import annotations

from collections.abc import Collection

from nextset.study.study_folder import Study
from nextset.validation.judgments.judgment_log import read
from nextset.validation.plan.event_log import Journal, read_events
from nextset.validation.plan.exclusions import Counted, count
from nextset.validation.plan.state import fold
from nextset.validation.session.materials import Desk

__all__ = ["counted_in", "counted_now"]


def counted_now(desk: Desk, journal: Journal) -> tuple[Counted, ...]:
    """Every entry of the log with what it is good for, while a command works with the plan."""
    return count(read(desk.study.judgments).entries, journal.state, desk.known)


def counted_in(study: Study, units: Collection[str]) -> tuple[Counted, ...]:
    """The same of a study that nobody works with; ``units`` are the ids of its units."""
    return count(read(study.judgments).entries, fold(read_events(study.judgments).events), units)
