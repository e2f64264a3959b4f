"""A figure of the report: a picture, how to read it, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.auditing.report.number_table import NumberTable
from nextset.html.text_width import shortened

__all__ = ["Figure", "short_names"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its numbers."""

    reading: str
    """Its caption: how to read it, in one or two sentences."""
    svg: str
    """The picture as markup."""
    table: NumberTable
    """Its numbers; the name of the table is the name of the figure."""


def short_names(models: Sequence[str], most: int) -> dict[str, str]:
    """Return a short name for each model, of about ``most`` characters; no two models share a name."""
    short: dict[str, str] = {}
    for model in models:
        name = shortened(model.rpartition("/")[2].removeprefix("builtin:") or model, most)
        others = sum(name == other.partition(" #")[0] for other in short.values())
        short[model] = f"{name} #{others + 1}" if others else name
    return short
