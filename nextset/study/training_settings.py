"""training.yaml: the model, data and settings of `nextset train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from nextset.errors import InputError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.files.yaml_reader import read_yaml
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, each_once
from nextset.study.scoring_settings import CanaryPair, CardQuestion

__all__ = [
    "COLUMNS", "MASKED", "RECIPES", "ReaderArchitecture", "Task", "TrainingFile", "read_training",
]  # fmt: skip

Task = Literal["nli", "qa", "masked_lm"]
"""The task that a model is trained for."""
ReaderArchitecture = Literal["lstm_reader", "bidaf"]
"""The readers that can be trained without a pretrained model."""
MASKED = 0.15
"""The share of tokens that a masked language model predicts (Devlin et al. 2019)."""
Source = Annotated[str, written_as(r"[^\x00-\x1f]{1,500}", "data/train-v2.0.json")]
Sources = Annotated[tuple[Source, ...], AfterValidator(each_once)]
ColumnName = Annotated[str, written_as(r"[^\x00-\x1f]{1,200}", "sentence1")]
Label = Literal["entailment", "neutral", "contradiction", "not_entailment"]

COLUMNS: dict[str, tuple[str, ...]] = {
    "nli": ("premise", "hypothesis", "label"),
    "qa": ("id", "question", "context", "answers"),
    "masked_lm": ("text",),
}
"""The columns of the tables of each task."""

RECIPES: dict[str, dict[str, Any]] = {
    "nli": {"epochs": 3, "batch": 32, "rate": 2e-5, "longest": 256},
    "qa": {"epochs": 2, "batch": 32, "rate": 3e-5, "longest": 384},
    "masked_lm": {"epochs": 3, "batch": 32, "rate": 5e-5, "longest": 128},
    "lstm_reader": {"epochs": 12, "batch": 32, "rate": 1e-3, "longest": 384},
    "bidaf": {"epochs": 12, "batch": 32, "rate": 1e-3, "longest": 384},
}
"""The recipes of pretrained models by task (Devlin et al. 2019), and those of untrained architectures."""


class TrainingFile(HandWritten):
    """The whole of training.yaml; omitted keys have the values of the task's recipe."""

    format: Literal[1]
    """The version of the file format."""
    task: Task
    """nli: a classifier of pairs; qa: an extractive reader; masked_lm: a masked language model."""
    model: ModelName | None = None
    """The base model: builtin:NAME, a folder, or a Hub id. A new head replaces a head for another task."""
    architecture: ReaderArchitecture | None = None
    """An untrained reader instead."""
    word_vectors: Annotated[str, written_as(r"[^\x00-\x1f]{1,500}", "glove.6B.300d.txt")] | None = None
    """For an architecture: a file of fixed word vectors in GloVe's format."""
    train: Annotated[Sources, Field(min_length=1)]
    """Files relative to training.yaml, or datasets on the Hub: ORG/NAME@REVISION:SPLIT."""
    validation: Sources = ()
    """Data in the same form, for the figures during and after training; never trained on."""
    columns: dict[str, ColumnName] = Field(default_factory=dict)
    """Your names of the columns premise, hypothesis and label; id, question, context and answers; or
    text."""
    labels: tuple[Label, ...] | dict[str, Label] = ()
    """For NLI: the meanings of the labels 0, 1, …, or of each label by name."""
    output: Annotated[str, written_as(r"[^\x00-\x1f]{1,500}", "my-reader")] = ""
    """The folder of the trained model, such as ~/models/mine; default: NAME-model next to NAME.yaml."""
    epochs: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] | None = None
    """The number of times that the data is read."""
    batch: int | None = Field(default=None, ge=1, le=1_000_000, strict=True)
    """The number of examples per step, over all processes."""
    parts: int = Field(default=1, ge=1, le=100_000, strict=True)
    """The parts of each process's share of a batch, read in turn to save memory."""
    rate: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False, strict=True)
    """The highest learning rate; it rises during the warm-up, and falls to 0."""
    warm_up: float = Field(default=0.1, ge=0, le=1, allow_inf_nan=False, strict=True)
    """The share of the steps over which the learning rate rises."""
    weight_decay: float = Field(default=0.01, ge=0, le=1, allow_inf_nan=False, strict=True)
    """AdamW's weight decay; biases and normalizations have none."""
    longest: int | None = Field(default=None, ge=8, le=1_000_000, strict=True)
    """The most tokens of an input. Longer pairs and texts are cut; longer contexts are read in windows."""
    overlap: int = Field(default=128, ge=0, le=1_000_000, strict=True)
    """The tokens that a window of a context shares with the previous window."""
    masked: float = Field(default=MASKED, gt=0, lt=1, allow_inf_nan=False, strict=True)
    """For masked language models: the share of tokens to predict."""
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """auto: mixed with bfloat16 or float16 on GPUs, float32 on CPUs."""
    evaluate_every: int | None = Field(default=None, ge=1, strict=True)
    """The number of steps between two evaluations; default: one evaluation per epoch."""
    patience: int = Field(default=0, ge=0, le=10_000, strict=True)
    """Stop after this many evaluations without an improvement; 0: never."""
    seed: int = Field(default=0, ge=0, lt=2**31, strict=True)
    """Seed of new weights, the order of the examples, dropout and masks."""
    licence: Prose = Field(default="", max_length=200)
    """The licence of the trained model, for its card."""
    about: Prose = Field(default="", max_length=5000)
    """A description, for the card."""
    canaries: tuple[CanaryPair | CardQuestion, ...] = ()
    """Canaries for the model's card; default: those on the card of the base model."""

    @field_validator("architecture")
    @classmethod
    def _one_beginning(cls, value: str | None, others: ValidationInfo) -> str | None:
        if value is not None and others.data.get("model") is not None:
            raise WrongValue("the file has both model and architecture", "remove one of them")
        return value

    @model_validator(mode="after")
    def _whole(self) -> TrainingFile:
        if self.model is None and self.architecture is None:
            raise WrongValue(
                "either model or architecture is needed", "write model: builtin:qa-roformer, for example"
            )
        if self.model is not None and self.model.startswith("openai:"):
            raise WrongValue("a model behind a server cannot be trained", "name a folder or a Hub id")
        if self.architecture is not None and self.task != "qa":
            raise WrongValue(
                f"{self.architecture} is a reader, which cannot be trained for {self.task}", "write task: qa"
            )
        if self.word_vectors is not None and self.architecture is None:
            raise WrongValue("word_vectors are for an untrained architecture", "remove word_vectors")
        unknown = sorted(set(self.columns) - set(COLUMNS[self.task]))
        if unknown:
            known = ", ".join(COLUMNS[self.task])
            raise WrongValue(f"columns: {unknown[0]} is not a column for {self.task}", f"use {known}")
        if self.labels and self.task != "nli":
            raise WrongValue("labels are only for the task nli", "remove labels")
        if self.patience and not self.validation:
            raise WrongValue("patience needs validation data", "add validation, or remove patience")
        return self

    @property
    def recipe(self) -> dict[str, Any]:
        """Return the settings that decide the training, with the defaults of the task filled in."""
        without = {"format", "model", "train", "validation", "output", "licence", "about", "canaries"}
        without |= {"word_vectors"}  # their content counts, not their place
        without |= {"overlap"} if self.task != "qa" else set()
        without |= {"masked"} if self.task != "masked_lm" else set()
        own = self.model_dump(mode="json", exclude=without)
        defaults = RECIPES[self.architecture or self.task]
        return {**own, **{key: value for key, value in defaults.items() if own[key] is None}}


def read_training(path: Path) -> TrainingFile:
    """Return the training in ``path``; raises InputError with file, line and remedy."""
    data = read_yaml(path, InputError).data
    if isinstance(data, dict) and "name" in data and "task" not in data:
        raise InputError(
            "this is a study, not a training file",
            file=path,
            remedy="name a training.yaml, or run the study with `nextset run`",
        )
    return read_model(path, TrainingFile, InputError)[0]
