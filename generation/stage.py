"""The stage generate: the study's template files and language packs become items and questions."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.generation.mask_check import check_masks
from nextset.generation.questions.product_rows import ROWS
from nextset.generation.questions.question_shards import question_parts
from nextset.generation.questions.question_shards import refuse_too_many as refuse_too_many_questions
from nextset.generation.questions.snapshot_packs import pack_layout
from nextset.generation.questions.study_packs import LoadedQuestions, load_questions
from nextset.generation.section_tables import SectionTables, section_tables
from nextset.generation.snapshot_names import named_snapshots
from nextset.generation.sound_rules.rule_names import packages_of_rules
from nextset.generation.template_expansion import (
    expand,
    expanded_kinds,
    mask_lists,
    refuse_too_many,
    stereotype_rows,
    template_rows,
)
from nextset.generation.templates.template_files import LoadedTemplates, load_templates
from nextset.records.content_ids import content_id
from nextset.study.study_folder import Study, of_study

__all__ = ["generate", "generate_recipe", "load_sources"]


def load_sources(study: Study) -> tuple[LoadedTemplates, LoadedQuestions]:
    """Read the template files and language packs that ``study`` names; raises InputErrors."""
    settings = study.settings
    templates = load_templates(settings.templates, settings.overlays, study.path, study.file)
    check_masks(templates.templates, settings.fill, study.file)
    return (
        templates,
        load_questions(settings.questions, settings.language, study.path, study.file),
    )


def generate_recipe(study: Study) -> Recipe:
    """Return the recipe that `generate` would use now; raises InputErrors."""
    templates, packs = load_sources(study)
    return _recipe(study, templates, packs, section_tables(study, templates, packs))


def _recipe(
    study: Study, templates: LoadedTemplates, packs: LoadedQuestions, sections: Mapping[str, SectionTables]
) -> Recipe:
    files = _files(templates, packs, sections)
    snapshots = named_snapshots(files)
    settings = {"tests": study.settings.generate.tests, "order": list(snapshots)}
    questions = study.settings.questions
    if questions is not None:
        settings["questions"] = {**questions.model_dump(mode="json", exclude={"packs"}), "rows": ROWS}
        settings["language"] = study.settings.language
        settings["packs"] = pack_layout(packs.folders, dict(zip(files, snapshots, strict=True)))
        # in UnQover's layout a class is named by its file
        settings["sets"] = [[s.language, s.name, s.form] for s in packs.sets]
    settings |= {key: section.settings for key, section in sections.items()}
    rules = {name for template in templates.templates for name in template.rules}
    rules |= {name for one_set in packs.sets for name in one_set.rule_names}
    if packages := packages_of_rules(rules):
        settings["sound_rules"] = packages
    inputs = {name: hashlib.sha256(raw).hexdigest() for name, raw in snapshots.items()}
    for row in mask_lists(templates.templates).to_pylist():
        inputs[f"list {row['name']} of {row['stereotype']}, {row['language']}"] = content_id(*row["words"])
    return Recipe("generate", 7, inputs, settings)


@of_study
def generate(study: Study, progress: Progress = SILENT) -> Artifact:
    """Expand the study's templates and language packs into out/generate.

    Raises InputErrors before it writes anything, also for more rows than generate.max_rows.
    """
    settings = study.settings.generate
    with study.held("generate"):
        loaded, packs = load_sources(study)
        refuse_too_many(loaded.templates, expanded_kinds(settings.tests), settings.max_rows)
        expansion = functools.cache(
            lambda: expand(loaded.templates, tests=settings.tests, max_rows=settings.max_rows)
        )
        questions, sections = study.settings.questions, section_tables(study, loaded, packs)
        if questions is not None:
            refuse_too_many_questions(packs.sets, questions, settings.max_rows)
        return build(
            study.out / "generate",
            _recipe(study, loaded, packs, sections),
            lambda: [
                Part("items", lambda: PartResult(expansion().items, expansion().counts)),
                Part("masked", lambda: PartResult(expansion().masked)),
                Part("templates", lambda: PartResult(template_rows(loaded.templates))),
                Part("mask_lists", lambda: PartResult(mask_lists(loaded.templates))),
                *(
                    [Part("stereotypes", lambda: PartResult(stereotype_rows(loaded.templates)))]
                    if any(t.sentences for t in loaded.templates)
                    else ()
                ),
                *(question_parts(packs, questions) if questions is not None else ()),
                *(part for section in sections.values() for part in section.parts()),
            ],
            snapshots=named_snapshots(_files(loaded, packs, sections)),
            progress=progress("generate"),
        )


def _files(
    templates: LoadedTemplates, packs: LoadedQuestions, sections: Mapping[str, SectionTables]
) -> dict[Path, bytes]:
    files = {**templates.files, **packs.files}
    for section in sections.values():
        files |= section.files
    return files
