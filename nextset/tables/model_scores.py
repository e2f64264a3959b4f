"""Scores of models without a study: a model is a name, a function, or a model with its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import InputError
from nextset.forms import NLI
from nextset.scoring.forms.scored_form import SCORED_FORMS, ScoredForm
from nextset.scoring.stage import score as score_study
from nextset.scoring.table_scores import ModelArgument, score_table, scorer_for
from nextset.study.model_key import models_alone, settings_by_model
from nextset.study.scoring_settings import ModelSettings
from nextset.study.study_folder import Study
from nextset.tables.given_items import given_items
from nextset.tables.given_tables import TableLike
from nextset.tables.named_tables import NamedTables
from nextset.tables.table_checks import check_texts

__all__ = ["score"]

_WAIVED = "the caller omits them"
_TEXTS = ("premise", "hypothesis", "context", "question", "statement")
"""The columns with texts that models read, in all forms."""


@overload
def score(
    items: Study | Path | str, progress: Progress = SILENT, *, trust_code: bool = False
) -> Artifact: ...
@overload
def score(
    items: TableLike,
    progress: Progress = SILENT,
    *,
    models: ModelArgument | Sequence[ModelArgument] | Mapping[str, Any],
    form: str = "",
    canaries: bool = True,
    trust_code: bool = False,
) -> NamedTables: ...
def score(
    items: Study | TableLike,
    progress: Progress = SILENT,
    *,
    models: ModelArgument | Sequence[ModelArgument] | Mapping[str, Any] | None = None,
    form: str = "",
    canaries: bool = True,
    trust_code: bool = False,
) -> Artifact | NamedTables:
    """Ask ``models`` about ``items``, and return their scores; or score the candidates of a study.

    With ``models``, items are a table (as for ``nextset.measure``) with the columns id, premise, hypothesis
    and label, or those of questions, statements or choice items. A model is a name as in study.yaml, a
    function from inputs to probabilities (`nextset.scoring.models.own_models.OwnScoring`), or a model of
    transformers with its tokenizer. A mapping from names gives models their settings, as in the section
    models of study.yaml. ``form`` is the form that models are asked in, such as qa for yes/no questions; by
    default that of the table. With ``canaries``, models except functions are asked test cases first. The
    table scores has one row per model and item (``nextset.records.nli_items.NliScore``); scores of named
    models are cached.

    Without ``models``, items are a study or its folder, and the artifact of ``nextset score`` is returned.

    Raises InputError for wrong items, or ids or names of models that occur twice, and ModelError for a model
    that cannot be used or fails its canaries.
    """
    if models is None:
        if not isinstance(items, Study | Path | str):
            raise InputError(
                "no model is named", remedy='name models: score(items, models=["builtin:nli-electra"])'
            )
        return score_study(items, progress, trust_code=trust_code)
    if isinstance(items, Study):
        raise InputError(
            "a study names its models in study.yaml",
            remedy='omit models, or use study.with_(filter={"models": [...]})',
        )
    table = given_items(items)
    settings = settings_by_model(models) if isinstance(models, Mapping) else {}
    several = isinstance(models, Sequence | Mapping) and not isinstance(models, str | tuple)
    named_models: list[Any] = list(models) if several else [models]  # type: ignore[arg-type]
    if not named_models:
        raise InputError("no model is named", remedy='name models: models=["builtin:nli-electra"]')
    of_table = form or _form(table)
    with models_alone("models"):
        ready = [
            scorer_for(
                model,
                of_table,
                settings=(settings[model] if settings else ModelSettings()).model_copy(
                    update={} if canaries and not callable(model) else {"canaries_waived": _WAIVED}
                ),
                trust_code=trust_code,
            )
            for model in named_models
        ]
    _check_names([model.label for model in ready])
    _check_columns(table, of_table)
    check_texts(table, "items", _TEXTS)
    tick = progress("score")
    scores = []
    for place, model in enumerate(ready):
        tick(place, len(ready))
        with models_alone("models"):
            scores.append(score_table(model, table))
    tick(len(ready), len(ready))
    return NamedTables({"scores": pa.concat_tables(scores, promote_options="default")})


def _check_names(names: Sequence[str]) -> None:
    """Raise InputError if two models have the same name: their scores could not be told apart."""
    repeated = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if repeated is not None:
        raise InputError(
            f"two models have the name {repeated!r}",
            remedy="name each once; give each function (def NAME) and each model (model.config.name_or_path) "
            "a name of its own",
        )


def _form(table: pa.Table) -> str:
    """Return the form that most of its columns are those of; raises InputError if the table lacks some."""
    columns = set(table.column_names)

    def nearness(form: ScoredForm) -> tuple[int, bool, bool]:
        there = columns & set(form.columns)
        return len(there), len(there) == len(form.columns), form.name == NLI.name

    name = max(SCORED_FORMS, key=nearness).name
    _check_columns(table, name)
    return name


def _check_columns(table: pa.Table, form: str) -> None:
    missing = [name for name in SCORED_FORMS[form].columns if name not in table.column_names]
    if missing:
        raise InputError(
            f"the items lack the columns {', '.join(missing)}; they have {', '.join(table.column_names)}",
            remedy="add them; or, for rows of another form, the columns of that form",
        )
