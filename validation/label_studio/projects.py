"""Projects on the server: each is identified by the marker in its description, and made once."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from nextset.errors import DependencyMissing, ServerError
from nextset.validation.label_studio.http_retries import Calls, Unanswered

__all__ = ["Counts", "Project", "ProjectCalls"]

_PAGE = 100
_TRIES = 5

_COUNTS = (
    *("id", "task_number", "total_annotations_number"),
    *("skipped_annotations_number", "finished_task_number"),
)

_SETTINGS: dict[str, Any] = {
    "sampling": "Sequential sampling",  # the plan's order
    "skip_queue": "IGNORE_SKIPPED",  # skipped items do not come back
    "show_instruction": False,  # the button stays; people have read the instructions at the gate
    "show_collab_predictions": False,
    "evaluate_predictions_automatically": False,
    "reveal_preannotations_interactively": False,
    "show_annotation_history": False,
    "enable_empty_annotation": False,
    "maximum_annotations": 1,
}

_SKIP = "show_skip_button"
_PAGE_FIELDS = ("label_config", "expert_instruction")
_LISTED = ("id", "created_at", "description", *_PAGE_FIELDS, _SKIP, *_SETTINGS)


@dataclass(frozen=True)
class Project:
    """A project as it is on the server now."""

    number: int
    """The project's number on the server."""
    made_at: str
    """The time of its creation, by the server's clock; it cannot be changed, and differs between servers."""
    description: str
    """The project's description, which contains the marker."""
    page: str
    """Hash of the labelling configuration and the instructions, 16 hex digits."""
    as_set: bool
    """True if its other settings are those that it was made with."""
    can_skip: bool
    """True if its page has the button that skips a task."""
    config: str = ""
    """Its labelling configuration, as XML."""


@dataclass(frozen=True)
class Counts:
    """The counts of a project, as the server gives them."""

    tasks: int
    answered: int
    """The number of annotations that are submitted and not skipped."""
    skipped: int
    """The number of annotations by the skip button."""
    finished: int
    """The number of tasks with an annotation of either kind."""


class ProjectCalls(Calls):
    """The requests about projects. Every method raises ServerError if it gets no usable answer."""

    def check_config(self, xml: str) -> None:
        """Raise ServerError if Label Studio cannot use the labelling configuration ``xml``; nothing is made.

        Both label-studio-sdk and the server check it. Raises DependencyMissing without label-studio-sdk.
        """
        try:
            from label_studio_sdk._legacy.exceptions import (
                LabelStudioValidationErrorSentryIgnored,
                LabelStudioXMLSyntaxErrorSentryIgnored,
            )
            from label_studio_sdk.label_interface.interface import LabelInterface
        except ImportError:
            raise DependencyMissing(
                "labelling configurations are checked with label-studio-sdk, which is not installed",
                remedy="pip install 'nextset[validate]'",
            ) from None
        try:
            LabelInterface(xml).validate()  # type: ignore[no-untyped-call]
        except (
            LabelStudioXMLSyntaxErrorSentryIgnored,
            LabelStudioValidationErrorSentryIgnored,
            ValueError,
        ) as e:
            raise ServerError(
                f"the labelling configuration is not valid: {' '.join(str(e).split())[:300]}",
                remedy="correct the page's wording in the study",
            ) from None
        self.ask("/api/projects/validate/", {"label_config": xml})

    def project(self, marker: str) -> Project | None:
        """Return the oldest project with the word ``marker`` in its description, or None if there is none."""
        matching = [p for p in self.projects().values() if marker in p.description.split()]
        return min(matching, key=lambda p: p.number, default=None)

    def make_project(
        self, marker: str, title: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Return the project with ``marker``, which is made if there is none.

        ``title`` has 3 to 50 characters; ``instruction`` is HTML that a button of the page shows. Tasks are
        shown in the order of their upload, without predictions. With ``can_skip`` the page has a button that
        skips a task, which is then not shown again. Raises ServerError.
        """
        project = self.project(marker)
        if project is not None:
            return project
        try:
            return _project(
                self.post(
                    "/api/projects/", {"title": title, **_contents(marker, config, instruction, can_skip)}
                )
            )
        except Unanswered as e:
            lost = e
        # The project may exist by now, or in a moment.
        self.patience.sleep(self.patience.settle)
        project = self.project(marker)
        if project is None:
            raise lost
        return project

    def restore_project(
        self, number: int, marker: str, config: str, instruction: str, *, can_skip: bool = True
    ) -> Project:
        """Restore the description, page and settings of project ``number``. Raises ServerError."""
        contents = _contents(marker, config, instruction, can_skip)
        return _project(self.patch(f"/api/projects/{number}/", contents))

    def counts(self, projects: Collection[int]) -> dict[int, Counts]:
        """Return the counts of each of the ``projects``; projects that no longer exist are omitted."""
        wanted = sorted(projects)
        counts: dict[int, Counts] = {}
        for start in range(0, len(wanted), _PAGE):
            ids = wanted[start : start + _PAGE]
            query: dict[str, str | int] = {
                "ids": ",".join(map(str, ids)),
                "include": ",".join(_COUNTS),
                "page_size": _PAGE,
            }
            page = self.get("/api/projects/counts/", query, fits=_are_counts)
            if len(page["results"]) < len(ids):  # some are gone, or this is the wrong answer
                page = self.get(
                    "/api/projects/counts/", query, fits=lambda reply: _are_projects(reply, _COUNTS)
                )
            for row in page["results"]:
                number, *counted = (row[name] for name in _COUNTS)
                counts[number] = Counts(*counted)
        return {number: counts[number] for number in wanted if number in counts}

    def projects(self) -> dict[int, Project]:
        """Return all projects by number, read until there are as many as the server says."""
        for _ in range(_TRIES):
            projects: dict[int, Project] = {}
            page, pages, total = 0, 1, 0
            while page < pages:
                page += 1
                reply = self.get(
                    "/api/projects/",
                    {"include": ",".join(_LISTED), "ordering": "id", "page": page, "page_size": _PAGE},
                    fits=lambda reply: _are_projects(reply, _LISTED),
                )
                total = int(reply["count"])
                pages = max(1, -(-total // _PAGE))
                projects.update((row["id"], _project(row)) for row in reply["results"])
            if len(projects) == total:
                return projects
        raise ServerError(
            f"the list of projects at {self.url} keeps changing while it is read",
            remedy="wait until no one makes or deletes projects, then run the same command again",
        )


def _contents(marker: str, config: str, instruction: str, can_skip: bool) -> dict[str, Any]:
    return {
        "description": marker, "label_config": config, "expert_instruction": instruction,
        _SKIP: can_skip, **_SETTINGS,
    }  # fmt: skip


def _project(row: Mapping[str, Any]) -> Project:
    page = json.dumps([row[name] or "" for name in _PAGE_FIELDS])
    return Project(
        number=int(row["id"]),
        made_at=str(row["created_at"]),
        description=row["description"] or "",
        page=blake2b(page.encode(), digest_size=8).hexdigest(),
        as_set=all(row[name] == value for name, value in _SETTINGS.items()),
        can_skip=bool(row[_SKIP]),
        config=str(row["label_config"]),
    )


def _are_projects(reply: Any, fields: Collection[str]) -> bool:
    rows = reply.get("results") if isinstance(reply, dict) else None
    named = isinstance(rows, list) and all(isinstance(row, dict) and {*fields} <= row.keys() for row in rows)
    return named and isinstance(reply.get("count"), int)


def _are_counts(reply: Any) -> bool:
    return _are_projects(reply, _COUNTS)
