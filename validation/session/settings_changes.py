"""What has changed in a study since its session was opened, and from when each change applies."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from nextset.counted import counted
from nextset.study.validation_settings import SessionSettings
from nextset.validation.plan.state import Session

__all__ = ["recorded_settings", "settings_changes"]

_TEXTS = {"consent", "support", "warning", "wording", "comprehension"}
"""The settings whose texts the version of the guidelines covers."""
_NEXT_BATCH = ("budget.", "gold", "rest_every", "run", "pause_seat")
_NEXT_PAGE = ("submit",)
_NEXT_ANSWER = ("mistakes",)


def recorded_settings(settings: SessionSettings) -> str:
    """Return the settings as a session records them when it is opened."""
    return json.dumps(settings.model_dump(mode="json", exclude=_TEXTS), sort_keys=True)


def settings_changes(
    session: Session, settings: SessionSettings | None, units: Collection[str]
) -> tuple[str, ...]:
    """Return what has changed in the study since ``session`` was opened, one sentence each.

    ``settings`` are those of now, null if the section validate.session is gone; ``units`` are the ids of the
    units that the filter keeps now.
    """
    opened = session.opened
    if settings is None:
        return ("validate.session is no longer in study.yaml: the session cannot go on without it",)
    lines = []
    if opened.settings:
        names, recorded = SessionSettings.earlier_names, json.loads(opened.settings)
        before = _flat({names.get(name, name): value for name, value in recorded.items()})
        now = _flat(json.loads(recorded_settings(settings)))
        lines = [
            f"validate.session.{name} was {_shown(before.get(name))} when the session was opened and is "
            f"{_shown(now.get(name))} now: {_applies(name)}"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
        ]
    gone = [unit for unit in opened.units if unit not in units]
    if gone:
        which = counted(len(gone), "units of the session are", "unit of the session is")
        lines.append(f"{which} no longer kept by the filter: they are not assigned any more")
    if opened.kind == "main" and (new := len(set(units) - set(opened.units))):
        which = counted(new, "units are kept that are", "unit is kept that is")
        lines.append(f"{which} not in the session: this needs a new session")
    return tuple(lines)


def _applies(name: str) -> str:
    """Return from when a changed setting applies."""
    if name == "premise":
        return "pages keep the old form: undo this, or close the session and open a new one"
    for names, when in (
        (_NEXT_BATCH, "this applies from the next batch on"),
        (_NEXT_PAGE, "this applies when an annotator's page is next loaded"),
        (_NEXT_ANSWER, "this applies to answers at the gate that are not pulled yet"),
    ):
        if name.startswith(names):
            return when
    return "this needs a new session (close this one first); until then the old value holds"


def _flat(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}.")
        else:
            flat[f"{above}{name}"] = value
    return flat


def _shown(value: object) -> str:
    return "not set" if value is None or value == "" else json.dumps(value, ensure_ascii=False)
