"""`nextset validate merge`: add the logs of another copy of the study to this one's."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.records.judgment import LOG_NAME
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study
from nextset.validation.judgments.judgment_log import Erasure, append_merged, erase
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.merge.copied_logs import CopiedLogs, UnreadLine, read_logs
from nextset.validation.merge.log_union import LogUnion, union
from nextset.validation.merge.merge_conflicts import Conflict, Merging, conflicts
from nextset.validation.merge.other_copy import both_locked, judgments_of
from nextset.validation.plan.counting_rules import count
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import SessionKind
from nextset.validation.plan.state import State, fold
from nextset.validation.session.join_and_leave import forget_withdrawn
from nextset.validation.session.log_backup import back_up_logs
from nextset.validation.study_units import kept_units, need_annotators
from nextset.validation.timestamps import current_timestamp

__all__ = ["Merged", "MergedSession", "merge_judgments"]


@dataclass(frozen=True)
class MergedSession:
    """A session of the other copy."""

    session: str
    """The session's number in this study."""
    there: str
    """The session's number in the other copy."""
    kind: SessionKind
    opened_at: str
    """The time when it was opened."""
    new: bool
    """True if this study did not have it before."""
    judgments: int
    """The number of its judgments of units that count now."""


@short_repr
@dataclass(frozen=True)
class Merged:
    """A merge of another copy of the study."""

    other: Path
    """The other copy's folder of judgments."""
    sessions: tuple[MergedSession, ...]
    """The sessions of the other copy."""
    entries_new: int
    """The number of lines added to log.jsonl."""
    entries_already: int
    """The number of lines of the other log.jsonl that this one already had."""
    events_new: int
    """The number of lines added to plan.jsonl."""
    events_already: int
    """The number of lines of the other plan.jsonl that this one already had."""
    omitted: tuple[UnreadLine, ...]
    """The lines of the other logs that were not added, with the reason. Together with the four numbers above,
    these are all lines of the other logs."""
    judgments_before: int
    """The number of judgments of units that counted in this study before."""
    judgments_there: int
    """The number of judgments of units that counted in the other copy."""
    judgments: int
    """The number of judgments of units that count now."""
    conflicts: tuple[Conflict, ...]
    """The conflicts between the two copies, and their outcome."""
    backup: Path | None
    """The folder with copies of this study's logs as they were; null if nothing was added."""


@of_study
def merge_judgments(study: Study, other: Path | str) -> Merged:
    """Add the judgments and the plan of another copy of ``study`` to its own; ``other`` is not changed.

    ``other`` is that copy's folder, or its folder of judgments. Lines are only added, each at most once, so
    the same call completes a merge that was stopped, and the order of merges does not matter. Before anything
    is changed, raises JudgmentError if a log cannot be read, a session that only the other copy has is open,
    or ``other`` is not a copy of this study; StudyHeld while another process works on one of the two;
    StudyError if a rule judges.
    """
    need_annotators(study.settings.validate_, study.file)
    units = frozenset(
        kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    )
    folder = judgments_of(Path(other), study.judgments)
    with both_locked(study.judgments, folder):
        own, copied = read_logs(study.judgments, whole=False), read_logs(folder, whole=True)
        added = union(own, copied)
        merging = _merging(own, copied, added, units)
        _check_same_study(merging, folder)
        backup = None
        if added.entries or added.events:
            backup = back_up_logs(study.judgments, "merge", current_timestamp())
            # The plan opens the new sessions last: none of their judgments count before that, and all of them
            # after.
            append_merged(study.judgments, added.entries)
            append_events(study.judgments, added.events)
        _erase_as_there(study.judgments, own, copied, merging.state)
        return Merged(
            other=folder,
            sessions=_sessions(merging),
            entries_new=len(added.entries),
            entries_already=added.entries_already,
            events_new=len(added.events),
            events_already=added.events_already,
            omitted=added.omitted,
            judgments_before=sum(c.is_verdict for c in merging.own_counted),
            judgments_there=sum(c.is_verdict for c in merging.other_counted),
            judgments=sum(c.is_verdict for c in merging.counted),
            conflicts=conflicts(merging, study.settings.validate_.session),
            backup=backup,
        )


def _erase_as_there(judgments: Path, own: CopiedLogs, other: CopiedLogs, state: State) -> None:
    """Remove what the other copy has erased, and the comments of people who withdrew in either copy."""
    for erasure in other.erasures:
        if erasure.erased and erasure not in own.erasures:
            keep = functools.partial(_unless_erased, erasure)
            if not erase(judgments, erasure.judges, erasure.at, keep).erased:
                append_merged(judgments, (), [erasure])
    forget_withdrawn(judgments, state)


def _unless_erased(erasure: Erasure, entry: Entry) -> Entry | None:
    return None if erasure.includes(entry) else entry


def _merging(own: CopiedLogs, other: CopiedLogs, added: LogUnion, units: Collection[str]) -> Merging:
    state = fold([*own.events, *added.events])
    return Merging(
        own=own,
        other=other,
        added=added,
        state=state,
        units=units,
        own_counted=count(own.entries, own.state, units),
        other_counted=count(other.entries, other.state, units),
        counted=count([*own.entries, *added.entries], state, units),
    )


def _check_same_study(merging: Merging, folder: Path) -> None:
    """Raise JudgmentError if the two copies share no judged unit, no session and no entry."""
    judged = {c.entry.unit_id for c in merging.other_counted if c.part == "unit"}
    shared = len(merging.added.sessions) - len(merging.added.new_sessions) + merging.added.entries_already
    if judged and judged.isdisjoint(merging.units) and not shared:
        raise JudgmentError(
            f"no unit judged there is in this study ({len(judged):,} in total): the folder is not a copy of "
            "this study, or all texts were edited since",
            file=folder / LOG_NAME,
            remedy="choose a copy of this study, or undo the edits and run the study up to the filter first",
        )


def _sessions(merging: Merging) -> tuple[MergedSession, ...]:
    sessions = []
    for there, here in merging.added.sessions.items():
        opened = merging.state.sessions[here].opened
        judgments = sum(c.is_verdict and c.entry.session == here for c in merging.counted)
        new = here in merging.added.new_sessions
        sessions.append(MergedSession(here, there, opened.kind, opened.at, new, judgments))
    return tuple(sessions)
