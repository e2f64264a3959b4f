"""The section ambiguity.selectional of study.yaml: the right answers that models give."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, Paths, each_once, groups_once

__all__ = ["NameBalanceSettings", "SelectionalSettings"]


class NameBalanceSettings(HandWritten):
    """ambiguity.selectional.balance: replaced names, so that all groups have equally many right answers."""

    groups: Annotated[tuple[str, ...], Field(min_length=2), AfterValidator(groups_once)] = ("female", "male")
    """The groups whose names are used."""
    names: Annotated[Paths, Field(min_length=1)] = ("builtin:en",)
    """builtin:LANGUAGE, a language pack's lists of first names, or files with name and group."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the drawn names."""


PredictedModel = Annotated[str, written_as(r"[^\W_][\w .+()/-]{0,95}", "BERT on SQuAD 2")]
"""The name of a model with predictions in a file."""
PredictionFile = Annotated[str, written_as(r"[^\x00]*[^\x00\s][^\x00]*", "predictions/bert.json")]
"""The path of a file with predictions, as written in study.yaml."""


class SelectionalSettings(HandWritten):
    """ambiguity.selectional: questions with several right answers in the context (Mao et al. 2021)."""

    questions: Annotated[Paths, Field(min_length=1), AfterValidator(each_once)]
    """builtin:LANGUAGE, or files (docs/reference/files.md#questions-with-several-right-answers)."""
    group: Annotated[str, written_as(r"[A-Za-z][A-Za-z0-9_ -]{0,63}", "gender")] = "gender"
    """The attribute that divides people into groups."""
    balance: NameBalanceSettings | None = None
    """Replace names so that all groups have equally many right answers (`NameBalanceSettings`); default: keep
    the names."""
    models: Annotated[tuple[ModelName, ...], AfterValidator(each_once)] = ()
    """The models to ask: readers, and models that write."""
    predictions: dict[PredictedModel, PredictionFile] = Field(default_factory=dict)
    """Published predictions by model: files in SQuAD's format, {id: text}."""

    @model_validator(mode="after")
    def _has_answers(self) -> SelectionalSettings:
        if not self.models and not self.predictions:
            raise WrongValue("no model answers", "add models, or predictions")
        return self
