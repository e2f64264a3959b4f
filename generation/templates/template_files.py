"""Finds and reads the template files of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError, TemplateError
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.published_bbnli import read_published_bbnli
from nextset.generation.templates.template import Template
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.study.study_folder import Study

__all__ = ["Loaded", "load_templates", "read_template", "template_files"]

_READERS = {".yaml": read_yaml_template, ".json": read_published_bbnli}


@dataclass(frozen=True)
class Loaded:
    """The templates of a study, and the bytes of every file that went into them."""

    templates: tuple[Template, ...]
    files: dict[str, bytes]
    """sha256 to content."""


def read_template(path: Path) -> Template:
    """Read a template file of either format; raises TemplateError."""
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise TemplateError("neither .yaml nor .json", file=path, remedy="name a template file")
    return reader(path)


def load_templates(study: Study) -> Loaded:
    """Read all templates and overlays that the study names.

    Raises StudyError when a path leads nowhere, TemplateError when a file is wrong or two files
    define the same stereotype.
    """
    files = [file for entry in study.settings.templates for file in template_files(study, entry)]
    templates = [read_template(file) for file in files]
    _distinct(templates)
    overlays = [file for entry in study.settings.overlays for file in _files(study.path(entry), study, entry)]
    for overlay in overlays:
        templates = apply_overlay(overlay, templates)
    raw = [file.read_bytes() for file in (*files, *overlays)]
    return Loaded(tuple(templates), {hashlib.sha256(r).hexdigest(): r for r in raw})


def template_files(study: Study, entry: str) -> list[Path]:
    """The files that an entry of ``templates`` names, sorted; builtin:bbnli is all that are shipped."""
    if not entry.startswith("builtin:"):
        return _files(study.path(entry), study, entry)
    from nextset.bbnli_templates import FOLDER

    name = entry.removeprefix("builtin:")
    path = FOLDER / ("." if name == "bbnli" else name)
    if not path.exists():
        path = path.with_name(path.name + ".yaml")
    if ".." in Path(name).parts or not path.exists():
        domains = sorted(p.name for p in FOLDER.iterdir() if any(p.glob("*.yaml")))
        raise StudyError(
            f"there are no templates {entry!r}",
            file=study.file,
            remedy=f"use builtin:bbnli (all) or one of {', '.join('builtin:' + d for d in domains)}",
        )
    return _files(path, study, entry)


def _files(path: Path, study: Study, entry: str) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(_below(path))
    if not found:
        raise StudyError(
            f"{entry!r} leads to no template file ({path})",
            file=study.file,
            remedy="name a .yaml or .json file, or a folder that holds some",
        )
    return found


def _below(folder: Path) -> Iterator[Path]:
    for suffix in _READERS:
        yield from (p for p in folder.rglob(f"*{suffix}") if p.name != "study.yaml")


def _distinct(templates: list[Template]) -> None:
    seen: dict[tuple[str, str], Template] = {}
    for template in templates:
        key = (template.language, template.stereotype)
        if key in seen:
            raise TemplateError(
                f"the stereotype {template.stereotype!r} is that of {seen[key].file} too",
                file=template.file,
                remedy="give it a name of its own, or leave one file out",
            )
        seen[key] = template
