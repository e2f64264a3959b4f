"""The places that name a model or have its settings: study.yaml, or what a caller without a study gives."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from nextset.errors import InputError, ModelError, StudyError
from nextset.files.yaml_reader import read_yaml
from nextset.files.yaml_values import problem_of_value, remedy_of_value
from nextset.printable_text import printable_line
from nextset.study.scoring_settings import ModelSettings

__all__ = [
    "ModelNames",
    "ServerSettingError",
    "model_key",
    "model_setting",
    "models_alone",
    "setting_place",
    "settings_by_model",
]

ModelNames = str | Sequence[str] | Mapping[str, ModelSettings | Mapping[str, Any]]
"""Names of models, or a mapping from names to settings, as in the section models of study.yaml."""
_ALONE: ContextVar[Mapping[str, str]] = ContextVar("models_alone")


class ServerSettingError(ModelError):
    """A value under models.NAME.server is wrong; ``key`` is its place, from the section models on."""

    def __init__(self, message: str, *, remedy: str, name: str, key: str) -> None:
        super().__init__(message, remedy=remedy)
        self.key = ("models", name, "server", key)


@contextmanager
def model_key(file: Path, *key: str | int) -> Iterator[None]:
    """Put the ``file``, the line and the ``key`` that name the model before the message of a ModelError.

    The line of a ServerSettingError is that of its setting, which the message names.
    """
    try:
        yield
    except ModelError as e:
        located = read_yaml(file, StudyError)
        own = (e.key, ("scoring", *e.key[2:])) if isinstance(e, ServerSettingError) else ()
        at = next((place for place in own if place in located.lines), key)
        line = located.line(at)
        where = f"{printable_line(str(file))}{f':{line}' if line else ''}"
        name = "" if at in own else f"{'.'.join(step for step in key if isinstance(step, str))}: "
        raise ModelError(f"{where}: {name}{e.message}", remedy=e.remedy) from None


def settings_by_model(models: ModelNames) -> dict[str, ModelSettings]:
    """Return the settings of each model; raises InputError for wrong names and wrong settings."""
    names = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    for name in names:
        if not isinstance(name, str):
            remedy = "give its name as a text, such as builtin:nli-electra"
            raise InputError(f"models: {name!r:.80} is not the name of a model", remedy=remedy)
    if not isinstance(models, Mapping):
        return dict.fromkeys(names, ModelSettings())
    try:
        return {name: ModelSettings.model_validate(given) for name, given in models.items()}
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or "settings"
        problem = f"models: {key}: {problem_of_value(first)}"
        raise InputError(problem, remedy=remedy_of_value(first, key)) from None


@contextmanager
def models_alone(parameter: str = "", **options: str) -> Iterator[None]:
    """Let errors name the ``options`` of a command, or the ``parameter`` of a function, not study.yaml.

    ``options`` are keys of the section models.NAME, each with its option. The outermost call counts.
    """
    token = _ALONE.set(_ALONE.get({}) or {"": parameter, **options})
    try:
        yield
    finally:
        _ALONE.reset(token)


def setting_place(name: str, key: str) -> str:
    """Return where the model ``name`` has the setting ``key``, as text: where `model_setting` writes it."""
    alone = _ALONE.get({})
    return alone.get(key) or f"{key} of {name} in {alone.get('') or 'the section models'}"


def model_setting(name: str, setting: str) -> str:
    """Return where to write ``setting``, such as ``too_long: truncate``, for the model ``name``, as text.

    It is study.yaml, or within `models_alone` an option or a parameter.
    """
    alone = _ALONE.get({})
    ((key, value),) = yaml.safe_load(setting).items()
    if key in alone:
        return f"with {alone[key]} {shlex.quote(value if isinstance(value, str) else ','.join(value))}"
    if alone.get(""):
        return f"with {alone['']}={ {name: {key: value}} }"
    place = "in a study's study.yaml" if alone else "in study.yaml"
    return f"{place}: models: {{{json.dumps(name, ensure_ascii=False)}: {{{setting}}}}}"
