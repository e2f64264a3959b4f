"""The contents of an annotator's two projects: pages, tasks, titles and instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from nextset.errors import JudgmentError
from nextset.validation.annotator_pages.gate_page import gate_config, gate_task
from nextset.validation.annotator_pages.guidelines_html import instruction
from nextset.validation.annotator_pages.labelling_config import labelling_config
from nextset.validation.annotator_pages.tasks import tasks
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.plan.events import AssignedItem, Role
from nextset.validation.plan.state import Participant, Session
from nextset.validation.session.materials import SessionMaterials

__all__ = [
    "batch_tasks",
    "check_contents",
    "marker",
    "project_config",
    "project_gate_task",
    "project_instruction",
    "project_title",
    "skip_button",
    "text_hash",
]


def marker(mark: str, person: str, role: Role) -> str:
    """Return ``nextset:`` and 24 hex digits for the project of ``person`` in the session with ``mark``.

    The marker is part of the project's description; a session that was stopped finds its projects by it. It
    reveals nothing: ``mark`` is random and stored only in the study.
    """
    hashed = blake2b("\n".join((mark, person, role)).encode(), digest_size=12)
    return f"nextset:{hashed.hexdigest()}"


def batch_tasks(
    materials: SessionMaterials, items: Sequence[AssignedItem], votes: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return the tasks of a batch, with ``votes`` by unit_id if the page shows them.

    Raises JudgmentError if an item is no longer in the study.
    """
    rows = [_row(materials, item) for item in items]
    return tasks(
        materials.briefing.form,
        rows,
        premise=materials.settings.premise,
        votes=votes,
        opposite=materials.opposite_if_unstated,
    )


def _row(materials: SessionMaterials, item: AssignedItem) -> Mapping[str, Any]:
    row = materials.rest[item.rest] if item.rest is not None else materials.rows.get(item.unit_id)
    if row is None:
        raise JudgmentError(
            f"unit {item.unit_id} was assigned to an annotator, but it is no longer in out/filter",
            remedy="run the study with its earlier settings, or close the session",
        )
    return {**row, "unit_id": item.unit_id}


def project_config(materials: SessionMaterials, role: Role, *, votes: bool = False) -> str:
    """Return the labelling configuration of a project."""
    if role != "work":
        return gate_config(materials.briefing, materials.domains, role)
    return labelling_config(
        materials.briefing,
        premise=materials.settings.premise,
        votes=votes,
        sentences=materials.opposite_if_unstated is not None,
    )


def project_gate_task(
    materials: SessionMaterials, role: Role = "gate", participant: Participant | None = None
) -> dict[str, Any]:
    """Return the only task of the gate, or of the second try of ``participant``."""
    if role == "gate":
        return {"data": gate_task(materials.briefing)}
    tried = participant.tries.get("gate") if participant else None
    return {"data": gate_task(materials.briefing, tried.wrong if tried else ())}


def project_title(materials: SessionMaterials, session: Session, role: Role) -> str:
    """Return a project's title; it names no one, since the other annotators see it."""
    titles = materials.briefing.wording.titles
    adjudication = session.opened.kind == "adjudication"
    work = titles.adjudication if adjudication else titles.work
    title = {"gate": titles.gate, "retry": titles.retry, "work": work}[role]
    return f"{title} ({session.opened.session})"[:50]


def project_instruction(materials: SessionMaterials, role: Role) -> str:
    """Return the HTML that the page's instructions button shows; empty for the gate, whose pages show it."""
    return "" if role != "work" else instruction(materials.briefing.guidelines)


def skip_button(role: Role) -> bool:
    """Return whether a page has the button that skips an item: nothing at the gate may be skipped."""
    return role == "work"


def text_hash(data: Mapping[str, Any]) -> str:
    """Return the hash of a task's data, 16 hex digits; the plan stores it to recognise what was sent."""
    return blake2b(json.dumps(data, sort_keys=True).encode(), digest_size=8).hexdigest()


def check_contents(materials: SessionMaterials, units: Sequence[str], studio: LabelStudio) -> None:
    """Check all texts and pages before any project is made.

    Raises JudgmentError at the first text that cannot be shown, ServerError if the server rejects a page.
    """
    gold = (materials.rows[g] for g in materials.gold)
    shown = [*(materials.rows[u] for u in units), *gold, *materials.rest]
    tasks(
        materials.briefing.form,
        shown,
        premise=materials.settings.premise,
        opposite=materials.opposite_if_unstated,
    )
    project_gate_task(materials)
    project_gate_task(materials, "retry")
    pages = [
        project_config(materials, "gate"),
        project_config(materials, "retry"),
        project_config(materials, "work"),
        project_config(materials, "work", votes=True),
    ]
    for xml in pages:
        studio.check_config(xml)
