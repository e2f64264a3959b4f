"""A person's work project as a pull finds it: changed texts and pages, deleted or foreign answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nextset.validation.judgments.log_entry import Entry
from nextset.validation.label_studio.annotation_download import FoundTask
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.events import ProjectMade
from nextset.validation.plan.state import Participant
from nextset.validation.session.project_contents import text_hash

__all__ = ["WorkProject", "at_most_five", "page_changed"]

_SHOWN = 5


class WorkProject:
    """The work project of ``participant``, found on the server as ``found``."""

    def __init__(self, participant: Participant, found: Project) -> None:
        self.participant = participant
        self.found = found
        self.made = participant.made["work"]
        self.tasks: dict[int, FoundTask] = {}
        """The tasks read, by number."""
        self._whole = False

    @property
    def page_changed(self) -> bool:
        """True if the page differs from the one that was made."""
        return page_changed(self.made, self.found)

    def read(self, tasks: Iterable[FoundTask], *, whole: bool) -> None:
        """Remember ``tasks``; with ``whole`` they are all tasks of the project."""
        self.tasks.update((task.task, task) for task in tasks)
        self._whole = self._whole or whole

    def text_changed(self, task: FoundTask) -> bool:
        """Return whether the task is for an assigned item and its text differs from the one that was sent."""
        planned = self.participant.texts.get(task.unit_id)
        return planned is not None and planned != text_hash(task.data)

    def altered(self, task: FoundTask) -> bool:
        """Return whether answers to the task do not count."""
        return self.page_changed or self.text_changed(task)

    def of_others(self, entries: Iterable[Entry], accounts: Mapping[str, str]) -> Sequence[str]:
        """Return a sentence for each of ``entries`` given by another person; ``accounts`` are the plan's."""
        given = [(e, accounts.get(e.judge, e.judge)) for e in entries]
        return at_most_five(
            [
                f"{person} answered item {e.unit_id} in project {e.project} of {self.made.person}: "
                "this does not count and is not paid"
                for e, person in given
                if person not in ("", self.made.person)
            ],
            f"other answers in project {self.made.project} are not by {self.made.person} either",
        )

    def changed(self, entries: Iterable[Entry], read_before: Iterable[bool]) -> Sequence[str]:
        """Return a sentence for each of ``entries`` that someone other than its author changed last.

        ``read_before`` says for each whether the log has an earlier state of it.
        """
        return at_most_five(
            [
                f"{e.changed_by} changed the answer of {e.judge} to item {e.unit_id} in project {e.project}: "
                + (
                    "what the author answered before counts"
                    if before
                    else "it was not read before, so it counts as it is now; ask whether it is right"
                )
                for e, before in zip(entries, read_before, strict=True)
                if e.changed_by
            ],
            f"other answers in project {self.made.project} were changed by someone else too",
        )

    def deleted(self, entries: Iterable[Entry]) -> Sequence[str]:
        """Return a sentence for each answer that the log has, by ``entries``, and the project no longer has.

        Answers that only another copy of the study read are omitted: it may have read them on another server.
        """
        there = {str(a["id"]) for task in self.tasks.values() for a in task.annotations}
        units = {task.unit_id for task in self.tasks.values()}
        last = {
            e.annotation: e
            for e in entries
            if (e.session, e.project) == (self.made.session, self.made.project) and e.nth is None
        }
        return at_most_five(
            [
                f"the answer of {e.judge} to item {e.unit_id} in project {e.project} was deleted on the "
                "server: the log has it, and it still counts"
                for number, e in last.items()
                if number not in there and (self._whole or e.unit_id in units) and e.outcome != "altered"
            ],
            f"other answers in project {self.made.project} were deleted too",
        )


def page_changed(made: ProjectMade, found: Project) -> bool:
    """Return whether a project's page differs from the one that was made."""
    return made.page not in ("", found.page)


def at_most_five(lines: Sequence[str], rest: str) -> Sequence[str]:
    """Return the first five ``lines``; if there are more, followed by their number and ``rest``."""
    more = len(lines) - _SHOWN
    return lines if more <= 0 else [*lines[:_SHOWN], f"{more:,} {rest}"]
