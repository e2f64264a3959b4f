"""The section interventions of study.yaml: sentences that are added to the inputs of models."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from nextset.extensions.interventions.intervention import Place
from nextset.extensions.interventions.settings.occlusion_settings import OcclusionSettings
from nextset.extensions.interventions.settings.trigger_settings import TriggerSettings
from nextset.extensions.interventions.settings.tuning_settings import TuningSettings, tuned_name
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.extension_sections import ExtensionSection, ModelCopies
from nextset.study.field_types import ModelNames, Paths, each_once

__all__ = ["InterventionSettings"]

SentenceKind = Literal["ethical", "adversarial", "irrelevant"]


_WAIVED = "a tuned copy: specified twins show what tuning has spoilt"
"""The reason why a tuned copy has no canaries: if tuning has spoilt it, that is a result."""


class InterventionSettings(ExtensionSection):
    """interventions: models are asked with and without added sentences."""

    position: ClassVar[int] = 1

    models: ModelNames
    """The models to ask: readers, masked language models, NLI classifiers, models that write."""
    sentences: Annotated[Paths, Field(min_length=1), AfterValidator(each_once)] = ("builtin:en",)
    """builtin:LANGUAGE, language packs, files of sentences, or the published files of Zhao et al. (2021)."""
    kinds: Annotated[tuple[SentenceKind, ...], Field(min_length=1), AfterValidator(each_once)] = (
        "ethical",
        "adversarial",
        "irrelevant",
    )
    """The kinds of sentences."""
    places: Annotated[tuple[Place, ...], Field(min_length=1), AfterValidator(each_once)] = ("before_context",)
    """The places where a sentence is added."""
    lead: Annotated[str, written_as(r"[^\x00-\x1f]*", "Note that,")] = ""
    """Words before each sentence; after a comma, it begins with a small letter."""
    most: int | None = Field(default=None, ge=1, strict=True)
    """The most sentences of each kind, class and cluster over all files; default: all."""
    twins: int = Field(default=100, ge=0, strict=True)
    """The number of specified twins (questions whose contexts name the answer) of each class and form."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample of twins, and of the held-out part."""
    occlusion: OcclusionSettings | None = None
    """Erase each word of some rows and sentences once (`OcclusionSettings`); default: none."""
    triggers: TriggerSettings | None = None
    """The search for triggers, which are added at the first of the places; default: none."""
    tuning: TuningSettings | None = None
    """Readers to fine-tune to follow ethical advice, and to ask in addition to the others; default: none."""

    def asked_models(self) -> tuple[str, ...]:
        """Return the models that are asked, as the study names them."""
        return self.models

    def model_copies(self) -> ModelCopies | None:
        """Return the tuned copies; None without a section tuning."""
        return (
            ModelCopies("tuned", self.tuning.models, tuned_name, _WAIVED) if self.tuning is not None else None
        )

    @model_validator(mode="after")
    def _changed_models(self) -> InterventionSettings:
        for key, section in (("triggers", self.triggers), ("tuning", self.tuning)):
            for model in section.models if section is not None else ():
                if model not in self.models:
                    raise WrongValue(
                        f"{key}.models: {model} is not in interventions.models", "add it to models"
                    )
        if self.tuning is not None and (missing := self.tuning.missing_kinds(self.kinds)):
            raise WrongValue(
                f"tuning needs {missing[0]} sentences, but kinds does not include them",
                f"add {missing[0]} to kinds, or set its weight to 0 in tuning.loss_weights",
            )
        if self.tuning is not None and self.tuning.loss_weights.twins and not self.twins:
            raise WrongValue(
                "tuning needs specified twins, but twins is 0",
                "raise twins, or set tuning.loss_weights.twins to 0",
            )
        return self
