"""The models of a study that can show their thinking before an answer."""

from __future__ import annotations

from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_sections import StudyFile

__all__ = ["thinking_models"]

_SERVER = "openai:"


def thinking_models(settings: StudyFile) -> tuple[str, ...]:
    """Return the names of the models whose thinking is stored, if they show any.

    These are models behind a server, unless the study tells them not to think, and models on this machine
    that the study tells to think. Empty if the study stores no thinking, or no answers.
    """
    if not (settings.scoring.traces and settings.scoring.cache):
        return ()
    filtered = (*settings.filter.models, *settings.filter.held_out) if settings.filter is not None else ()
    return tuple(
        name
        for name in dict.fromkeys((*filtered, *settings.audit.models))
        if _may_think(name, settings.models.get(name, ModelSettings()))
    )


def _may_think(name: str, model: ModelSettings) -> bool:
    return model.thinking if model.thinking is not None else name.startswith(_SERVER)
