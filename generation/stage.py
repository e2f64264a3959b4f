"""The stage generate: the study's template files become items."""

from __future__ import annotations

import functools

from generation.expand import expand, template_rows
from generation.load import Loaded, load_templates
from nextset.artifact import Artifact, Recipe
from nextset.build import Made, Part, build
from nextset.progress import SILENT, Progress
from nextset.study import Study

__all__ = ["generate", "generate_recipe"]


def generate_recipe(study: Study) -> Recipe:
    """What `generate` would make now; raises StudyError and TemplateError."""
    return _generate_recipe(study, load_templates(study))


def _generate_recipe(study: Study, loaded: Loaded) -> Recipe:
    settings = {"tests": study.settings.generate.tests, "order": list(loaded.files)}
    return Recipe("generate", 1, {sha256: sha256 for sha256 in loaded.files}, settings)


def generate(study: Study, progress: Progress = SILENT) -> Artifact:
    """Expand the study's templates: tables items, masked and templates in out/generate.

    Raises StudyError and TemplateError before anything is written.
    """
    settings = study.settings.generate
    with study.held("generate"):
        loaded = load_templates(study)
        expansion = functools.cache(
            lambda: expand(loaded.templates, tests=settings.tests, max_rows=settings.max_rows)
        )
        return build(
            study.out / "generate",
            _generate_recipe(study, loaded),
            lambda: [
                Part("items", lambda: Made(expansion().items, expansion().counts)),
                Part("masked", lambda: Made(expansion().masked)),
                Part("templates", lambda: Made(template_rows(loaded.templates))),
            ],
            snapshots=loaded.files,
            progress=progress("generate"),
        )
