"""The plan's log while a command works with it: events are kept before anybody acts on them."""

from __future__ import annotations

from pathlib import Path

from nextset.validation.plan.events import Event
from nextset.validation.plan.log import append_events, read_events
from nextset.validation.plan.state import State, fold

__all__ = ["Journal"]


class Journal:
    """A study's plan: what happened, and what it adds up to. The caller holds the judgments' folder."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is `Study.judgments`. Raises JudgmentError where the log cannot be."""
        self._folder = folder
        self._events: list[Event] = list(read_events(folder).events)
        self.state: State = fold(self._events)
        """All events added up."""

    def add(self, *events: Event) -> State:
        """Keep ``events``, which are on the disk when this returns, and the state with them."""
        self.state = fold([*self._events, *events])  # raises where they cannot follow, before they are kept
        append_events(self._folder, events)
        self._events.extend(events)
        return self.state
