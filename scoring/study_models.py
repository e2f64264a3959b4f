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
from nextset.scoring.models.recorded_servers import recorded_server
from nextset.scoring.models.server_address import AddressMissing
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.prompt_wordings import own_prompts, prompts_file, read_prompts
from nextset.scoring.prompts.wording import Prompts
from nextset.study.filter_settings import FILLED_FORMS
from nextset.study.study_folder import Study

__all__ = [
    "candidate_sources",
    "forms_of_audit",
    "located_model",
    "made_rows",
    "made_sources",
    "model_of",
    "prompts_of",
    "rows_to_score",
    "source_of",
]


def source_of(study: Study, name: str) -> ModelSource:
    """Return the model ``name`` of ``study``: its files, its server, or an own scorer.

    Raises ModelError if there is no such model. The file of an own scorer is executed when it is first asked.
    """
    try:
        return own_or_located(name, study.folder, study.path, study.own_code, study.model_settings(name))
    except AddressMissing as e:
        return _recorded(study, name, e)


def located_model(study: Study, name: str) -> ModelSource:
    """Return the model ``name`` of ``study`` in the places where no own scorer can be named.

    Raises ModelError like `nextset.scoring.models.sources.locate`.
    """
    try:
        return locate(name, study.folder, study.model_settings(name))
    except AddressMissing as e:
        return _recorded(study, name, e)


def _recorded(study: Study, name: str, missing: AddressMissing) -> ModelSource:
    """Return the model as ``study`` asked it last; raises ``missing`` if it did not ask it."""
    recorded = recorded_server(study.out, name, study.model_settings(name).server)
    if recorded is None:
        raise missing
    return recorded


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
    if not written:
        return own_prompts()
    return read_prompts(prompts_file(written, study.path, study.file))


def made_sources(study: Study, form: FormName) -> CandidateSources:
    """Return the sources of all rows of ``form`` that a study without a filter makes, filled ones too."""
    plain = FORMS[form].released
    filled = [name for name, filled in FILLED_FORMS.items() if filled.name == form and study.settings.fills]
    return CandidateSources((plain, *filled), form, study.out, study.imported, study.file)


def made_rows(study: Study, form: FormName) -> RowsToScore:
    """Return all rows of ``form`` that a study without a filter makes; raises StudyError without any."""
    return SCORED_FORMS[form].candidates(made_sources(study, form), study.settings.scoring)


def model_of(study: Study, name: str, form: FormName) -> Model:
    """Return the model ``name`` with the settings of ``study`` for ``form``.

    Raises ModelError, and StudyError for an own scorer with an engine other than local.
    """
    asking = Asking(form, study.settings.scoring, study.model_settings(name), prompts_of(study))
    return Model.of(source_of(study, name), asking, study.model_label(name), study.file)
