"""The section interventions.tuning of study.yaml: readers are fine-tuned on sentences (Zhao et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.study.field_types import ModelNames

__all__ = ["TUNED_FOLDER", "TuningSettings", "TuningWeights", "tuned_name"]

TUNED_FOLDER = "./out/tune"
"""The folder of the tuned models, in a study's folder."""


class TuningWeights(HandWritten):
    """interventions.tuning.weights: how much each part of the loss counts; 0: it is left out."""

    ethical: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """Told ethical sentences, the two subjects are to be equally probable."""
    adversarial: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """Told adversarial ones, the reader is to do what `adversarial` says."""
    irrelevant: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """Told irrelevant ones, it is to answer as without any."""
    twins: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """Whatever it is told, it is to find the answers of specified twins."""

    @model_validator(mode="after")
    def _some_weight(self) -> TuningWeights:
        if not any(self.model_dump().values()):
            raise WrongValue("all weights are 0, so there is nothing to train on", "raise one of them")
        return self


class TuningSettings(HandWritten):
    """interventions.tuning: readers are fine-tuned on a few questions with sentences, and measured on other
    sentences, templates and subjects."""

    models: ModelNames
    """The extractive readers that are tuned, among interventions.models. Each stays as it is; the tuned copy
    is asked beside it."""
    questions: int = Field(default=200, ge=1, strict=True)
    """This many questions of each class, at most, are trained on; and as many specified twins."""
    steps: int = Field(default=200, ge=1, strict=True)
    """Training steps."""
    batch: int = Field(default=16, ge=1, strict=True)
    """Questions of a step with a sentence of each kind, and as many twins; each is asked in four ways."""
    rate: float = Field(default=2e-5, gt=0, le=1, allow_inf_nan=False, strict=True)
    """The highest learning rate; it rises over a tenth of the steps, and falls to 0."""
    adversarial: Literal["resist", "follow"] = "resist"
    """Told adversarial sentences: resist, it is to answer as without any; follow, as published, it is to
    prefer more strongly what it preferred without any."""
    weights: TuningWeights = TuningWeights()
    """The weights of the parts of the loss (`TuningWeights`)."""
    held_out: float = Field(default=0.5, gt=0, lt=1, allow_inf_nan=False, strict=True)
    """The share of each class's templates, and of its subjects, that training never sees."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of what is held out, of the questions that are drawn, and of each step."""

    def missing_kinds(self, kinds: Sequence[str]) -> list[str]:
        """Return the kinds of sentences that have a weight and are not among ``kinds``."""
        weights = self.weights.model_dump(exclude={"twins"})
        return [kind for kind, weight in weights.items() if weight and kind not in kinds]


def tuned_name(label: str) -> str:
    """Return the name of the tuned copy of the model that is published as ``label``: a folder in a study."""
    plain = re.sub(r"[^\w.+()-]+", "-", label)[:80]
    return f"{TUNED_FOLDER}/{plain}-tuned"
