"""The tables next to a trained model: its losses, its figures, its data, and the facts of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["TrainingCount", "TrainingData", "TrainingFigure", "TrainingLoss", "TrainingRun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingLoss:
    """The loss over some steps."""

    step: int
    """The last of these steps, from 1."""
    epoch: float
    """The number of times that the data were read until then."""
    loss: float
    """The mean loss of the steps since the previous row."""
    rate: float
    """The learning rate of the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFigure:
    """A figure of the model on the validation data."""

    step: int
    """It was evaluated after this step."""
    when: Literal["during", "after"]
    """during: in training; after: the trained model, asked as in a study."""
    figure: str
    """The name of the figure, such as f1."""
    value: float
    """Its value; shares are from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingData:
    """A source of examples."""

    split: Literal["train", "validation"]
    """The use of the source."""
    source: str
    """The file's name without its folder, or the dataset on the Hub with its split."""
    digest: str
    """The sha256 of the file, or the commit on the Hub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCount:
    """A number of examples, or of skipped or corrected ones."""

    split: Literal["train", "validation"]
    """The data that are counted."""
    what: str
    """examples, inputs (windows or pieces), or the reason why some were skipped or corrected."""
    count: int
    """The number."""
    first_ids: str
    """The first ids of the questions with faulty answers; empty for other counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """The facts of the model's training; one row."""

    base: str
    """The model that training started from, or the untrained architecture."""
    base_digest: str
    """The digest of its weights; empty for an untrained architecture."""
    architecture: str
    """The class of the model."""
    parameters: int
    """The number of its weights."""
    steps: int
    """The number of steps of the training."""
    planned_steps: int
    """The steps in the recipe; more if training stopped early."""
    best_step: int
    """The step whose weights the model has."""
    longest: int
    """The most tokens of an input: the recipe's or the model's."""
    no_answer: bool
    """True if the model learned that a context can have no answer."""
    device: str
    """cpu, or the name of the GPU."""
    precision: str
    """The precision of the computations; weights are float32."""
    processes: int
    """The number of processes that trained together."""
    versions: str
    """The versions of the libraries."""
