"""The checkpoint of a training: weights, the optimiser's state and the losses so far, in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.errors import InputError
from nextset.extensions.interventions.tuning.tuning_records import StepLoss
from nextset.files.atomic_files import write_atomically
from nextset.files.regular_file import require_file

if TYPE_CHECKING:
    import torch

__all__ = ["TuningCheckpoint"]

PAUSE = 30.0
"""Seconds between two checkpoints."""
MOMENTS = ("exp_avg", "exp_avg_sq")
"""The state of AdamW for each parameter, in addition to its number of steps."""


@dataclass(frozen=True)
class TuningCheckpoint:
    """A safetensors file that belongs to only one training.

    Its name identifies the training, and its digest includes the name, so that the state of a different
    training is never used.
    """

    file: Path
    """The file; it need not exist."""
    pause: float = PAUSE
    """Seconds between two checkpoints."""

    def save(self, model: Any, optimiser: torch.optim.Optimizer, losses: Sequence[StepLoss]) -> None:
        """Write the state after the last of ``losses`` to disk, before this returns."""
        from safetensors.torch import save

        tensors = {}
        for name, parameter in model.named_parameters():
            tensors[f"weight/{name}"] = parameter.detach().cpu().contiguous()
            for moment in MOMENTS:
                if moment in optimiser.state.get(parameter, {}):
                    tensors[f"{moment}/{name}"] = optimiser.state[parameter][moment].cpu().contiguous()
        written = json.dumps([asdict(loss) for loss in losses]).encode()
        write_atomically(self.file, self._sealed(written + b"\n" + save(tensors)))

    def restore(self, model: Any, optimiser: torch.optim.Optimizer) -> list[StepLoss]:
        """Set the saved state, and return the losses of the steps until then.

        Without a file, or with a damaged file or the file of a different training, nothing is changed and no
        losses are returned. Raises InputError if the path is not a regular file.
        """
        import torch
        from safetensors.torch import load

        if not self.file.exists():
            return []
        require_file(self.file, InputError)
        raw = self._opened(self.file.read_bytes())
        if raw is None:
            return []
        written, _, tensors = raw.partition(b"\n")
        losses = [StepLoss(**loss) for loss in json.loads(written)]
        state = load(tensors)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(state[f"weight/{name}"])
                moments = {m: state[f"{m}/{name}"] for m in MOMENTS if f"{m}/{name}" in state}
                if moments:
                    moved = {m: value.to(parameter.device) for m, value in moments.items()}
                    optimiser.state[parameter] = {"step": torch.tensor(float(len(losses))), **moved}
        return losses

    def _sealed(self, raw: bytes) -> bytes:
        return self._digest(raw) + b"\n" + raw

    def _opened(self, raw: bytes) -> bytes | None:
        """Return the sealed content, or None if it was changed."""
        digest, _, rest = raw.partition(b"\n")
        return rest if digest == self._digest(rest) else None

    def _digest(self, raw: bytes) -> bytes:
        return hashlib.sha256(self.file.stem.encode() + b"\n" + raw).hexdigest().encode()
