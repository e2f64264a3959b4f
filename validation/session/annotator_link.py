"""An annotator's link: one for the whole session if a gateway runs, else one to a project."""

from __future__ import annotations

from hashlib import blake2b

from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.gateway_record import read_gateway
from nextset.validation.plan.events import SessionOpened

__all__ = ["annotator_link", "session_key"]


def session_key(mark: str) -> str:
    """Return the key in the link of the session with ``mark``: 12 hex digits that reveal nothing."""
    return blake2b(f"link\n{mark}".encode(), digest_size=6).hexdigest()


def annotator_link(studio: LabelStudio, opened: SessionOpened, project: str | None) -> str:
    """Return the link for an annotator of the session to begin and continue.

    A gateway leads to the next step by itself. Without a gateway, the link is to ``project``, and empty if
    there is no project.
    """
    gateway = read_gateway(studio.folder) if studio.folder else None
    if gateway is not None:
        return f"{gateway.url}/nextset/session/{session_key(opened.mark)}"
    return studio.link(int(project)) if project else ""
