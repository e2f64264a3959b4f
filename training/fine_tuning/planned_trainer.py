"""transformers' Trainer over planned batches: its loop, precision, processes, checkpoints, evaluation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import (
    PreTrainedModel,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from nextset.errors import ModelError
from nextset.training.fine_tuning.optimisation import Optimisation
from nextset.training.fine_tuning.processes import ALONE, PATIENCE, Processes
from nextset.training.fine_tuning.sealed_checkpoints import SealedCheckpoints
from nextset.training.fine_tuning.step_batches import only_item

__all__ = ["Checks", "PlannedTrainer", "Precision"]

Precision = Literal["float32", "bfloat16", "float16"]
PAUSE = 300.0
"""Seconds between two checkpoints, unless an evaluation comes first; the next logged step makes one."""
NORM = 1.0
"""The maximum norm of the gradients; longer ones are clipped."""
LOGGED = 200
"""The number of losses in the log of a training."""


@dataclass(frozen=True)
class Checks:
    """The evaluations during a training, and the rule for stopping early."""

    every: int
    """Steps between two evaluations."""
    figures: Callable[[PreTrainedModel], dict[str, float]]
    """The function that evaluates the model."""
    best: str
    """The figure that decides which model is the best."""
    greater: bool
    """True if a greater value is better."""
    patience: int = 0
    """Stop after this many evaluations without a better value; 0: never."""

    def exhausted(self, log: Sequence[Mapping[str, float]]) -> bool:
        """Return whether the last ``patience`` evaluations in the ``log`` of a training were not better."""
        values = [row[key] for row in log if (key := f"eval_{self.best}") in row]
        return 0 < self.patience <= _best_ago(values, greater=self.greater)


class PlannedTrainer(Trainer):
    """A training of ``model`` on ``batches``; each item is a part of a step.

    The loss of a part is ``loss(model, item)``. ``groups`` are the groups of parameters for AdamW. Without
    ``checkpoints``, nothing is written.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        batches: Dataset[Any],
        loss: Callable[[Any, Any], torch.Tensor],
        optimisation: Optimisation,
        groups: Sequence[Any],
        *,
        scratch: Path,
        parts: int = 1,
        precision: Precision = "float32",
        checks: Checks | None = None,
        checkpoints: SealedCheckpoints | None = None,
        shared: Processes = ALONE,
        tick: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        saves = checkpoints is not None
        output = checkpoints.folder if checkpoints is not None else scratch
        arguments = _arguments(output, optimisation, parts, precision, checks, saves=saves)
        config, kept = vars(model.config), dict(vars(model.config))
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=batches,
            eval_dataset=batches
            if checks is not None
            else None,  # never read, because this class defines `evaluate`
            optimizers=optimisation.prepared(groups),
            callbacks=[_Flow(checks, saves, tick)],
        )
        config.clear()
        config.update(kept)  # the constructor sets use_cache, which is saved with the model
        self.remove_callback(PrinterCallback)
        self.model_accepts_loss_kwargs = False  # the loss of a part is already a mean over units
        self._loss, self._checks, self._checkpoints, self._shared = loss, checks, checkpoints, shared

    def resume_or_train(self) -> None:
        """Train from the last sealed checkpoint, or from the beginning. Raises ModelError for a bad loss."""
        checkpoint = (
            self._checkpoints.last() if self._checkpoints is not None and self._shared.first else None
        )
        place = self._shared.from_first(None if checkpoint is None else str(checkpoint))
        if not self._is_over(place):
            # The Trainer's constructor has seeded the generators, and nothing has been drawn since.
            self.train(resume_from_checkpoint=place)
        self._take_best()
        self.accelerator.unwrap_model(self.model).eval()

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return the batches in order."""
        batches: Any = self.train_dataset
        loader: DataLoader[Any] = DataLoader(batches, batch_size=1, collate_fn=only_item)
        prepared: DataLoader[Any] = self.accelerator.prepare(loader)
        return prepared

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> torch.Tensor:
        """Return the loss of a part."""
        return self._loss(model, inputs)

    def evaluate(
        self,
        eval_dataset: Any = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> dict[str, float]:
        """Return and log the figures of the current model, which the first process computes."""
        assert self._checks is not None
        model: PreTrainedModel = self.accelerator.unwrap_model(self.model)
        model.eval()  # type: ignore[no-untyped-call]
        with _float32(model):
            metrics = self._shared.from_first(self._checks.figures(model) if self._shared.first else None)
        figures = {f"{metric_key_prefix}_{name}": value for name, value in metrics.items()}
        self.log(dict(figures))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, figures)
        return figures

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self._shared.first and self._checkpoints is not None:
            self._checkpoints.seal(self.state.global_step)

    def _is_over(self, place: str | None) -> bool:
        """Return whether training stopped early at the checkpoint ``place``, and if so, restore its end.

        The Trainer does not remember an early stop, and would continue to train.
        """
        if place is None or self._checks is None:
            return False
        state = TrainerState.load_from_json(str(Path(place) / "trainer_state.json"))
        if not self._checks.exhausted(state.log_history):
            return False
        self.state = state
        self._take(Path(place))
        return True

    def _take_best(self) -> None:
        """Give the model the weights of the best evaluation, if there was one."""
        best = self.state.best_global_step
        if self._checkpoints is not None and best is not None and best != self.state.global_step:
            self._take(self._checkpoints.at(best))

    def _take(self, checkpoint: Path) -> None:
        """Give the model the weights in the folder ``checkpoint``."""
        from safetensors.torch import load_file

        weights = load_file(checkpoint / "model.safetensors")
        self.accelerator.unwrap_model(self.model).load_state_dict(weights, strict=False)

    def log_rows(self) -> list[dict[str, float]]:
        """Return the logged losses with rates, and the logged figures, each with its step."""
        return [dict(row) for row in self.state.log_history]


@contextmanager
def _float32(model: Any) -> Iterator[None]:
    """Let ``model`` compute in float32 in this context, even if accelerate uses a lower precision."""
    own, mixed = vars(model).get("_original_forward"), vars(model).get("forward")
    if own is None:
        yield
        return
    model.forward = own
    try:
        yield
    finally:
        model.forward = mixed


def _arguments(
    output: Path,
    optimisation: Optimisation,
    parts: int,
    precision: Precision,
    checks: Checks | None,
    *,
    saves: bool,
) -> TrainingArguments:
    """Return the Trainer's arguments, without reports and progress bars."""
    every = checks.every if checks is not None else optimisation.steps
    arguments = TrainingArguments(
        output_dir=str(output),
        max_steps=optimisation.steps,
        gradient_accumulation_steps=parts,
        max_grad_norm=NORM,
        bf16=precision == "bfloat16",
        fp16=precision == "float16",
        eval_strategy="steps" if checks is not None else "no",
        eval_steps=every,
        save_strategy="steps" if saves else "no",
        save_steps=every,
        save_total_limit=2,
        metric_for_best_model=checks.best if checks is not None else None,
        greater_is_better=checks.greater if checks is not None else None,
        logging_steps=max(1, optimisation.steps // LOGGED),
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
        log_level="error",
        log_level_replica="error",
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        use_cpu=not torch.cuda.is_available(),
        ddp_timeout=int(PATIENCE.total_seconds()),
    )
    arguments._n_gpu = min(1, arguments.n_gpu)  # with several GPUs, one process would split single inputs
    return arguments


class _Flow(TrainerCallback):
    """Progress, regular checkpoints, early stopping, and an error if the loss is not finite."""

    def __init__(self, checks: Checks | None, saves: bool, tick: Callable[[int, int], None]) -> None:
        self.checks, self.saves, self.tick = checks, saves, tick
        self.saved = time.monotonic()

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: Any
    ) -> None:
        self.tick(state.global_step, state.max_steps)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: Any
    ) -> None:
        self.tick(state.global_step, state.max_steps)
        if self.checks is not None and state.global_step % self.checks.every == 0:
            control.should_log = True  # checkpoints lack the losses since the last log
        if self.saves and args.world_size == 1 and time.monotonic() - self.saved >= PAUSE:
            control.should_save = control.should_save or control.should_log

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: Any
    ) -> None:
        self.saved = time.monotonic()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, float] | None = None,
        **more: Any,
    ) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            raise ModelError(
                f"the loss of step {state.global_step} is not finite",
                remedy="lower the rate, or set precision: float32",
            )

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **more: Any
    ) -> None:
        if self.checks is not None and self.checks.exhausted(state.log_history):
            control.should_training_stop = True


def _best_ago(values: Sequence[float], *, greater: bool) -> int:
    """Return the number of ``values`` after the first best value; 0 without values."""
    if not values:
        return 0
    signed = [value if greater else -value for value in values]
    return len(signed) - 1 - signed.index(max(signed))
