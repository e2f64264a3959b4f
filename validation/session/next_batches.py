"""The session goes on: who may work gets a project, and the next batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ServerError
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.assignment import Dealer
from nextset.validation.plan.event_log import Journal
from nextset.validation.plan.events import BatchDealt
from nextset.validation.plan.exclusions import Counted
from nextset.validation.plan.state import Participant
from nextset.validation.session.disputed_units import votes_in_words
from nextset.validation.session.materials import Desk
from nextset.validation.session.person_projects import (
    Reconciled,
    gate_for,
    projects_there,
    push_batch,
    work_for,
)

__all__ = ["Advanced", "advance"]


@dataclass(frozen=True)
class Advanced:
    """What was dealt, and what cannot be."""

    pushed: tuple[Reconciled, ...]
    """The batches that went to the server."""
    nobody_left: int
    """Units that need more people than there are who may judge them."""


def advance(
    desk: Desk,
    journal: Journal,
    studio: LabelStudio,
    counted: Sequence[Counted],
    progress: Progress = SILENT,
) -> Advanced:
    """Make the projects that are missing, deal whoever is ready the next batch, and push what was dealt.

    Stopped anywhere, it goes on from there: what was dealt stays dealt, and is pushed once.
    """
    _all_there(desk, journal, studio)
    for person in _going_on(desk, journal):
        if person.needs_gate:
            gate_for(desk, journal, studio, person)
        else:
            work_for(desk, journal, studio, person)
    dealer = desk.dealer(journal, counted)
    _deal(desk, journal, dealer)
    waiting = [(p, b) for p in _going_on(desk, journal) for b in p.batches if p.active and not b.pushed]
    items = sum(len(b.items) for _, b in waiting)
    votes = votes_in_words(desk, counted) if desk.session(journal).opened.votes else None
    tick, done = progress("push"), 0
    pushed: list[Reconciled] = []
    for participant, batch in waiting:
        begun = done
        pushed.append(
            push_batch(
                desk,
                journal,
                studio,
                participant,
                batch,
                votes,
                lambda n, _, begun=begun: tick(begun + n, items),  # type: ignore[misc]
            )
        )
        done += len(batch.items)
    return Advanced(tuple(pushed), len(dealer.nobody_left()))


def _all_there(desk: Desk, journal: Journal, studio: LabelStudio) -> None:
    """Raise ServerError where somebody's project is gone: what is dealt would reach nobody, or a stranger."""
    number = desk.session(journal).opened.session
    there = projects_there(studio, journal.state)
    for p in _going_on(desk, journal):
        project = p.projects.get("gate" if p.needs_gate else "work")
        if project is not None and (number, project) not in there:
            raise ServerError(
                f"project {project} of {p.person} is not on the Label Studio at {studio.url} any more",
                remedy="restore the server's data, or let the person leave: "
                f"nextset validate leave {desk.study.folder} {p.person}",
            )


def _going_on(desk: Desk, journal: Journal) -> list[Participant]:
    return [p for p in desk.session(journal).people.values() if p.left is None]


def _deal(desk: Desk, journal: Journal, dealer: Dealer) -> None:
    """Deal to everybody who is ready; what is dealt is kept before the next thing happens."""
    session = desk.session(journal)
    dealt = []
    for person in dealer.ready():
        items = dealer.next_batch(person)
        if items:
            number = len(session.people[person].batches) + 1
            dealt.append(BatchDealt(session=session.opened.session, person=person, batch=number, items=items))
    journal.add(*dealt)
