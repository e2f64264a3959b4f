"""Projects on the server: each is identified by a marker in its description, and made once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from nextset.errors import DependencyMissing, ServerError
from nextset.validation.label_studio.http_retries import Calls, Unanswered

__all__ = ["Counts", "check_config", "count", "descriptions", "find_project", "make_project"]

_PAGE = 100
_TRIES = 5

_COUNTS = ("id", "task_number", "total_annotations_number", "skipped_annotations_number")

_SETTINGS: dict[str, Any] = {
    "sampling": "Sequential sampling",  # the plan's order
    "show_skip_button": True,
    "skip_queue": "IGNORE_SKIPPED",  # what is skipped does not come back
    "show_instruction": False,  # its button stays; people come from the gate, where they have read it
    "show_collab_predictions": False,
    "evaluate_predictions_automatically": False,
    "reveal_preannotations_interactively": False,
    "show_annotation_history": False,
    "enable_empty_annotation": False,
    "maximum_annotations": 1,
}


@dataclass(frozen=True)
class Counts:
    """What a project has on the server, counted there."""

    tasks: int
    """Tasks."""
    answered: int
    """Annotations that are submitted and not skipped."""
    skipped: int
    """Annotations by the skip button."""


def check_config(calls: Calls, xml: str) -> None:
    """Raise ServerError if Label Studio cannot use the labelling configuration ``xml``; nothing is made.

    It is checked by label-studio-sdk and by the server. Raises DependencyMissing without the former.
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
    except (LabelStudioXMLSyntaxErrorSentryIgnored, LabelStudioValidationErrorSentryIgnored, ValueError) as e:
        raise ServerError(
            f"the labelling configuration is not valid: {' '.join(str(e).split())[:300]}",
            remedy="correct the page's wording in the study",
        ) from None
    calls.ask("/api/projects/validate/", {"label_config": xml})


def find_project(calls: Calls, marker: str) -> int | None:
    """The number of the project with the word ``marker`` in its description; of several, the oldest."""
    found = [number for number, description in descriptions(calls).items() if marker in description.split()]
    return min(found, default=None)


def make_project(calls: Calls, marker: str, title: str, config: str, instruction: str) -> int:
    """Return the number of the project with ``marker``; if there is none, make it.

    ``title`` has 3 to 50 characters, ``instruction`` is HTML. Tasks come in the order in which they were
    pushed; they can be skipped, and are then not asked again; no prediction is shown. Raises ServerError.
    """
    found = find_project(calls, marker)
    if found is not None:
        return found
    wanted = {
        "title": title, "description": marker, "label_config": config, "expert_instruction": instruction,
        **_SETTINGS,
    }  # fmt: skip
    try:
        made = calls.post("/api/projects/", wanted)
    except Unanswered as e:
        lost = e
    else:
        return int(made["id"])
    # It may be made by now, or in a moment.
    calls.patience.sleep(calls.patience.settle)
    found = find_project(calls, marker)
    if found is None:
        raise lost
    return found


def count(calls: Calls, projects: Collection[int]) -> dict[int, Counts]:
    """What is in each of the ``projects``; those that are no longer there are left out."""
    wanted = sorted(projects)
    found: dict[int, Counts] = {}
    for start in range(0, len(wanted), _PAGE):
        ids = wanted[start : start + _PAGE]
        asked: dict[str, str | int] = {
            "ids": ",".join(map(str, ids)),
            "include": ",".join(_COUNTS),
            "page_size": _PAGE,
        }
        page = calls.get("/api/projects/counts/", asked, fits=lambda reply: _are_projects(reply, _COUNTS))
        if len(page["results"]) < len(ids):  # some are gone; or it is another answer
            page = calls.get("/api/projects/counts/", asked, fits=lambda reply: _are_projects(reply, _COUNTS))
        for row in page["results"]:
            number, *counted = (row[name] for name in _COUNTS)
            found[number] = Counts(*counted)
    return {number: found[number] for number in wanted if number in found}


def descriptions(calls: Calls) -> dict[int, str]:
    """The descriptions of all projects, read until there are as many as the server says."""
    for _ in range(_TRIES):
        found: dict[int, str] = {}
        page, pages, total = 0, 1, 0
        while page < pages:
            page += 1
            reply = calls.get(
                "/api/projects/",
                {"include": "id,description", "ordering": "id", "page": page, "page_size": _PAGE},
                fits=lambda reply: _are_projects(reply, ("id", "description")),
            )
            total = int(reply["count"])
            pages = max(1, -(-total // _PAGE))
            found.update((row["id"], row["description"] or "") for row in reply["results"])
        if len(found) == total:
            return found
    raise ServerError(
        f"the list of projects at {calls.url} keeps changing while it is read",
        remedy="wait until no one makes or deletes projects, then run the same command again",
    )


def _are_projects(reply: Any, fields: Collection[str]) -> bool:
    rows = reply.get("results") if isinstance(reply, dict) else None
    named = isinstance(rows, list) and all(isinstance(row, dict) and {*fields} <= row.keys() for row in rows)
    return named and isinstance(reply.get("count"), int)
