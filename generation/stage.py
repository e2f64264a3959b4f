"""The stage generate: the study's template files become items."""

from __future__ import annotations

import functools

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Made, Part, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.generation.questions.product_rows import ROWS
from nextset.generation.questions.question_shards import question_parts
from nextset.generation.questions.question_shards import refuse_too_many as refuse_too_many_questions
from nextset.generation.questions.study_packs import LoadedQuestions, load_questions
from nextset.generation.template_expansion import expand, expanded_kinds, refuse_too_many, template_rows
from nextset.generation.templates.template_files import Loaded, load_templates
from nextset.study.study_folder import Study

__all__ = ["generate", "generate_recipe"]


def generate_recipe(study: Study) -> Recipe:
    """What `generate` would make now; raises InputErrors."""
    return _generate_recipe(study, load_templates(study), load_questions(study))


def _generate_recipe(study: Study, loaded: Loaded, asked: LoadedQuestions) -> Recipe:
    settings = {"tests": study.settings.generate.tests, "order": [*loaded.files, *asked.files]}
    questions = study.settings.questions
    if questions is not None:
        settings["questions"] = {**questions.model_dump(mode="json", exclude={"packs"}), "rows": ROWS}
        settings["language"] = study.settings.language
        # in UnQover's layout a class is named by its file
        settings["sets"] = [[s.language, s.name, s.form] for s in asked.sets]
    return Recipe("generate", 1, {sha256: sha256 for sha256 in (*loaded.files, *asked.files)}, settings)


def generate(study: Study, progress: Progress = SILENT) -> Artifact:
    """Expand the study's templates and language packs, in out/generate.

    Tables: items, masked and templates from templates; quads, statements and attributes from packs. Raises
    InputErrors before anything is written, also when there would be more rows than generate.max_rows.
    """
    settings = study.settings.generate
    with study.held("generate"):
        loaded, asked = load_templates(study), load_questions(study)
        refuse_too_many(loaded.templates, expanded_kinds(settings.tests), settings.max_rows)
        expansion = functools.cache(
            lambda: expand(loaded.templates, tests=settings.tests, max_rows=settings.max_rows)
        )
        questions = study.settings.questions
        if questions is not None:
            refuse_too_many_questions(asked.sets, questions, settings.max_rows)
        return build(
            study.out / "generate",
            _generate_recipe(study, loaded, asked),
            lambda: [
                Part("items", lambda: Made(expansion().items, expansion().counts)),
                Part("masked", lambda: Made(expansion().masked)),
                Part("templates", lambda: Made(template_rows(loaded.templates))),
                *(question_parts(asked, questions) if questions is not None else ()),
            ],
            snapshots={**loaded.files, **asked.files},
            progress=progress("generate"),
        )
