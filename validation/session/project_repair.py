"""The repair of projects: pages, texts and marks that someone changed on the server are restored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nextset.errors import JudgmentError, ServerError
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.label_studio.annotation_download import FoundTask
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import ProjectMade
from nextset.validation.plan.state import Participant, Session
from nextset.validation.session.disputed_units import votes_as_text
from nextset.validation.session.materials import SessionMaterials
from nextset.validation.session.organiser_warnings import same_guidelines
from nextset.validation.session.project_contents import (
    batch_tasks,
    marker,
    project_config,
    project_gate_task,
    project_instruction,
    skip_button,
    text_hash,
)
from nextset.validation.session.work_project import WorkProject, at_most_five, page_changed

__all__ = ["ProjectRepair"]


@dataclass(frozen=True)
class ProjectRepair:
    """The repair of the projects of the open session."""

    materials: SessionMaterials
    """The texts and pages that annotators should see."""
    event_log: EventLog
    """The plan."""
    studio: LabelStudio
    session: Session
    repair: bool
    """True if changes are undone and answers asked for again; else changes are only reported."""

    def work(self, work: WorkProject, on_server: int) -> list[str]:
        """Restore a person's work project, and return what someone had changed, one sentence each.

        ``on_server`` is the number of its tasks, as the server counts them. Answers to changed texts are
        deleted on the server, so that it asks for them again; the log keeps them. The texts are restored
        last: if this is stopped, the next pull finds the change once more.
        """
        participant, made = work.participant, work.made
        texts = [task for task in work.tasks.values() if work.text_changed(task)]
        wanted = {task.task: self._wanted(participant, made, task.unit_id) for task in texts}
        if self.repair and (texts or work.page_changed):
            void = {n for n, e in self._last_entries(made.project).items() if e.outcome == "altered"}
            for task in work.tasks.values():
                lasting = work.page_changed and not self._same_guidelines
                if work.altered(task) and not lasting and wanted.get(task.task, {}) is not None:
                    for annotation in task.annotations:
                        if str(annotation["id"]) in void:
                            self.studio.delete_annotation(int(annotation["id"]))
        reports = [self._text(made, task, wanted[task.task]) for task in texts]
        page = self.project(participant, made, work.found)
        more = f"other texts of project {made.project} were changed too"
        return [*at_most_five(reports, more), *page, *self._missing(work, on_server)]

    def gate_text(self, participant: Participant, made: ProjectMade, task: FoundTask) -> list[str]:
        """Restore the text of a page of the gate if someone changed it, and report the change."""
        if made.text in ("", text_hash(task.data)):
            return []
        return [self._text(made, task, self._wanted(participant, made, task.unit_id))]

    def project(self, participant: Participant, made: ProjectMade, found: Project) -> list[str]:
        """Restore a project's mark, page and settings, and report which of them someone had changed."""
        known_by = marker(self.session.opened.mark, participant.person, made.role)
        differs = {
            "mark": known_by not in found.description.split(),
            "page": page_changed(made, found),
            "settings": not found.as_set or found.can_skip != skip_button(made.role),
        }
        changed = [name for name, is_other in differs.items() if is_other]
        if not changed:
            return []
        project_name = f"project {made.project} ({made.role}) of {made.person}"
        what = f"someone changed the {', '.join(changed)} of {project_name}"
        if not self.repair:
            return [what]
        if not self._same_guidelines:
            return [f"{what}; not restored: the guidelines have changed since the session was opened"]
        config = project_config(self.materials, made.role, votes=self.session.opened.votes)
        instruction = project_instruction(self.materials, made.role)
        can_skip = skip_button(made.role)
        try:
            self.studio.restore_project(int(made.project), known_by, config, instruction, can_skip=can_skip)
        except ServerError as e:
            return [f"{what}; not restored: {e.message}"]
        return [f"{what}; restored"]

    @property
    def _same_guidelines(self) -> bool:
        return same_guidelines(self.materials, self.session)

    def _text(self, made: ProjectMade, task: FoundTask, wanted: Mapping[str, Any] | None) -> str:
        what = f"someone changed the text of item {task.unit_id} in project {made.project} of {made.person}"
        if wanted is None:
            return f"{what}; not restored: the study has changed since then; undo that change and pull again"
        names = sorted(name for name in {*wanted, *task.data} if wanted.get(name) != task.data.get(name))
        what = f"{what} ({', '.join(map(ascii, names))[:200]})"
        if not self.repair:
            return what
        self.studio.restore_task(task.task, wanted)
        return f"{what}; restored, and answers given since the last pull are asked for again"

    def _wanted(self, participant: Participant, made: ProjectMade, unit_id: str) -> dict[str, Any] | None:
        """Return the data that were sent, or None if the study no longer has them."""
        planned = made.text if made.role != "work" else participant.texts[unit_id]
        try:
            (task,) = (
                [project_gate_task(self.materials, made.role, participant)]
                if made.role != "work"
                else batch_tasks(self.materials, [participant.items[unit_id]], self._votes())
            )
        except JudgmentError:
            return None
        data: dict[str, Any] = task["data"]
        return data if text_hash(data) == planned else None

    def _votes(self) -> Mapping[str, str] | None:
        if not self.session.opened.votes:
            return None
        return votes_as_text(self.materials, self.materials.counted(self.event_log))

    def _missing(self, work: WorkProject, on_server: int) -> list[str]:
        """Send again the unanswered items that are no longer in the project, and report them."""
        participant, project = work.participant, work.made.project
        planned = [item for batch in participant.batches if batch.pushed for item in batch.items]
        strange = any(task.unit_id not in participant.items for task in work.tasks.values())
        if not self.repair or (on_server >= len(planned) and not strange):
            return []
        entries = self._last_entries(project).values()
        answered = {e.unit_id for e in entries if e.outcome != "altered"}
        unanswered = [item for item in planned if item.unit_id not in answered]
        what = f"someone deleted items from project {project} of {participant.person}"
        try:
            tasks = batch_tasks(self.materials, unanswered, self._votes())
        except JudgmentError as e:
            return [f"{what}; not sent again: {e.message}"]
        sent = self.studio.push(int(project), tasks)
        return [f"{what}; sent again: {sent.new:,}"] if sent.new else []

    def _last_entries(self, project: str) -> dict[str, Entry]:
        """Return the last state in the log of each annotation of a project.

        Another copy of the study may have read an annotation with the same number on another server: one that
        was read here is preferred.
        """
        entries = sorted(read(self.materials.judgments).entries, key=lambda e: e.nth is None)
        return {
            e.annotation: e
            for e in entries
            if (e.session, e.project) == (self.session.opened.session, project)
        }
