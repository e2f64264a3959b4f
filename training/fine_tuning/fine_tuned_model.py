"""The training of one model: from the base model and the data to its weights, losses and figures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nextset.artifacts.progress_callback import Progress
from nextset.scoring.models.disk_errors import disk_errors
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import locate
from nextset.training.fine_tuning.batch_plan import planned_batches, steps_of
from nextset.training.fine_tuning.optimisation import Optimisation, parameter_groups
from nextset.training.fine_tuning.processes import Processes
from nextset.training.fine_tuning.reproducible_torch import reproducible
from nextset.training.fine_tuning.sealed_checkpoints import SealedCheckpoints
from nextset.training.fine_tuning.starting_model import Start
from nextset.training.fine_tuning.task_training import TaskTraining
from nextset.training.fine_tuning.training_records import TrainingFigure, TrainingLoss, TrainingRun

__all__ = ["FineTuned", "FineTuning"]


@dataclass(frozen=True)
class FineTuned:
    """A trained model."""

    files: Mapping[str, bytes]
    """The files of its folder: configuration, weights and tokenizer."""
    losses: tuple[TrainingLoss, ...]
    """The losses of its training."""
    figures: tuple[TrainingFigure, ...]
    """Its figures on the validation data; empty without validation data."""
    run: TrainingRun
    """The facts of its training."""
    inputs: int
    """The number of inputs made from the examples."""
    left_out: Mapping[str, int]
    """The number of examples without an input, by reason."""


@dataclass(frozen=True)
class FineTuning:
    """A training that can be run."""

    start: Start
    """The model that training starts from."""
    task: TaskTraining
    """The task with its data."""
    recipe: Mapping[str, Any]
    """The settings with the defaults of the task."""
    checkpoints: SealedCheckpoints
    """The checkpoints that it resumes from."""
    shared: Processes
    """The processes that train together."""

    def run(self, progress: Progress) -> FineTuned:
        """Train the model. Raises ModelError, and InputError if no example is left."""
        import torch

        with reproducible(self.recipe["seed"]):
            loaded = self.start.loaded(self.task, self.recipe["seed"], self._device())
            examples = self.task.examples(loaded, progress("read"))
            with disk_errors(self.checkpoints.folder):
                trained = self._trained(loaded, examples, progress)
            made = self._saved(loaded, trained, progress)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return replace(made, inputs=len(examples.lengths), left_out=examples.left_out)

    def _device(self) -> str:
        import torch

        return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"

    @property
    def _precision(self) -> Any:
        import torch

        written = self.recipe["precision"]
        if written != "auto":
            return written
        if not torch.cuda.is_available():
            return "float32"
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"

    def _trained(self, loaded: Loaded, examples: Any, progress: Progress) -> Any:
        from nextset.training.fine_tuning.planned_trainer import Checks, PlannedTrainer
        from nextset.training.fine_tuning.step_batches import SHARE, StepBatches

        recipe, tick = self.recipe, progress("train")
        size = min(recipe["batch"], len(examples.lengths))
        steps = steps_of(len(examples.lengths), size, recipe["epochs"])
        plan = planned_batches(examples.lengths, size, steps, recipe["seed"])
        parts = self.shared.count * recipe["parts"]
        checks = None
        if "validation" in self.task.counts:
            checks = Checks(
                every=recipe["evaluate_every"] or steps_of(len(examples.lengths), size, 1),
                figures=lambda model: self.task.figures(
                    replace(loaded, model=model), lambda done, total: None, final=False
                ),
                best=self.task.best,
                greater=self.task.greater,
                patience=recipe["patience"],
            )

        def loss(model: Any, inputs: dict[str, Any]) -> Any:
            share = inputs.pop(SHARE)[0]
            return examples.loss(model, inputs) * share

        with tempfile.TemporaryDirectory() as scratch:
            trainer = PlannedTrainer(
                loaded.model,
                StepBatches(examples, plan, parts, recipe["seed"]),
                loss,
                Optimisation(steps, recipe["rate"], recipe["warm_up"]),
                parameter_groups(loaded.model, recipe["weight_decay"]),
                scratch=Path(scratch),
                parts=recipe["parts"],
                precision=self._precision,
                checks=checks,
                checkpoints=self.checkpoints,
                shared=self.shared,
                tick=tick,
            )
            trainer.resume_or_train()
        return trainer

    def _saved(self, loaded: Loaded, trainer: Any, progress: Progress) -> FineTuned:
        """Return the trained model. The first process evaluates it in the way a study asks models."""
        per_epoch = steps_of(
            len(trainer.train_dataset.examples.lengths),
            max(map(len, trainer.train_dataset.plan)),
            1,
        )
        rows = trainer.log_rows()
        losses = tuple(
            TrainingLoss(
                step=row["step"],
                epoch=row["step"] / per_epoch,
                loss=row["loss"],
                rate=row["learning_rate"],
            )
            for row in rows
            if "loss" in row
        )
        best = trainer.state.best_global_step or trainer.state.global_step
        figures = [figure for row in rows for figure in _during(row)]
        with tempfile.TemporaryDirectory() as scratch, disk_errors(Path(scratch)):
            loaded.model.save_pretrained(scratch, max_shard_size="1TB")
            loaded.tokenizer.save_pretrained(scratch)
            if self.shared.first and "validation" in self.task.counts:
                after = self._after(loaded, Path(scratch), progress)
                figures += [
                    TrainingFigure(step=best, when="after", figure=name, value=value)
                    for name, value in after.items()
                ]
            files = {p.name: p.read_bytes() for p in sorted(Path(scratch).iterdir()) if p.is_file()}
        return FineTuned(files, losses, tuple(figures), self._run(loaded, trainer, best), 0, {})

    def _after(self, loaded: Loaded, folder: Path, progress: Progress) -> dict[str, float]:
        source = locate(str(folder))
        saved = load(source, self.task.auto_class, device=str(loaded.device))
        return self.task.figures(replace(saved, name=self.start.label), progress("evaluate"), final=True)

    def _run(self, loaded: Loaded, trainer: Any, best: int) -> TrainingRun:
        import torch

        libraries = ("nextset", "transformers", "torch", "accelerate")
        return TrainingRun(
            base=self.start.label,
            base_digest=self.start.digest,
            architecture=type(loaded.model).__name__,
            parameters=loaded.model.num_parameters(),
            steps=trainer.state.global_step,
            planned_steps=trainer.state.max_steps,
            best_step=best,
            longest=min(self.recipe["longest"], loaded.max_length),
            no_answer=self.task.no_answer,
            device=torch.cuda.get_device_name(loaded.device) if loaded.device.type == "cuda" else "cpu",
            precision=self._precision,
            processes=self.shared.count,
            versions=", ".join(f"{name} {version(name)}" for name in libraries),
        )


def _during(row: Mapping[str, float]) -> list[TrainingFigure]:
    return [
        TrainingFigure(step=int(row["step"]), when="during", figure=name.removeprefix("eval_"), value=value)
        for name, value in sorted(row.items())  # a log that was read from a checkpoint is sorted
        if name.startswith("eval_")
    ]
