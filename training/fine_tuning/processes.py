"""The processes of one training: one process, or those that torchrun, accelerate or Ray Train started."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["ALONE", "PATIENCE", "Processes", "processes", "require_accelerate"]


PATIENCE = timedelta(days=1)
"""The longest time that processes wait for the process that reads, evaluates or writes."""


@dataclass(frozen=True)
class Processes:
    """The processes that train together."""

    rank: int
    """The number of this process, from 0."""
    count: int

    @property
    def first(self) -> bool:
        """True if this process reads, writes and reports for all."""
        return self.rank == 0

    def from_first(self, value: Any) -> Any:
        """Return the first process's ``value`` in every process; each waits until all have called this."""
        if self.count == 1:
            return value
        from accelerate.utils import broadcast_object_list

        held = [value]
        broadcast_object_list(held, from_process=0)
        return held[0]


ALONE = Processes(0, 1)
"""One process."""


def require_accelerate() -> None:
    """Raise DependencyMissing if accelerate, which the Trainer needs, is not installed."""
    try:
        import accelerate  # noqa: F401
    except ModuleNotFoundError:
        raise DependencyMissing(
            "training needs accelerate, which is not installed", remedy="pip install 'nextset[train]'"
        ) from None


def processes() -> Processes:
    """Connect and return the processes of this training. Raises DependencyMissing without accelerate."""
    require_accelerate()
    import accelerate

    if int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        return ALONE
    import torch

    state = accelerate.PartialState(cpu=not torch.cuda.is_available(), timeout=PATIENCE)
    return Processes(state.process_index, state.num_processes)
