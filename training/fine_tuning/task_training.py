"""The parts of a training that depend on the task: its data, its head, its examples and its evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from nextset.artifacts.progress_callback import Tick
from nextset.errors import ModelError
from nextset.scoring.models.labels import label_map
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.study.training_settings import TrainingFile
from nextset.training.fine_tuning.task_examples import TaskExamples
from nextset.training.training_data.data_source import DataSource
from nextset.training.training_data.nli_examples import NliExamples, read_nli
from nextset.training.training_data.plain_texts import read_texts
from nextset.training.training_data.reader_questions import ReaderQuestions, questions_with_spans
from nextset.training.training_data.squad_data import read_questions

__all__ = ["TaskTraining", "task_training"]

_CHUNK = 256
"""The number of questions whose windows are made at a time."""


class TaskTraining(Protocol):
    """A task with its data."""

    @property
    def auto_class(self) -> str:
        """The Auto class of the task's models."""

    @property
    def best(self) -> str:
        """The figure that decides which model is the best."""

    @property
    def greater(self) -> bool:
        """True if a greater value is better."""

    def head(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the config values of a head for this task; ``config`` is the base model's config."""

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """The numbers of examples, and of skipped or corrected ones by reason, by split."""

    @property
    def faulty(self) -> Mapping[str, Sequence[str]]:
        """The ids of training examples with faulty answers, by reason."""

    @property
    def no_answer(self) -> bool:
        """True if a context can have no answer."""

    def texts(self) -> Iterator[str]:
        """Yield the training texts, for the words of an untrained model."""

    def examples(self, loaded: Loaded, tick: Tick) -> TaskExamples:
        """Return the training examples of ``loaded``; ``tick`` gets the numbers of read and of all examples.

        Raises InputError or ModelError, also for validation data that ``loaded`` cannot read, so that the
        error does not come only after an epoch, in the first evaluation.
        """

    def figures(self, loaded: Loaded, tick: Tick, *, final: bool) -> dict[str, float]:
        """Return the figures of ``loaded`` on the validation data; ``final`` ones take longer."""


def task_training(
    settings: TrainingFile, train: Sequence[DataSource], validation: Sequence[DataSource]
) -> TaskTraining:
    """Return the task of ``settings`` with the examples of its sources. Raises InputError."""
    recipe, columns = settings.recipe, settings.columns
    if settings.task == "nli":
        pairs = [read_nli(sources, columns, settings.labels) for sources in (train, validation) if sources]
        return _NliTraining(pairs[0], pairs[1] if validation else None, recipe)
    if settings.task == "qa":
        read = read_questions(train, columns)
        known = read_questions(validation, columns) if validation else None
        return _ReaderTraining(questions_with_spans(read.questions, read.dropped), known, recipe)
    texts = read_texts(train, columns)
    return _MaskedTraining(texts, read_texts(validation, columns) if validation else (), recipe)


@dataclass(frozen=True)
class _NliTraining:
    train: NliExamples
    validation: NliExamples | None
    recipe: Mapping[str, Any]
    auto_class: str = "AutoModelForSequenceClassification"
    best: str = "accuracy"
    greater: bool = True
    no_answer: bool = False
    faulty: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def head(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        labels = _labels_of(config)
        if sorted(labels) != sorted(self.train.labels):
            labels = self.train.labels
        return {"id2label": dict(enumerate(labels)), "label2id": {name: i for i, name in enumerate(labels)}}

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        splits = {"train": self.train, "validation": self.validation}
        return {name: {"examples": len(x.pairs), **x.dropped} for name, x in splits.items() if x is not None}

    def texts(self) -> Iterator[str]:
        return (text for pair in self.train.pairs for text in (pair.premise, pair.hypothesis))

    def examples(self, loaded: Loaded, tick: Tick) -> TaskExamples:
        from nextset.training.fine_tuning.nli_training_rows import NliTrainingRows

        longest = min(self.recipe["longest"], loaded.max_length)
        labels = label_map(loaded.name, loaded.model.config.id2label).names
        return NliTrainingRows.of(_on_cpu(loaded), self.train.pairs, labels, longest, tick)

    def figures(self, loaded: Loaded, tick: Tick, *, final: bool) -> dict[str, float]:
        from nextset.scoring.nli import NliClassifier
        from nextset.training.evaluation.nli_evaluation import evaluate_nli

        assert self.validation is not None
        labels = label_map(loaded.name, loaded.model.config.id2label)
        pair = PrecisionPair(loaded, lambda: loaded)
        classifier = NliClassifier(pair, labels, _budget(loaded), truncates=True)
        return dict(evaluate_nli(classifier, self.validation.pairs, tick).figures)


@dataclass(frozen=True)
class _ReaderTraining:
    train: ReaderQuestions
    validation: ReaderQuestions | None
    recipe: Mapping[str, Any]
    auto_class: str = "AutoModelForQuestionAnswering"
    best: str = "f1"
    greater: bool = True

    def head(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        splits = {"train": self.train, "validation": self.validation}
        return {
            name: {"examples": len(x.questions), **x.dropped} for name, x in splits.items() if x is not None
        }

    @property
    def faulty(self) -> Mapping[str, Sequence[str]]:
        return self.train.faulty

    @property
    def no_answer(self) -> bool:
        return self.train.some_unanswerable

    def texts(self) -> Iterator[str]:
        for one in self.train.questions:
            yield one.question
        yield from dict.fromkeys(one.context for one in self.train.questions)

    def examples(self, loaded: Loaded, tick: Tick) -> TaskExamples:
        from nextset.scoring.answers.context_windows import context_windows
        from nextset.scoring.answers.span_ends import begins_with_cls
        from nextset.training.fine_tuning.reader_training_rows import ReaderTrainingRows

        if self.no_answer and not begins_with_cls(loaded):
            raise ModelError(
                f"some questions have no answer, but {loaded.name} has no token that means no answer",
                remedy="choose a model whose inputs begin with [CLS] or <s>, or name data in which every "
                "question has an answer",
            )
        known = self.validation.questions if self.validation is not None else ()
        for begin in range(0, len(known), _CHUNK):
            context_windows(loaded, [(one.question, one.context) for one in known[begin : begin + _CHUNK]])
        longest = min(self.recipe["longest"], loaded.max_length)
        return ReaderTrainingRows.of(
            _on_cpu(loaded), self.train.questions, longest, self.recipe["overlap"], tick
        )

    def figures(self, loaded: Loaded, tick: Tick, *, final: bool) -> dict[str, float]:
        from nextset.scoring.answers.span_answers import SpanAnswers
        from nextset.training.evaluation.reader_evaluation import evaluate_reader

        assert self.validation is not None
        reader = SpanAnswers(loaded, _budget(loaded), self.no_answer)
        return dict(evaluate_reader(reader, self.validation.questions, thresholds=final, tick=tick).figures)


@dataclass(frozen=True)
class _MaskedTraining:
    train: Sequence[str]
    validation: Sequence[str]
    recipe: Mapping[str, Any]
    auto_class: str = "AutoModelForMaskedLM"
    best: str = "loss"
    greater: bool = False
    no_answer: bool = False
    faulty: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def head(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        splits = {"train": self.train, "validation": self.validation}
        return {name: {"examples": len(texts)} for name, texts in splits.items() if texts}

    def texts(self) -> Iterator[str]:
        return iter(self.train)

    def examples(self, loaded: Loaded, tick: Tick) -> TaskExamples:
        from nextset.training.fine_tuning.masked_training_rows import MaskedTrainingRows

        longest, share = min(self.recipe["longest"], loaded.max_length), self.recipe["masked"]
        if self.validation:
            MaskedTrainingRows.of(_on_cpu(loaded), self.validation, share, longest)
        return MaskedTrainingRows.of(_on_cpu(loaded), self.train, share, longest, tick)

    def figures(self, loaded: Loaded, tick: Tick, *, final: bool) -> dict[str, float]:
        from nextset.training.evaluation.masked_evaluation import evaluate_masked, pseudo_perplexity

        longest = min(self.recipe["longest"], loaded.max_length)
        figures = evaluate_masked(loaded, self.validation, self.recipe["masked"], longest, tick)
        return figures | (pseudo_perplexity(loaded, self.validation) if final else {})


def _labels_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the NLI labels in ``config``, in the order of the outputs; empty for other kinds of models."""
    try:
        return label_map("", {int(i): str(name) for i, name in config["id2label"].items()}).names
    except (ModelError, LookupError, ValueError, AttributeError, TypeError):
        return ()


def _on_cpu(loaded: Loaded) -> Loaded:
    import torch

    return replace(loaded, device=torch.device("cpu"))


def _budget(loaded: Loaded) -> Any:
    """Return a fixed budget, because memory is shared with the training; it is halved if memory is full."""
    from nextset.scoring.batches import CPU_TOKENS, Budget

    return Budget(CPU_TOKENS if loaded.device.type != "cuda" else 8 * CPU_TOKENS)
