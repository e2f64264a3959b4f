"""The tables that the section interventions adds to out/generate: its sentences, and specified twins."""

from __future__ import annotations

from nextset.artifacts.build import Part, PartResult
from nextset.extensions.interventions.intervention import Intervention
from nextset.extensions.interventions.sentences.specified_twins import twin_parts
from nextset.extensions.interventions.sentences.study_sentences import LoadedInterventions, load_interventions
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.section_tables import SectionTables
from nextset.generation.templates.template_files import LoadedTemplates
from nextset.records.arrow_schema import table_of
from nextset.study.study_folder import Study

__all__ = ["generated_tables", "study_interventions"]

_SENTENCES = {"kinds", "places", "lead", "most", "twins", "seed"}
"""The settings that decide the tables."""


def generated_tables(study: Study, templates: LoadedTemplates, packs: LoadedQuestions) -> SectionTables:
    """Return the tables interventions, specified_questions and specified_statements; raises InputErrors."""
    settings, loaded = intervention_settings_of(study), study_interventions(study, templates, packs)

    def parts() -> list[Part]:
        twins = (
            twin_parts(packs.sets, packs.statements, settings.twins, settings.seed) if settings.twins else []
        )
        return [Part("interventions", lambda: PartResult(table_of(loaded.rows, Intervention))), *twins]

    return SectionTables(settings.model_dump(mode="json", include=_SENTENCES), loaded.files, parts)


def study_interventions(
    study: Study, templates: LoadedTemplates, packs: LoadedQuestions
) -> LoadedInterventions:
    """Read the sentences of the section interventions; raises InputErrors."""
    return load_interventions(
        intervention_settings_of(study),
        study.path,
        study.file,
        _clusters(packs),
        {(t.language, t.domain) for t in templates.templates},
    )


def _clusters(packs: LoadedQuestions) -> dict[tuple[str, str], set[str]]:
    """Return the clusters of each class's attributes, by language and class."""
    clusters: dict[tuple[str, str], set[str]] = {}
    for s in packs.sets:
        named = {a.attribute.cluster for t in s.templates for a in t.by_attribute}
        clusters.setdefault((s.language, s.name), set()).update(named)
    return clusters
