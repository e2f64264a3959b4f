"""The published names of a study's models: never a path, which could contain a user's name."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError
from nextset.own_code import is_own_code
from nextset.study.study_sections import StudyFile

__all__ = [
    "GGUF", "ModelCopy", "copied_models", "hub_repository", "is_gguf_file", "is_local_model",
    "model_folder", "model_label", "model_labels",
]  # fmt: skip


@dataclass(frozen=True)
class ModelCopy:
    """A changed copy of a model, such as a tuned one, which a section of an extension makes."""

    original: str
    """The original model, as the study names it."""
    section: str
    """The section's key in study.yaml."""
    canaries_waived: str
    """The reason why the copy has no canaries."""


GGUF = ".gguf"
"""The ending of files that have a whole model: weights, configuration and tokenizer."""
_SERVER = "openai:"
_PACKAGED = "scorer:"
_PATH = re.compile(r"[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]")
_PRINTABLE = re.compile(r"[^\W_][\w .+()-]{0,95}")


def model_folder(name: str, base: Path) -> Path:
    """Return ``name`` as the path of a folder: relative to ``base``, absolute, or below ~."""
    return base / os.path.expanduser(name)  # noqa: PTH111 – Path.expanduser raises for an unknown user


def is_gguf_file(name: str, base: Path) -> bool:
    """Return True if ``name`` is a GGUF file; ``base`` is as in `model_folder`."""
    path = model_folder(name, base)
    return path.suffix == GGUF and path.exists() and not path.is_dir()


def is_local_model(name: str, base: Path) -> bool:
    """Return whether ``name``, from the study.yaml in the folder ``base``, is a folder or file with a
    model."""
    if name.startswith(("builtin:", _SERVER, _PACKAGED)) or is_own_code(name):
        return False
    if model_folder(name, base).is_dir() or is_gguf_file(name, base):
        return True
    return Path(name).is_absolute() or name[0] in ".~"


def hub_repository(name: str, base: Path) -> str | None:
    """Return the Hub repository of ``name``, without its revision; None if ``name`` is not on the Hub.

    ``base`` is as in `is_local_model`. A card can name the repository as its ``base_model``.
    """
    if name.startswith(("builtin:", _SERVER, _PACKAGED)) or is_own_code(name) or is_local_model(name, base):
        return None
    return name.partition("@")[0]


def model_label(name: str, settings: StudyFile, file: Path) -> str:
    """Return the published name of the model ``name``; ``file`` is the study.yaml.

    That is models.NAME.label; else the name of the model's folder, or the last part of a server's model name
    that is a path; else ``name``. Raises StudyError for a label of a model that has a public name, and for a
    folder whose name cannot be published.
    """
    base = file.parent.resolve()
    own = settings.models.get(name)
    local = is_local_model(name, base)
    if own is not None and own.label:
        if not local and not name.startswith(_SERVER) and not is_own_code(name):
            raise StudyError(
                f"models.{name}.label: {own.label}: {name} is published under its own name",
                file=file,
                remedy="remove the label: labels are for models in folders and on servers",
            )
        return own.label
    if name.startswith(_SERVER) and _PATH.match(name.removeprefix(_SERVER)):
        return _publishable(re.split(r"[/\\]", name.rstrip("/\\"))[-1], name, file, _SERVER)
    if is_own_code(name):
        return re.split(r"[/\\]", name)[-1]
    if not local:
        return name
    return _publishable(Path(os.path.normpath(model_folder(name, base))).name, name, file)


def _publishable(last: str, name: str, file: Path, prefix: str = "") -> str:
    if _PRINTABLE.fullmatch(last):
        return prefix + last
    raise StudyError(
        f"the model {name} would be published as {last!a}, which is not a valid name",
        file=file,
        remedy=f"name it in study.yaml: models: {{{name}: {{label: my-model}}}}",
    )


def model_labels(settings: StudyFile, file: Path) -> dict[str, str]:
    """Return the published names of the models that fill, filter, are held out or audited, of those that
    sections of extensions ask, and of their copies.

    Raises StudyError if two different models would have the same name, and as `model_label`.
    """
    labels: dict[str, str] = {}
    first: dict[str, str] = {}
    for name in (*_named(settings), *copied_models(settings, file)):
        label = labels[name] = model_label(name, settings, file)
        other = first.setdefault(label, name)
        if other != name:
            raise StudyError(
                f"{other} and {name} would both be published as {label}",
                file=file,
                remedy=f"give one of them a different name in study.yaml: models: {{{name}: "
                f"{{label: {label}-2}}}}; if both are the same model, write its name in the same way",
            )
    return labels


def _named(settings: StudyFile) -> Iterable[str]:
    chosen = settings.filter
    filters = (*chosen.models, *chosen.held_out) if chosen is not None else ()
    asked = (model for section in settings.sections.values() for model in section.asked_models())
    return dict.fromkeys((*settings.fill.models, *filters, *settings.audit.models, *asked))


def copied_models(settings: StudyFile, file: Path) -> dict[str, ModelCopy]:
    """Return the copies of models that sections of extensions make, by their names.

    Raises StudyError if two copies would have the same folder, even on systems that ignore case.
    """
    copies: dict[str, ModelCopy] = {}
    first: dict[str, str] = {}
    for key, section in settings.sections.items():
        made = section.model_copies()
        for model in made.models if made is not None else ():
            assert made is not None
            folder = made.copy_name(model_label(model, settings, file))
            other = first.setdefault(folder.casefold(), model)
            if other != model:
                raise StudyError(
                    f"the {made.kind} copies of {other} and {model} would both be in {folder}",
                    file=file,
                    remedy=f"give one of them a different name in study.yaml: models: {{{model}: "
                    "{label: my-reader}}",
                )
            copies[folder] = ModelCopy(model, key, made.canaries_waived)
    return copies
