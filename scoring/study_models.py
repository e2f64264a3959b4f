"""The models of a study and the rows that its filter asks about, with the settings of study.yaml."""

from __future__ import annotations

from nextset.forms import FORMS, FormName
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.candidate_rows import RowsToScore
from nextset.scoring.candidate_sources import CandidateSources
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.model_kinds import asked_forms
from nextset.scoring.models.own_models import own_or_located
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.prompt_wordings import own_prompts, read_prompts
from nextset.scoring.prompts.wording import Prompts
from nextset.study.study_folder import Study

__all__ = [
    "candidate_sources",
    "forms_of_audit",
    "generated_quads",
    "located",
    "model_of",
    "prompts_of",
    "rows_to_score",
    "source_of",
]


def source_of(study: Study, name: str) -> ModelSource:
    """Return the model ``name`` of ``study``: its files, its server, or an own scorer.

    Raises ModelError if there is no such model. The file of an own scorer is executed when it is first asked.
    """
    server = study.model_settings(name).server
    return own_or_located(name, study.folder, study.path, study.own_code, server)


def located(study: Study, name: str) -> ModelSource:
    """Return the model ``name`` of ``study``: its files or its server.

    Raises ModelError if there is no such model, and for an own scorer.
    """
    return locate(name, study.folder, study.model_settings(name).server)


def forms_of_audit(study: Study, name: str) -> tuple[FormName, ...]:
    """Return the forms that the audit uses to ask the model ``name`` about the items: nli, qa or both.

    In a study of questions or statements, it is their form, or both forms without a filter. Raises ModelError
    for a model that cannot be asked.
    """
    settings = study.settings
    return asked_forms(source_of(study, name), settings.audited_forms, settings.audit.forms)


def candidate_sources(study: Study) -> CandidateSources:
    """Return the sources of the candidates of ``study``."""
    settings = study.filter
    return CandidateSources(settings.candidates, settings.form, study.out, study.imported, study.file)


def rows_to_score(study: Study) -> RowsToScore:
    """Return the rows that filter models and held-out models score; raises StudyError if there are none."""
    sources = candidate_sources(study)
    return SCORED_FORMS[sources.form].candidates(sources, study.settings.scoring)


def prompts_of(study: Study) -> Prompts:
    """Return the wordings that ``study`` names, or nextset's own; raises StudyError."""
    written = study.settings.scoring.prompts
    return read_prompts(study.path(written)) if written else own_prompts()


def generated_quads(study: Study, form: FormName) -> RowsToScore:
    """Return all rows of ``form`` that the language packs make; raises StudyError if there are none."""
    sources = CandidateSources((FORMS[form].released,), form, study.out, study.imported, study.file)
    return SCORED_FORMS[form].candidates(sources, study.settings.scoring)


def model_of(study: Study, name: str, form: FormName) -> Model:
    """Return the model ``name`` with the settings of ``study`` for ``form``.

    Raises ModelError, and StudyError for an own scorer with an engine other than local.
    """
    asking = Asking(form, study.settings.scoring, study.model_settings(name), prompts_of(study))
    return Model.of(source_of(study, name), asking, study.model_label(name), study.file)
