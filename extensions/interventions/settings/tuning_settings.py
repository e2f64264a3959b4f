"""The section interventions.tuning of study.yaml: readers are fine-tuned on sentences (Zhao et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.study.field_types import ModelNames

__all__ = ["TUNED_FOLDER", "TuningSettings", "TuningWeights", "tuned_name"]

TUNED_FOLDER = "./out/tune"
"""The folder of the tuned models, in a study's folder."""


class TuningWeights(HandWritten):
    """interventions.tuning.loss_weights: how much each aim of the training counts; 0 excludes the aim."""

    ethical: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """With ethical sentences, the two subjects are equally probable."""
    adversarial: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """With adversarial sentences, the reader answers as the key `adversarial` says."""
    irrelevant: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """With irrelevant sentences, the reader answers as without a sentence."""
    twins: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """With any sentence, the reader finds the answers to specified twins."""

    @model_validator(mode="after")
    def _some_weight(self) -> TuningWeights:
        if not any(self.model_dump().values()):
            raise WrongValue("all weights are 0, so there is nothing to train on", "raise one of them")
        return self


class TuningSettings(HandWritten):
    """interventions.tuning: readers are fine-tuned on a few questions with sentences, and measured on
    others."""

    earlier_names: ClassVar[Mapping[str, str]] = {"weights": "loss_weights"}

    models: ModelNames
    """The extractive readers to tune, among interventions.models; the tuned copies are asked too."""
    questions: int = Field(default=200, ge=1, strict=True)
    """The most questions of each class to train on, and equally many specified twins."""
    steps: int = Field(default=200, ge=1, strict=True)
    """The number of training steps."""
    batch: int = Field(default=16, ge=1, strict=True)
    """The questions per step, with a sentence of each kind, and equally many twins. Each is asked in four
    ways."""
    rate: float = Field(default=2e-5, gt=0, le=1, allow_inf_nan=False, strict=True)
    """The highest learning rate; it rises over a tenth of the steps, and falls to 0."""
    adversarial: Literal["resist", "follow"] = "resist"
    """The aim with adversarial sentences. resist: to answer as without a sentence. follow, as published: to
    prefer the same subject more strongly."""
    loss_weights: TuningWeights = Field(default=TuningWeights(), serialization_alias="weights")
    held_out: float = Field(default=0.5, gt=0, lt=1, allow_inf_nan=False, strict=True)
    """The share of each class's templates, and of its subjects, that training never sees."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the held-out part, the drawn questions, and each step."""

    def missing_kinds(self, kinds: Sequence[str]) -> list[str]:
        """Return the kinds of sentences with a weight that are not in ``kinds``."""
        weights = self.loss_weights.model_dump(exclude={"twins"})
        return [kind for kind, weight in weights.items() if weight and kind not in kinds]


def tuned_name(label: str) -> str:
    """Return the name of the tuned copy of the model published as ``label``: a folder in a study."""
    plain = re.sub(r"[^\w.+()-]+", "-", label)[:80]
    return f"{TUNED_FOLDER}/{plain}-tuned"
