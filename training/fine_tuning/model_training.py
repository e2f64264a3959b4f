"""The command `nextset train`: a model is trained as training.yaml says, into a folder for studies."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.artifacts.artifact import Artifact, Recipe, is_current, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import InputError
from nextset.files.atomic_files import write_atomically
from nextset.files.folder_lock import locked_folder
from nextset.files.yaml_reader import read_yaml
from nextset.records.arrow_schema import table_of
from nextset.scoring.models.sources import locate
from nextset.study.model_key import model_key
from nextset.study.model_labels import is_local_model, model_folder
from nextset.study.training_settings import TrainingFile, read_training
from nextset.training.fine_tuning.fine_tuned_card import fine_tuned_card
from nextset.training.fine_tuning.fine_tuned_model import FineTuned, FineTuning
from nextset.training.fine_tuning.processes import Processes, processes
from nextset.training.fine_tuning.sealed_checkpoints import SealedCheckpoints
from nextset.training.fine_tuning.starting_model import PretrainedStart, Start, UntrainedStart
from nextset.training.fine_tuning.task_training import task_training
from nextset.training.fine_tuning.training_page import training_page
from nextset.training.fine_tuning.training_records import (
    TrainingCount,
    TrainingData,
    TrainingFigure,
    TrainingLoss,
    TrainingRun,
)
from nextset.training.training_data.data_source import DataSource, find_file, find_source

__all__ = ["train_model"]

CARD = "README.md"
PAGE = "training.html"
_VERSION = 2
"""Raised if the same training gives other weights."""


def train_model(file: Path | str, progress: Progress = SILENT) -> Artifact:
    """Train the model of the training.yaml ``file``, and return its folder as an artifact.

    The folder has the model, its card README.md, the page training.html, and the tables losses, figures,
    data, counts and run. A stopped training resumes from its last checkpoint, and the same training gives the
    same weights on one machine. In several processes (torchrun, accelerate, Ray Train) each calls this.
    Raises InputError with file, line and remedy, ModelError, and DependencyMissing without accelerate.
    """
    path = Path(file)
    if path.is_dir():
        path = path / "training.yaml"
    shared = processes()
    job = _Job(path, read_training(path), shared)
    job.check_place()
    if not shared.first:
        if shared.from_first(None):
            job.trained(SILENT)
        shared.from_first(None)
        return open_artifact(job.folder)
    with locked_folder(job.checkpoints, "train"):
        artifact = job.finished() or job.rebuilt(progress)
        if not job.began:
            shared.from_first(False)
        if not (job.folder / CARD).is_file():
            write_atomically(job.folder / CARD, job.card(artifact).encode())
        shutil.rmtree(job.checkpoints, ignore_errors=True)
    shared.from_first(None)
    return artifact


@dataclass
class _Job:
    """The training of one file."""

    file: Path
    settings: TrainingFile
    shared: Processes
    began: bool = False
    """Whether the other processes were told to train."""

    @property
    def folder(self) -> Path:
        """The folder of the trained model."""
        name = self.settings.output or f"{self.file.stem}-model"
        return self.file.resolve().parent / name

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints, which exists only while the training is not finished."""
        return self.folder.with_name(f"{self.folder.name}.checkpoints")

    def finished(self) -> Artifact | None:
        """Return the trained model if it is there and whole; other files next to it are the user's."""
        if not is_current(self.folder, self.recipe):
            return None
        artifact = open_artifact(self.folder)
        return None if artifact.damaged(deep=True) else artifact

    def rebuilt(self, progress: Progress) -> Artifact:
        """Train the model, or what is damaged of it; a card that was edited stays as it is."""
        card = self.folder / CARD
        edited = card.read_bytes() if is_current(self.folder, self.recipe) and card.is_file() else None
        card.unlink(missing_ok=True)
        artifact = build(self.folder, self.recipe, lambda: self.parts(progress))
        if edited is not None:
            write_atomically(card, edited)
        return artifact

    def check_place(self) -> None:
        """Raise InputError if a folder that is not a trained model is in the place of the output."""
        if not re.fullmatch(r"[^\W_][\w .+()-]{0,95}", self.folder.name):
            raise self._wrong("output", f"{self.folder.name!a} cannot be a model's name", "choose a name")
        if self.folder.exists() and not (self.folder / "manifest.json").is_file():
            raise InputError(
                f"{self.folder} exists, and is not a model that `nextset train` made",
                remedy="write another folder as output",
                file=self.file,
            )

    @functools.cached_property
    def start(self) -> Start:
        """The model that training begins with; its published name is never a path."""
        base, name = self.file.resolve().parent, self.settings.model
        if name is None:
            assert self.settings.architecture is not None
            written = self.settings.word_vectors
            vectors = find_file(base / written, ("word_vectors",)) if written else None
            return UntrainedStart(self.settings.architecture, vectors)
        with model_key(self.file, "model"):
            source = locate(name, base)
        label = model_folder(name, base).resolve().name if is_local_model(name, base) else name
        return PretrainedStart(source, label)

    @functools.cached_property
    def sources(self) -> Mapping[str, list[DataSource]]:
        """The sources of each split."""
        splits = {"train": self.settings.train, "validation": self.settings.validation}
        folder = self.file.resolve().parent
        return {
            split: [
                find_source(written, folder / written, (split, i)) for i, written in enumerate(written_all)
            ]
            for split, written_all in splits.items()
        }

    @functools.cached_property
    def recipe(self) -> Recipe:
        """What decides the model. Devices and processes do not: a model is not made again for another one."""
        inputs = {
            f"{split} {i}": source.digest
            for split, sources in self.sources.items()
            for i, source in enumerate(sources)
        }
        return Recipe("train", _VERSION, inputs, self.settings.recipe, self.start.identities)

    def trained(self, progress: Progress) -> FineTuned:
        """Train the model, or resume its training, with the other processes."""
        task = task_training(self.settings, self.sources["train"], self.sources["validation"])
        self.counts = task.counts
        place = self.checkpoints / self.recipe.key
        return FineTuning(
            self.start,
            task,
            self.settings.recipe,
            SealedCheckpoints(place, self.recipe.key),
            self.shared,
        ).run(progress)

    def parts(self, progress: Progress) -> list[Part | FilePart]:
        """Return the tables and files of the model's folder; trains it."""
        self.began = True
        self.shared.from_first(True)
        made = self.trained(progress)
        data = [
            TrainingData(split=split, source=source.name, digest=source.digest)  # type: ignore[arg-type]
            for split, sources in self.sources.items()
            for source in sources
        ]
        counts = [
            TrainingCount(split=split, what=what, count=n)  # type: ignore[arg-type]
            for split, counted in self.counts.items()
            for what, n in (*counted.items(), *([("inputs", made.inputs)] if split == "train" else []))
        ]
        tables: Sequence[tuple[str, Sequence[object], type]] = (
            ("losses", made.losses, TrainingLoss),
            ("figures", made.figures, TrainingFigure),
            ("data", data, TrainingData),
            ("counts", counts, TrainingCount),
            ("run", [made.run], TrainingRun),
        )
        page = training_page(self.folder.name, self.settings, made)
        return [
            *(Part(name, functools.partial(_table, rows, record)) for name, rows, record in tables),
            *(FilePart(name, functools.partial(bytes, raw)) for name, raw in made.files.items()),
            FilePart(PAGE, lambda: page),
        ]

    def card(self, artifact: Artifact) -> str:
        """Return the model's card."""
        return fine_tuned_card(
            self.folder.name,
            self.settings,
            TrainingRun(**artifact.table("run").to_pylist()[0]),
            [TrainingData(**row) for row in artifact.table("data").to_pylist()],
            [TrainingCount(**row) for row in artifact.table("counts").to_pylist()],
            [TrainingFigure(**row) for row in artifact.table("figures").to_pylist()],
            self.settings.canaries or self.start.canaries(self.settings.task),
        )

    def _wrong(self, key: str, problem: str, remedy: str) -> InputError:
        line = read_yaml(self.file, InputError).line((key,))
        return InputError(f"{key}: {problem}", file=self.file, line=line, remedy=remedy)


def _table(rows: Sequence[object], record: type) -> PartResult:
    return PartResult(table_of(rows, record))
