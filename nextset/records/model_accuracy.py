"""The accuracy of a model before and after the filter."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Accuracy"]


@dataclass(frozen=True)
class Accuracy:
    """A model's accuracy on each set."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    plain: float | None
    """Share of right labels on the plain expansion, in [0, 1]; None if it is undefined."""
    new: float | None
    """The share of right labels on the released dataset; None if it is undefined."""
