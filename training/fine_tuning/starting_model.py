"""The model that a training starts from: a pretrained model with a head for the task, or a new reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.models.config_file import read_config
from nextset.scoring.models.context_length import longest
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource
from nextset.study.scoring_settings import CanaryPair, CardQuestion
from nextset.study.training_settings import ReaderArchitecture
from nextset.training.fine_tuning.task_training import TaskTraining
from nextset.training.training_data.data_source import DataSource

__all__ = ["PretrainedStart", "Start", "UntrainedStart"]

AT_LEAST, MOST = 2, 100_000
"""The limits for the words of an untrained reader: the lowest frequency in the training texts, and the most
words, the most frequent first. All other words are read as one unknown word, which is trained too."""


class Start(Protocol):
    """The start of a training."""

    @property
    def label(self) -> str:
        """The published name of the model."""

    @property
    def repository(self) -> str | None:
        """The model's repository on the Hub, without a revision; None if it is not on the Hub."""

    @property
    def digest(self) -> str:
        """The digest of its weights; empty for an untrained model."""

    @property
    def identities(self) -> Mapping[str, str]:
        """The digests that decide the model, by name, for a recipe."""

    def canaries(self, task: str) -> tuple[CanaryPair | CardQuestion, ...]:
        """Return the canaries in its card for a model of ``task``."""

    def loaded(self, task: TaskTraining, seed: int, device: str) -> Loaded:
        """Return the model on ``device``, ready for training. Raises ModelError."""


@dataclass(frozen=True)
class PretrainedStart:
    """A pretrained model; a head for a different task is replaced by a random head."""

    source: ModelSource
    """The model."""
    label: str
    """Its published name."""
    repository: str | None
    """Its repository on the Hub; None for a model in a folder and for a built-in model."""

    @property
    def digest(self) -> str:
        """The digest of its weights."""
        return self.source.digest

    @property
    def identities(self) -> Mapping[str, str]:
        """Its weights, configuration and tokenizer."""
        return {"base": self.source.identity}  # a new name does not change the weights

    def canaries(self, task: str) -> tuple[CanaryPair | CardQuestion, ...]:
        """Return the canaries in its card for a model of ``task``."""
        kinds: dict[str, type] = {"nli": CanaryPair, "qa": CardQuestion}
        return tuple(case for case in card_canaries(self.source) if isinstance(case, kinds.get(task, ())))

    def loaded(self, task: TaskTraining, seed: int, device: str) -> Loaded:
        """Return the model with a head for ``task``; torch must be seeded already."""
        head: Mapping[str, Any] = task.head(read_config(self.source))
        return load(self.source, task.auto_class, device=device, new_head=head)


@dataclass(frozen=True)
class UntrainedStart:
    """A recurrent reader with random weights, and the words of the training data."""

    architecture: ReaderArchitecture
    word_vectors: DataSource | None
    """A file of word vectors, which training does not change."""

    @property
    def label(self) -> str:
        """The architecture."""
        return self.architecture

    @property
    def repository(self) -> None:
        """None, because the reader is not on the Hub."""

    @property
    def digest(self) -> str:
        """Empty, because the reader has no trained weights."""
        return ""

    @property
    def identities(self) -> Mapping[str, str]:
        """The word vectors; the architecture is part of the settings."""
        return {} if self.word_vectors is None else {"word vectors": self.word_vectors.digest}

    def canaries(self, task: str) -> tuple[CanaryPair | CardQuestion, ...]:
        """Return nothing, because the reader has no card."""
        return ()

    def loaded(self, task: TaskTraining, seed: int, device: str) -> Loaded:
        """Return the reader with the words of the training data."""
        import torch

        from nextset.scoring.models.recurrent.untrained_reader import untrained_reader
        from nextset.scoring.models.recurrent.word_tokenizer import word_tokenizer

        words = word_tokenizer(task.texts(), at_least=AT_LEAST, most=MOST)
        vectors = self.word_vectors.path if self.word_vectors is not None else None
        made = untrained_reader(self.architecture, words, word_vectors=vectors, seed=seed)
        if self.word_vectors is not None:
            self.word_vectors.check_unchanged()
        model: Any = made.model
        target = torch.device(device)
        return Loaded(self.architecture, model.to(target), made.tokenizer, target, longest(model))
