"""Tables of numbers on the page, which its reader can save as CSV, LaTeX and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Cell", "Column", "Estimate", "NumberTable", "Row", "Unit", "estimate_text", "shown", "table_json"]

Unit = Literal["text", "count", "per_cent", "fraction", "rank", "p", "ratio", "mixed"]
"""How a column is shown: per_cent shows a fraction times 100; a ratio is not a fraction
of 1; p and rank have no interval; of a column mixed, each value says its unit."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float | None
    """The value; None if it is undefined."""
    low: float | None = None
    """The lower end of the interval; None if there is none."""
    high: float | None = None
    """The upper end; None if there is none."""
    unit: Unit | None = None
    """How it is shown, if its column holds several units; None: as its column says."""


Cell = str | int | Estimate | None
"""Text, a number of rows, or a value with its interval; None is an empty cell."""

Row = tuple[Cell, ...]
"""A row of a table."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    """Its heading."""
    unit: Unit = "text"
    """How its cells are shown."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A table of the page."""

    name: str
    """Its name, also of the files that a reader saves: lower-case letters, digits and hyphens."""
    caption: str
    """Its caption."""
    columns: tuple[Column, ...]
    """The columns."""
    rows: tuple[Row, ...]
    """The rows, one cell per column."""

    @property
    def heading(self) -> str:
        """The caption with the unit of the values, which every table with values names."""
        units = {
            _unit(cell, column) for row in self.rows for cell, column in zip(row, self.columns, strict=True)
        }
        if {"per_cent", "fraction"} <= units:
            return f"{self.caption}; of items in per cent, of quads as fractions of 1"
        if "per_cent" in units and "per cent" not in self.caption:
            return f"{self.caption}, in per cent"
        return f"{self.caption}, as fractions of 1" if "fraction" in units else self.caption


def _unit(cell: Cell, column: Column) -> Unit | None:
    return (cell.unit or column.unit) if isinstance(cell, Estimate) else None


def shown(value: float | None, unit: Unit) -> str:
    """Return a number as text with a true minus sign; a dash if it is undefined."""
    if value is None:
        return "–"
    if unit == "p" and value < 0.001:
        return "< 0.001"
    digits = {"per_cent": 1, "rank": 1, "ratio": 2}.get(unit, 3)
    text = f"{100 * value if unit == 'per_cent' else value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def estimate_text(estimate: Estimate, unit: Unit) -> str:
    """Return a value followed by its interval in brackets, if it has one; a mean rank by its deviation."""
    unit = estimate.unit or unit
    value = shown(estimate.value, unit)
    if estimate.low is None or estimate.high is None:
        return value
    if unit == "rank":
        return f"{value} ± {shown((estimate.high - estimate.low) / 2, unit)}"
    return f"{value} [{_end(estimate.low, unit)}, {_end(estimate.high, unit)}]"


def _end(value: float, unit: Unit) -> str:
    """An end of an interval; one below 0 keeps its sign, so that it is seen whether 0 lies inside."""
    text = shown(value, unit)
    return f"−{text}" if value < 0 and not text.startswith("−") else text


def table_json(tables: Sequence[NumberTable]) -> list[dict[str, Any]]:
    """Return what the page's scripts need to save ``tables`` as CSV: names, columns and unrounded values.

    A heading says that its values are fractions: the page shows some of them in per cent.
    """
    return [
        {
            "name": table.name,
            "columns": [{"name": _csv_name(c), "unit": c.unit} for c in table.columns],
            "rows": [[_plain(cell) for cell in row] for row in table.rows],
        }
        for table in tables
    ]


def _csv_name(column: Column) -> str:
    return f"{column.name} (fraction)" if column.unit in ("per_cent", "fraction", "mixed") else column.name


def _plain(cell: Cell) -> Any:
    return [cell.value, cell.low, cell.high] if isinstance(cell, Estimate) else cell
