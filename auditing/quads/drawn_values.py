"""The values of groupings and measures in all rows of the bootstrap's weights, combined from portions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nextset.array_types import Floats
from nextset.auditing.quads.chance import RaisedValues, TemplateChance, joined

__all__ = ["DrawnValues"]


@dataclass
class DrawnValues:
    """The values of each grouping and measure, portion by portion of the rows of weights."""

    portions: dict[tuple[str, str], list[Floats]] = field(default_factory=dict)
    """Arrays whose last axis is the rows of weights, by grouping and measure."""
    of_template: dict[tuple[str, int], list[Floats]] = field(default_factory=dict)
    """The values of each measure and template, portion by portion."""
    chances: dict[tuple[str, int], TemplateChance] = field(default_factory=dict)
    """How chance raises μ and η of each template."""

    def chance(self, name: str, template: int) -> TemplateChance:
        """Return how chance raises a measure of one template, to which portions are added."""
        return self.chances.setdefault((name, template), TemplateChance())

    def raised_of_templates(self, name: str) -> RaisedValues:
        """Return how much chance raises a measure of each template."""
        places = sorted(t for measure, t in self.chances if measure == name)
        return joined([self.chances[name, t].values() for t in places])

    def add(self, by: str, name: str, values: Floats, template: int | None = None) -> None:
        """Add a portion of the values of a measure, for all parts of a grouping or for one template."""
        if template is None:
            self.portions.setdefault((by, name), []).append(values)
        else:
            self.of_template.setdefault((name, template), []).append(values)

    def add_all(self, by: str, name: str, parts: Sequence[Floats]) -> None:
        """Add the values of all parts of a grouping; add nothing if it has no parts."""
        if parts:
            self.add(by, name, np.array(parts))

    def stacked(self, by: str, name: str) -> Floats:
        """Return all rows, as the first axis. This works only once, since the portions are discarded."""
        if by == "template":
            places = sorted(t for measure, t in self.of_template if measure == name)
            return np.column_stack([np.concatenate(self.of_template[name, t]) for t in places])
        joined: Floats = np.concatenate(self.portions.pop((by, name)), axis=-1)
        return np.moveaxis(joined, -1, 0)
