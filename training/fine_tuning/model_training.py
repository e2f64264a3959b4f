"""The command `nextset train`: a model is trained as training.yaml says, in a folder for studies."""

from __future__ import annotations

import functools
import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nextset.artifacts.artifact import Artifact, Recipe, intact, is_current, open_artifact
from nextset.artifacts.build import FilePart, Part, PartResult, build
from nextset.artifacts.manifest import MANIFEST, read_manifest, write_manifest
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import DamagedShard, InputError, MissingStage, examples
from nextset.files.atomic_files import write_atomically
from nextset.files.folder_lock import locked_folder
from nextset.files.yaml_reader import read_yaml
from nextset.records.arrow_schema import table_of
from nextset.scoring.models.sources import locate
from nextset.study.model_key import model_key
from nextset.study.model_labels import hub_repository, is_local_model, model_folder
from nextset.study.training_settings import TrainingFile, read_training
from nextset.training.fine_tuning.fine_tuned_card import fine_tuned_card
from nextset.training.fine_tuning.fine_tuned_model import FineTuned, FineTuning
from nextset.training.fine_tuning.kept_card import signed_card, update_card
from nextset.training.fine_tuning.processes import Processes, processes
from nextset.training.fine_tuning.recipe_changes import recipe_changes
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

_LOG = logging.getLogger(__name__)
CARD = "README.md"
PAGE = "training.html"
_VERSION = 3
"""Must be raised if the same training gives different weights or tables."""
_NOTES = {".lock", ".held-by.json"}
"""The files of a folder's lock."""
_OWN = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{16}\.tmp")
"""The names of a training's folder (its recipe's key), and of a file that a killed process was writing."""


def train_model(file: Path | str, progress: Progress = SILENT) -> Artifact:
    """Train the model of the training.yaml ``file``, and return its folder as an artifact.

    A stopped training resumes from its last checkpoint, and the same training gives the same weights on one
    machine. With several processes (torchrun, accelerate, Ray Train), each process calls this function.

    Raises InputError for wrong settings and data, and if the folder has a model of a different training, or a
    changed file; ModelError; and DependencyMissing without accelerate.
    """
    path = Path(file)
    if path.is_dir():
        path = path / "training.yaml"
    shared = processes()
    job = _Job(path, read_training(path), shared)
    job.check_place()
    job.check_checkpoints()
    if not shared.first:
        if shared.from_first(None):
            job.trained(SILENT)
        shared.from_first(None)
        return open_artifact(job.folder)
    with locked_folder(job.checkpoints, "train"):
        job.check_place()  # another process may have finished in the meantime
        artifact = job.artifact(progress)
        if not job.began:
            shared.from_first(False)
        update_card(job.folder / CARD, job.card(artifact))
        job.remove_checkpoints()
    shared.from_first(None)
    return artifact


@dataclass
class _Job:
    """The training of one file."""

    file: Path
    settings: TrainingFile
    shared: Processes
    began: bool = False
    """True if the other processes have started to train."""

    @property
    def folder(self) -> Path:
        """The folder of the trained model."""
        name = self.settings.output or f"{self.file.stem}-model"
        return model_folder(name, self.file.resolve().parent)

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints, with a subfolder for each unfinished training of this output."""
        return self.folder.with_name(f"{self.folder.name}.checkpoints")

    @property
    def place(self) -> Path:
        """The folder of this training's checkpoints."""
        return self.checkpoints / self.recipe.key

    def artifact(self, progress: Progress) -> Artifact:
        """Return the trained model: the existing one, with missing files recreated, or a new one."""
        if not self.folder.exists():
            made = self._made(progress)
            write_atomically(made.folder / CARD, signed_card(self.card(made)))
            made.folder.rename(self.folder)
            return replace(made, folder=self.folder)
        existing = open_artifact(self.folder)
        if not (damaged := existing.damaged(deep=True)):
            return existing
        if changed := [name for name in damaged if (self.folder / name).exists()]:
            raise InputError(
                f"files in {self.folder} were changed after training: {examples(changed)}",
                remedy="restore the files, or delete them and run this again to recreate them",
                file=self.file,
            )
        made = self._made(progress)
        for shard in made.shards:
            if not intact(self.folder / shard.file, shard.sha256):
                write_atomically(self.folder / shard.file, (made.folder / shard.file).read_bytes())
        write_manifest(self.folder, read_manifest(made.folder))
        return replace(open_artifact(self.folder), built="repaired", remade=damaged)

    def _made(self, progress: Progress) -> Artifact:
        """Return the trained model in the folder of the checkpoints; it stays there until it is complete."""
        model = self.place / "model"
        try:
            if is_current(model, self.recipe) and not (made := open_artifact(model)).damaged(deep=True):
                return replace(made, built="resumed")
        except DamagedShard:
            pass
        shutil.rmtree(model, ignore_errors=True)
        parts = self.parts(progress)
        return build(model, self.recipe, lambda: parts)

    def remove_checkpoints(self) -> None:
        """Remove the checkpoints of this training; checkpoints of other recipes stay."""
        shutil.rmtree(self.place, ignore_errors=True)
        if {path.name for path in self.checkpoints.iterdir()} <= _NOTES:
            shutil.rmtree(self.checkpoints, ignore_errors=True)

    def check_checkpoints(self) -> None:
        """Raise InputError if the place of the checkpoints has anything that no training made."""
        place = self.checkpoints
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            others = [place.name]
        else:
            names = [path.name for path in place.iterdir()] if place.exists() else []
            others = [name for name in sorted(names) if name not in _NOTES and not _OWN.fullmatch(name)]
        if others:
            raise InputError(
                f"{place} has files that `nextset train` did not make: {examples(others)}",
                remedy="move them elsewhere, or set a different output",
                file=self.file,
            )

    def check_place(self) -> None:
        """Raise InputError if the place of the output has anything except a model of this training."""
        if not re.fullmatch(r"[^\W_][\w .+()-]{0,95}", self.folder.name):
            raise self._wrong(
                "output", f"{self.folder.name!a} cannot be the name of a model", "choose a different name"
            )
        if not self.folder.exists() and not self.folder.is_symlink():
            return
        try:
            manifest = read_manifest(self.folder)
        except DamagedShard:
            raise InputError(
                f"{self.folder / MANIFEST} is damaged: it does not say which training made the model",
                remedy="restore the file, set a different output, or delete the folder",
                file=self.file,
            ) from None
        except (MissingStage, NotADirectoryError):
            manifest = None
        if manifest is None or manifest.recipe.get("stage") != self.recipe.stage:
            raise InputError(
                f"{self.folder} exists and is not a model that `nextset train` made",
                remedy="set a different output",
                file=self.file,
            )
        if manifest.key != self.recipe.key:
            changes = examples(recipe_changes(manifest.recipe, self.recipe.as_json()))
            raise InputError(
                f"{self.folder} holds a model of a different training (changes: {changes})",
                remedy="set a different output, or delete the folder",
                file=self.file,
            )

    @functools.cached_property
    def start(self) -> Start:
        """The model that training starts from; its published name is never a path."""
        base, name = self.file.resolve().parent, self.settings.model
        if name is None:
            assert self.settings.architecture is not None
            written = self.settings.word_vectors
            vectors = self._source(written, "word_vectors") if written else None
            return UntrainedStart(self.settings.architecture, vectors)
        with model_key(self.file, "model"):
            source = locate(name, base)
        label = model_folder(name, base).resolve().name if is_local_model(name, base) else name
        return PretrainedStart(source, label, hub_repository(name, base))

    @functools.cached_property
    def sources(self) -> Mapping[str, list[DataSource]]:
        """The sources of each split."""
        splits = {"train": self.settings.train, "validation": self.settings.validation}
        return {
            split: [self._source(written, split, i) for i, written in enumerate(written_all)]
            for split, written_all in splits.items()
        }

    def _source(self, written: str, *key: str | int) -> DataSource:
        line = read_yaml(self.file, InputError).line(key)
        path = self.file.resolve().parent / written
        if key == ("word_vectors",):  # the Hub has no such files
            return find_file(written, path, self.file, line)
        return find_source(written, path, self.file, line)

    @functools.cached_property
    def recipe(self) -> Recipe:
        """The facts that decide the model, without devices and processes, so that these can change."""
        inputs = {
            f"{split} {i}": source.digest
            for split, sources in self.sources.items()
            for i, source in enumerate(sources)
        }
        return Recipe("train", _VERSION, inputs, self.settings.recipe, self.start.identities)

    def trained(self, progress: Progress) -> FineTuned:
        """Train the model, or resume its training, with the other processes."""
        trained_on = {source.digest for source in self.sources["train"]}
        for source in self.sources["validation"]:
            if source.digest in trained_on:
                _LOG.warning(
                    "%s: %s is validation and training data, so its figures say nothing about other texts",
                    self.file,
                    source.name,
                )
        task = task_training(self.settings, self.sources["train"], self.sources["validation"])
        self.counts, self.faulty = task.counts, task.faulty
        return FineTuning(
            self.start,
            task,
            self.settings.recipe,
            SealedCheckpoints(self.place, self.recipe.key),
            self.shared,
        ).run(progress)

    def parts(self, progress: Progress) -> list[Part | FilePart]:
        """Train the model, and return the tables and files of its folder."""
        self.began = True
        self.shared.from_first(True)
        made = self.trained(progress)
        data = [
            TrainingData(split=split, source=source.name, digest=source.digest)  # type: ignore[arg-type]
            for split, sources in self.sources.items()
            for source in sources
        ]
        read = {**made.left_out, "inputs": made.inputs}
        counts = [
            TrainingCount(
                split=split,  # type: ignore[arg-type]
                what=what,
                count=n,
                first_ids=examples(self.faulty.get(what, ())) if split == "train" else "",
            )
            for split, counted in self.counts.items()
            for what, n in {**counted, **(read if split == "train" else {})}.items()
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
        """Return the model's card, with the current name of its base model."""
        run = TrainingRun(**artifact.table("run").to_pylist()[0])
        return fine_tuned_card(
            self.folder.name,
            self.settings,
            replace(run, base=self.start.label),
            [TrainingData(**row) for row in artifact.table("data").to_pylist()],
            [TrainingCount(**row) for row in artifact.table("counts").to_pylist()],
            [TrainingFigure(**row) for row in artifact.table("figures").to_pylist()],
            self.settings.canaries or self.start.canaries(self.settings.task),
            self.start.repository,
        )

    def _wrong(self, key: str, problem: str, remedy: str) -> InputError:
        line = read_yaml(self.file, InputError).line((key,))
        return InputError(f"{key}: {problem}", file=self.file, line=line, remedy=remedy)


def _table(rows: Sequence[object], record: type) -> PartResult:
    return PartResult(table_of(rows, record))
