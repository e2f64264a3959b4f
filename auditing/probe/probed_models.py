"""The models of a probe: which of them can be asked, and their scores, computed as in a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from nextset.errors import InputError, ModelError

if TYPE_CHECKING:
    from nextset.forms import FormName
    from nextset.scoring.models.sources import ModelSource

__all__ = ["FittingModels", "fitting_forms", "located_models", "models_for", "scores_alone"]


def located_models(models: Sequence[str] | str) -> list[ModelSource]:
    """Return the sources of ``models``, each once; raises ModelError for a model that cannot be found,
    InputError if none is named."""
    from nextset.scoring.models.sources import locate

    names = [models] if isinstance(models, str) else list(dict.fromkeys(models))
    if not names:
        raise InputError("no model is named", remedy="name one or more, such as builtin:nli-electra")
    return [locate(name) for name in names]


def scores_alone(source: ModelSource, form: FormName, rows: pa.Table) -> pa.Table:
    """Return the scores of ``rows``, each input scored by itself in float32; the score cache is not used.

    The rows are those of `nextset.scoring.forms.scored_form`: NliScore or QuadScore. A study computes the
    same numbers for any input near a decision. Raises ModelError if the model cannot be loaded or asked.
    """
    from nextset.scoring.asked_model import Model
    from nextset.scoring.asking import Asking
    from nextset.scoring.cache.keys import input_keys
    from nextset.scoring.forms.scored_form import SCORED_FORMS
    from nextset.scoring.jobs import Job
    from nextset.scoring.models.sources import check_unchanged
    from nextset.scoring.row_chunks import InMemoryRows
    from nextset.study.filter_rule_settings import Boundaries
    from nextset.study.scoring_settings import ScoringSettings

    model = Model.of(source, Asking(form, ScoringSettings(cache=False)))
    every = frozenset(input_keys(one.texts() for one in SCORED_FORMS[form].inputs(rows)))
    scored = Job(model, InMemoryRows(rows), "audit", Boundaries(), repeated=every)()
    check_unchanged(source)
    return scored.table


def fitting_forms(source: ModelSource, given: Sequence[FormName]) -> tuple[FormName, ...]:
    """Return those of the forms ``given`` that the model can be asked in; raises ModelError if there are
    none."""
    from nextset.scoring.model_kinds import check_kind, known_forms

    known = known_forms(source)
    fit = tuple(form for form in given if form in known)
    if not fit:
        check_kind(source, given[0])
    return fit


@dataclass(frozen=True, slots=True)
class FittingModels:
    """The models that can be asked about some texts."""

    models: tuple[str, ...]
    """Their names."""
    unfit: dict[str, str]
    """The other models, each with the reason why it cannot be asked."""


def models_for(models: Sequence[str] | str, given: Sequence[FormName]) -> FittingModels:
    """Return those of ``models`` that can be asked in one of the forms ``given``.

    Raises ModelError for a model that cannot be found, and the first model's ModelError if none can be asked.
    """
    fit, unfit = [], {}
    first: ModelError | None = None
    for source in located_models(models):
        try:
            fitting_forms(source, given)
        except ModelError as e:
            first = first or e
            unfit[source.name] = str(e)
        else:
            fit.append(source.name)
    if not fit and first is not None:
        raise first
    return FittingModels(tuple(fit), unfit)
