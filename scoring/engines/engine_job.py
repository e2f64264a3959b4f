"""What the engines need of a job: two steps, so that the next one is read while a model works."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from nextset.artifacts.build import PartResult

__all__ = ["EngineJob"]


@runtime_checkable
class EngineJob(Protocol):
    """The maker of a part that asks one model; calling it makes the part."""

    @property
    def model(self) -> Any:
        """The model, with its source and its device; equal ones are loaded once."""
        ...

    @property
    def earlier(self) -> tuple[Any, ...]:
        """Models that are asked before it, in a cascade."""
        ...

    def moved(self, device: str) -> EngineJob:
        """The same job on another device."""
        ...

    def prepare(self) -> Any:
        """Read the rows; does not ask the model."""
        ...

    def finish(self, prepared: Any) -> PartResult:
        """Ask the model about what was read."""
        ...

    def __call__(self) -> PartResult:
        """Both steps."""
        ...
