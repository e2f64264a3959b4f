"""The interface of a job for engines: two steps, so that the next job is read while a model works."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from nextset.artifacts.build import PartResult

__all__ = ["EngineJob"]


@runtime_checkable
class EngineJob(Protocol):
    """A function that asks one model and returns the part with its answers."""

    @property
    def model(self) -> Any:
        """The model, with its source and its device; equal models are loaded once."""
        ...

    @property
    def earlier(self) -> tuple[Any, ...]:
        """The models that are asked before it in a cascade."""
        ...

    def moved(self, device: str) -> EngineJob:
        """Return the same job on a different device."""
        ...

    def prepare(self) -> Any:
        """Read and encode the rows, without asking the model."""
        ...

    def finish(self, prepared: Any) -> PartResult:
        """Ask the model about the prepared rows, and return the part."""
        ...

    def __call__(self) -> PartResult:
        """Run both steps and return the part."""
        ...
