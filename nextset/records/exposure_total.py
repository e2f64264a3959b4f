"""Counts of a domain's items that annotators read, which validation writes and a release publishes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExposureTotal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureTotal:
    """The exposure of all annotators to a domain, without names."""

    domain: str | None
    """The domain; null for all domains together."""
    people: int
    """The number of people who read items of this domain."""
    items: int
    """The number of items that they read; an item counts once for each person who read it."""
    fewest: int
    """The fewest items that one of these people read."""
    median: float
    """The median over these people."""
    most: int
    """The most items that one of these people read."""
    declined: int
    """The number of times that a person declined an item."""
