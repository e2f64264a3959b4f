"""The published templates that a study names in choices.templates, as sources of choice items."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from nextset.errors import StudyError
from nextset.files.yaml_reader import line_of
from nextset.generation.choices.choice_source import ChoiceSource, SourcePlace
from nextset.generation.choices.published_templates.bbq_vocabulary import folded
from nextset.generation.choices.published_templates.set_expansion import Expansion, template_tables
from nextset.generation.choices.published_templates.template_tables import (
    TemplateFile,
    read_templates,
    template_paths,
)
from nextset.study.choice_settings import ChoiceSettings

__all__ = ["published_templates", "template_files_of"]


def published_templates(settings: ChoiceSettings, place: SourcePlace) -> list[ChoiceSource]:
    """Return a source for each file of templates that ``settings`` name; raises InputErrors."""
    return [_source(read, settings) for read in template_files_of(settings, place)]


def template_files_of(settings: ChoiceSettings, place: SourcePlace) -> list[TemplateFile]:
    """Return the files of templates that ``settings`` name; raises InputErrors."""
    paths: dict[Path, None] = {}
    for entry in settings.templates:
        path = place.resolve(entry)
        if not path.exists():
            raise StudyError(
                f"{entry} does not exist",
                file=place.file,
                line=line_of(place.file, "choices", "templates"),
                remedy="name a file of published templates, or a folder of them",
            )
        paths |= dict.fromkeys(template_paths(path))
    return [read_templates(path, place.language, every=settings.contrasts == "all") for path in paths]


def _source(read: TemplateFile, settings: ChoiceSettings) -> ChoiceSource:
    wanted = {folded(category) for category in settings.categories}
    templates = [t for t in read.templates if not wanted or folded(t.category) in wanted]
    expansion = Expansion(settings.orders, settings.subset, settings.seed)
    return ChoiceSource(
        name=read.file.name,
        rows=sum(map(expansion.rows, templates)),
        pieces=partial(template_tables, templates, expansion),
        categories=lambda: {t.category for t in read.templates},
        files={path: path.read_bytes() for path in (read.file, *read.beside)} if templates else {},
    )
