"""The settings of a study's section ambiguity."""

from __future__ import annotations

from nextset.extensions.ambiguity.settings.retrieval_settings import RetrievalSettings
from nextset.extensions.ambiguity.settings.selectional_settings import SelectionalSettings
from nextset.study.study_folder import Study

__all__ = ["retrieval_of", "selectional_of"]


def selectional_of(study: Study) -> SelectionalSettings:
    """Return the section ambiguity.selectional of ``study``; raises StudyError if it has none."""
    return study.section("ambiguity.selectional", SelectionalSettings)


def retrieval_of(study: Study) -> RetrievalSettings:
    """Return the section ambiguity.retrieval of ``study``; raises StudyError if it has none."""
    return study.section("ambiguity.retrieval", RetrievalSettings)
