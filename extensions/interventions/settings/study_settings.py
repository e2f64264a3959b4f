"""The settings of a study's section interventions, and the tuned copies of its models."""

from __future__ import annotations

from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.settings.tuning_settings import TuningSettings
from nextset.study.study_folder import Study

__all__ = ["intervention_settings_of", "triggers_of", "tuned_models", "tuning_of"]


def intervention_settings_of(study: Study) -> InterventionSettings:
    """Return the section interventions of ``study``; raises StudyError if it has none."""
    return study.section("interventions", InterventionSettings)


def triggers_of(study: Study) -> TriggerSettings:
    """Return the section interventions.triggers of ``study``; raises StudyError if it has none."""
    intervention_settings_of(study)
    return study.section("interventions.triggers", TriggerSettings)


def tuning_of(study: Study) -> TuningSettings:
    """Return the section interventions.tuning of ``study``; raises StudyError if it has none."""
    intervention_settings_of(study)
    return study.section("interventions.tuning", TuningSettings)


def tuned_models(study: Study) -> dict[str, str]:
    """Return the names of the tuned copies of models, each with its original model."""
    return study.model_copies("interventions")
