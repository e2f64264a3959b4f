"""The preview of the section interventions: the inputs of models with and without added sentences."""

from __future__ import annotations

from functools import partial

from nextset.extensions.interventions.generated_tables import study_interventions
from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of
from nextset.forms import FormName
from nextset.generation.questions.question_shards import rows_to_expand
from nextset.generation.section_preview import PreviewSources, SectionPreview, TimedModel
from nextset.study.study_folder import Study

__all__ = ["PREVIEW"]

_ROLE = "interventions, at most"


class _Preview:
    """The preview of the section interventions."""

    example_kinds: tuple[str, ...] = ()

    def preview(self, study: Study, sources: PreviewSources) -> SectionPreview:
        """Return the number of inputs if all models are asked in all forms; raises InputErrors."""
        settings = intervention_settings_of(study)
        inputs = _inputs(study, settings, sources)
        models = [TimedModel(n, _ROLE, inputs, partial(_form, study, n)) for n in settings.models]
        return SectionPreview(scorings={_ROLE: inputs * len(settings.models)}, models=models)


PREVIEW = _Preview()
"""The preview of the section interventions."""


def _inputs(study: Study, settings: InterventionSettings, sources: PreviewSources) -> int:
    """Return the number of inputs of one model, with and without interventions."""
    interventions = study_interventions(study, sources.templates, sources.packs).rows
    plain = sum(n for kind, n in sources.items.items() if kind != "masked")
    inputs = plain * (1 + sum(not i.attribute_clusters for i in interventions if i.domains)) if plain else 0
    for s in sources.packs.sets:
        own = sum(s.name in i.classes and s.language == i.language for i in interventions)
        rows = rows_to_expand(s, study.settings.questions) if study.settings.questions is not None else 0
        inputs += 4 * (rows + settings.twins) * (1 + own)
    return inputs


def _form(study: Study, model: str) -> FormName:
    """Return the form that ``model`` is timed in: that of the filter if it filters, else its first one."""
    from nextset.extensions.interventions.audit.stage import told_forms

    chosen = study.settings.filter
    if chosen is not None and model in (*chosen.models, *chosen.held_out):
        return chosen.form
    return told_forms(study, model)[0]
