"""A section of a report: figures, folded figures, and tables without a figure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.auditing.report.figure import Figure
from nextset.auditing.report.number_table import NumberTable

__all__ = ["PageSection", "script_json"]


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of the page."""

    name: str
    """Its name in links."""
    title: str
    """Its heading."""
    figures: tuple[Figure, ...] = ()
    """Figures that are shown."""
    more: tuple[Figure, ...] = ()
    """Figures that are folded."""
    tables: tuple[NumberTable, ...] = ()
    """Tables without a figure, folded."""

    def without(self, first: Figure | None) -> PageSection:
        """Return the section without the figure ``first``, which the page shows at its top."""
        figures = tuple(f for f in self.figures if f is not first)
        return PageSection(self.name, self.title, figures, self.more, self.tables)


def script_json(value: Sequence[object]) -> str:
    """Return JSON that can be the content of a script element: it holds no tag and no comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
