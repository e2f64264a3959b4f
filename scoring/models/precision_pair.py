"""A model in the study's precision, and the same model in float32 for scores near a decision."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource

if TYPE_CHECKING:
    from nextset.scoring.asking import Asking

__all__ = ["PrecisionPair"]


@dataclass(frozen=True)
class PrecisionPair:
    """One model, loaded once or twice."""

    quick: Loaded
    """The model in the study's precision."""
    exact: Callable[[], Loaded]
    """A function that returns the model in float32: ``quick`` in that precision, else loaded on first use."""

    @classmethod
    def load(
        cls, source: ModelSource, auto_class: str, asking: Asking, device: str | None = None
    ) -> PrecisionPair:
        """Load ``source`` with ``auto_class``; raises ModelError like `load`."""
        remote = asking.model.remote_code
        precision = asking.scoring.precision
        quick = load(source, auto_class, precision=precision, device=device, remote_code=remote)
        if precision == "float32":
            return cls(quick, lambda: quick)
        return cls(
            quick, functools.cache(lambda: load(source, auto_class, device=device, remote_code=remote))
        )
