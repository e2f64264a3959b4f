"""The fine-tuning of an extractive reader, with checkpoints to resume a stopped training from.

The random choices of a step, including dropout, depend only on the seed and the step's number, so a training
that resumes from a checkpoint ends with the same weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from nextset.errors import ModelError
from nextset.extensions.interventions.intervention import Kind
from nextset.extensions.interventions.settings.tuning_settings import TuningSettings
from nextset.extensions.interventions.tuning.tuning_checkpoint import TuningCheckpoint
from nextset.extensions.interventions.tuning.tuning_examples import TuningExamples, TuningStep
from nextset.extensions.interventions.tuning.tuning_loss import (
    Aim,
    divergence,
    first_share,
    targets,
    twin_loss,
)
from nextset.extensions.interventions.tuning.tuning_records import StepLoss
from nextset.scoring.answers.span_ends import end_logs
from nextset.scoring.batches import padded
from nextset.scoring.models.loading import Loaded
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer, subject_logs
from nextset.scoring.subjects.quad_bias import ASKED
from nextset.scoring.subjects.quad_scores import question_inputs

if TYPE_CHECKING:
    import torch

__all__ = ["ReaderTuning", "subject_shares"]

ROWS = 8
"""The number of quads, with four questions each, that are read at once; limits the memory for gradients."""
WARM_UP = 0.1
"""The share of the steps with a rising learning rate."""
NORM = 1.0
"""The maximum norm of the gradients; longer ones are clipped."""


@dataclass(frozen=True)
class ReaderTuning:
    """A reader that is trained in place."""

    scorer: SpanScorer
    """The reader, in float32."""
    examples: TuningExamples
    """The examples that it reads."""
    settings: TuningSettings
    """The study's settings."""
    checkpoint: TuningCheckpoint
    """The checkpoint of its state."""

    def run(self, tick: Callable[[int], None] = lambda step: None) -> list[StepLoss]:
        """Train the reader, and return the loss of each step.

        ``tick`` gets the number of each finished step. Raises ModelError if a loss is not finite.
        """
        import torch

        model = self.loaded.model
        model.requires_grad_(requires_grad=True)
        optimiser = torch.optim.AdamW(model.parameters(), lr=self.settings.rate, weight_decay=0.01)
        losses = self.checkpoint.restore(model, optimiser)
        saved = time.monotonic()
        for number in range(len(losses) + 1, self.settings.steps + 1):
            for group in optimiser.param_groups:
                group["lr"] = self.settings.rate * _warmth(number, self.settings.steps)
            losses.append(self._step(number, optimiser))
            if time.monotonic() - saved >= self.checkpoint.pause and number < self.settings.steps:
                self.checkpoint.save(model, optimiser, losses)
                saved = time.monotonic()
            tick(number)
        model.eval()
        return losses

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        return self.scorer.precisions.quick

    def _step(self, number: int, optimiser: torch.optim.Optimizer) -> StepLoss:
        import torch

        random = Random(f"tuning/{self.settings.seed}/{number}")
        torch.manual_seed(random.getrandbits(63))
        self.loaded.model.train()
        optimiser.zero_grad()
        weights = self.settings.loss_weights.model_dump()
        kinds = cast("list[Kind]", [k for k in ("ethical", "adversarial", "irrelevant") if weights[k]])
        step = self.examples.step(random, kinds, twins=bool(weights["twins"]))
        losses = self._backward(step, weights)
        if not all(map(math.isfinite, losses.values())):
            raise ModelError(
                f"{self.loaded.name}: the loss of step {number} is not finite",
                remedy="lower interventions.tuning.rate",
            )
        torch.nn.utils.clip_grad_norm_(self.loaded.model.parameters(), NORM)
        optimiser.step()
        return StepLoss(
            step=number,
            ethical=losses.get("ethical"),
            adversarial=losses.get("adversarial"),
            irrelevant=losses.get("irrelevant"),
            twins=losses.get("twins"),
        )

    def _backward(self, step: TuningStep, weights: Mapping[str, float]) -> dict[str, float]:
        """Add the gradients of all parts of the loss, and return the parts."""
        import torch

        losses: dict[str, float] = {}

        def add(part: str, loss: torch.Tensor, share: float) -> None:
            (weights[part] * share * loss).backward()  # type: ignore[no-untyped-call]
            losses[part] = losses.get(part, 0.0) + share * float(loss.detach())

        for told in step.told:
            before = torch.from_numpy(told.before).to(self.loaded.device)
            aim = self._aim(told.kind)
            for chunk in _slices(told.rows.num_rows):
                logs = first_share(self._logs(told.rows.take(pa.array(chunk))))
                add(told.kind, divergence(targets(before[chunk], aim), logs), len(chunk) / told.rows.num_rows)
        for chunk in _slices(step.twins.num_rows):
            add(
                "twins",
                twin_loss(self._logs(step.twins.take(pa.array(chunk)))),
                len(chunk) / step.twins.num_rows,
            )
        return losses

    def _aim(self, kind: Kind) -> Aim:
        if kind == "ethical":
            return "equal"
        return "stronger" if kind == "adversarial" and self.settings.adversarial == "follow" else "unchanged"

    def _logs(self, rows: pa.Table) -> torch.Tensor:
        """Return log S of both subjects, shape (rows, 4, 2), with gradients."""
        encoded = self.scorer.encoded(question_inputs(rows))
        ends = end_logs(self.loaded, padded(self.loaded, [e.encoding for e in encoded]))
        logs: Any = subject_logs(ends, encoded)
        by_quad: torch.Tensor = logs.view(rows.num_rows, len(ASKED), 2)
        return by_quad


def subject_shares(scorer: SpanScorer, quads: pa.Table) -> Any:
    """Return the first subject's share for each of the four ways to ask ``quads``: (quads, 4), float64."""
    encoded = scorer.encoded(question_inputs(quads))
    scores = scorer.scores(encoded)[:, :2].reshape(quads.num_rows, len(ASKED), 2)
    return scores[..., 0] / scores.sum(-1)


def _warmth(step: int, steps: int) -> float:
    """Return the learning rate of a step as a share of the highest rate."""
    warm = max(1, round(WARM_UP * steps))
    return min(step / warm, (steps - step + 1) / max(1, steps - warm + 1))


def _slices(n: int) -> list[Sequence[int]]:
    return [range(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]
