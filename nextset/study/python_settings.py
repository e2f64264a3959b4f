"""Settings of a study that are written in Python: checked like study.yaml, and changed section by section."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from nextset.errors import StudyError
from nextset.files.yaml_key_errors import first_error
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.forms import NLI
from nextset.study.filter_settings import CANDIDATE_FORMS, FILLED_FORMS

__all__ = ["MADE_IN_PYTHON", "changed_settings", "checked_settings", "settings_text"]

MADE_IN_PYTHON = "# The settings of a study that was made in Python, by nextset.Study.from_settings.\n"
"""The first line of a study.yaml that a later study made in Python may replace."""

Model = TypeVar("Model", bound=BaseModel)


def changed_settings(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``settings`` with ``changes``.

    A section keeps the keys that its change does not name. None removes a key or a section. A study that
    filters NLI items also releases them: without a section release it gets one, with the version 0.1.0.
    """
    changed = dict(settings)
    for name, value in _plain_settings(changes).items():
        before = changed.get(name)
        if isinstance(value, dict) and isinstance(before, dict):
            value = {key: inner for key, inner in {**before, **value}.items() if inner is not None}
        changed[name] = value
    changed = {name: value for name, value in changed.items() if value is not None}
    section = changed.get("filter")
    candidates = section.get("candidates") if isinstance(section, dict) else None
    first = candidates[0] if isinstance(candidates, list) and candidates else ""
    form = {**CANDIDATE_FORMS, **FILLED_FORMS}.get(first, NLI) if isinstance(first, str) else NLI
    if section is not None and "release" not in changed and form.counterparts:
        changed["release"] = {"name": changed.get("name", "dataset"), "version": "0.1.0"}
    return changed


def checked_settings(settings: dict[str, Any], model: type[Model]) -> Model:
    """Return ``settings`` as ``model``; raises StudyError with the messages of study.yaml."""
    try:
        return model.model_validate(settings)
    except ValidationError as e:
        located = LocatedYaml(settings, {}, _texts(settings))
        error = first_error(e, Path("study.yaml"), located, model, StudyError)
        raise StudyError(error.message, remedy=error.remedy) from None


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return the text of the study.yaml with ``settings``."""
    return MADE_IN_PYTHON + yaml.safe_dump(
        dict(settings), sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )


def _plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``settings`` as YAML has them: lists for tuples, and texts for paths."""
    return {str(name): _plain(value) for name, value in settings.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plain_settings(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value


def _texts(value: Any, at: Location = ()) -> dict[Location, str]:
    """Return the text of each value in ``value`` that is neither a list nor has keys."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    else:
        return {at: str(value)}
    return {place: text for step, part in parts for place, text in _texts(part, (*at, step)).items()}
