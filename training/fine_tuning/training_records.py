"""The tables next to a trained model: its losses, its figures, its data, and how it was trained."""

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
    """How often the data were read until then."""
    loss: float
    """The mean loss of the steps since the row before."""
    rate: float
    """The learning rate of the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFigure:
    """A figure of the model on the validation data."""

    step: int
    """The step after which it was evaluated."""
    when: Literal["during", "after"]
    """during: an evaluation in training. after: the trained model, as a study asks it."""
    figure: str
    """The name of the figure, such as f1."""
    value: float
    """Its value; shares are from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingData:
    """A source of examples."""

    split: Literal["train", "validation"]
    """What it is for."""
    source: str
    """The file's name without its folder, or the dataset on the Hub with its split."""
    digest: str
    """The sha256 of the file, or the commit on the Hub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingCount:
    """A number of examples, or of what was left out or corrected."""

    split: Literal["train", "validation"]
    """The data that are counted."""
    what: str
    """examples, inputs (windows or pieces of examples), or the reason why some were left out or corrected."""
    count: int
    """How many."""
    first_ids: str
    """The first ids of the questions with faulty answers; empty for other counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """How the model was trained; one row."""

    base: str
    """The model that training began with, or the untrained architecture."""
    base_digest: str
    """The digest of its weights; empty for an untrained architecture."""
    architecture: str
    """The class of the model."""
    parameters: int
    """The number of its weights."""
    steps: int
    """The steps that were made."""
    planned_steps: int
    """The steps of the recipe; more if training stopped early."""
    best_step: int
    """The step whose weights are those of the model."""
    longest: int
    """The most tokens of an input: the recipe's number, or the model's if it reads fewer."""
    no_answer: bool
    """Whether it learned that a context can have no answer."""
    device: str
    """cpu, or the name of the GPU."""
    precision: str
    """The precision of the computations; weights are float32."""
    processes: int
    """The processes that trained together."""
    versions: str
    """The versions of the libraries."""
