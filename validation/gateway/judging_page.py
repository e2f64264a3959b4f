"""The gateway's additions to Label Studio's labelling page: a style and a script."""

from __future__ import annotations

import json
from html import escape

from nextset.validation.gateway.batch_progress import Progress
from nextset.validation.gateway.own_pages import asset_address, with_head, wording_of
from nextset.validation.gateway.participations import Place

__all__ = ["with_script"]


def with_script(page: bytes, place: Place, project: int, progress: Progress | None) -> bytes:
    """Return Label Studio's ``page`` with the style and script; unchanged if it has no head."""
    part = place.participation
    wording = wording_of(part)
    settings = {
        "role": place.role,
        "project": project,
        "next": f"/nextset/session/{part.key}",
        "submit": part.settings.submit if part.settings else "explicit",
        "again": place.role == "gate" and part.participant.own_gate is not None,
        "progress": {"done": progress.done, "of": progress.batch} if progress else None,
        "words": wording.judging.model_dump(),
        "direction": wording.direction,
        "language": wording.language,
    }
    # a text could contain the end tag of a script
    written = json.dumps(settings).replace("<", "\\u003c")
    added = (
        f'<link rel="stylesheet" href="{escape(asset_address("judging.css"))}">'
        f'<script type="application/json" id="nextset-judging">{written}</script>'
        f'<script defer src="{escape(asset_address("judging.js"))}"></script>'
    ).encode()
    return with_head(page, added)
