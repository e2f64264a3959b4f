"""The models of a probe: which of them can be asked, and their scores, computed as in a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.errors import InputError, ModelError
from nextset.study.model_key import ModelNames, models_alone, settings_by_model

if TYPE_CHECKING:
    from nextset.forms import FormName
    from nextset.scoring.asking import Asking
    from nextset.scoring.models.sources import ModelSource
    from nextset.study.scoring_settings import ModelSettings

__all__ = ["FittingModels", "ProbedModel", "fitting_forms", "located_models", "models_for", "scores_alone"]


@dataclass(frozen=True, slots=True)
class ProbedModel:
    """A model that is probed; no canaries are asked, since a person sees each answer."""

    source: ModelSource
    """Its files or its server."""
    settings: ModelSettings
    """Its settings, as in the section models.NAME of study.yaml."""

    def asking(self, form: FormName) -> Asking:
        """Return the request for ``form``, which does not use the score cache."""
        from nextset.scoring.asking import Asking
        from nextset.study.scoring_settings import ScoringSettings

        return Asking(form, ScoringSettings(cache=False), self.settings)


def located_models(models: ModelNames) -> list[ProbedModel]:
    """Return ``models``, each once; raises ModelError for a model that cannot be found, InputError if none is
    named or if settings are wrong."""
    from nextset.scoring.models.sources import locate

    named = settings_by_model(models)
    if not named:
        raise InputError("no model is named", remedy="name one or more, such as builtin:nli-electra")
    return [ProbedModel(locate(name, server=settings.server), settings) for name, settings in named.items()]


def scores_alone(model: ProbedModel, form: FormName, rows: pa.Table) -> pa.Table:
    """Return the scores of ``rows``, each input scored by itself in float32; the score cache is not used.

    The rows are those of `nextset.scoring.forms.scored_form`: NliScore or QuadScore. A study computes the
    same numbers for any input near a decision. Raises ModelError if the model cannot be loaded or asked.
    """
    from nextset.scoring.asked_model import Model
    from nextset.scoring.cache.keys import input_keys
    from nextset.scoring.forms.scored_form import SCORED_FORMS
    from nextset.scoring.jobs import Job
    from nextset.scoring.models.sources import check_unchanged
    from nextset.scoring.row_chunks import InMemoryRows
    from nextset.study.filter_rule_settings import Boundaries

    every = frozenset(input_keys(one.texts() for one in SCORED_FORMS[form].inputs(rows)))
    with models_alone("models"):
        in_form = Model.of(model.source, model.asking(form))
        scored = Job(in_form, InMemoryRows(rows), "audit", Boundaries(), repeated=every)()
    check_unchanged(model.source)
    return scored.table


def fitting_forms(model: ProbedModel, given: Sequence[FormName]) -> tuple[FormName, ...]:
    """Return those of the forms ``given`` that the model can be asked in; raises ModelError if there are
    none."""
    from nextset.scoring.model_kinds import check_kind, known_forms

    known = known_forms(model.source)
    fit = tuple(form for form in given if form in known)
    if not fit:
        check_kind(model.source, given[0])
    return fit


@dataclass(frozen=True, slots=True)
class FittingModels:
    """The models that can be asked about some texts."""

    models: dict[str, ModelSettings]
    """Their names and settings."""
    unfit: dict[str, str]
    """The other models, each with the reason why it cannot be asked."""


def models_for(models: ModelNames, given: Sequence[FormName]) -> FittingModels:
    """Return those of ``models`` that can be asked in one of the forms ``given``.

    Raises ModelError for a model that cannot be found, and the first model's ModelError if none can be asked.
    """
    fit, unfit = {}, {}
    first: ModelError | None = None
    for model in located_models(models):
        try:
            fitting_forms(model, given)
        except ModelError as e:
            first = first or e
            unfit[model.source.name] = str(e)
        else:
            fit[model.source.name] = model.settings
    if not fit and first is not None:
        raise first
    return FittingModels(fit, unfit)
