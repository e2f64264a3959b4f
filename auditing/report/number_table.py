"""Tables of numbers on the page, which its reader can save as CSV, LaTeX and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Cell", "Column", "Estimate", "NumberTable", "Row", "Unit", "estimate_text", "shown", "table_json"]

Unit = Literal["text", "count", "per_cent", "fraction", "rank", "p", "ratio", "mixed"]
"""The unit of a column: per_cent shows a fraction times 100; a ratio is not a fraction of 1; p and rank have
no interval; in a mixed column, each value has its own unit."""


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
    """The value's unit, if its column holds several; None for the column's unit."""


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
    """The unit of its cells."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A table of the page."""

    name: str
    """Its name, and the name of the files that a reader saves: lower-case letters, digits and hyphens."""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    """The rows, one cell per column."""

    @property
    def heading(self) -> str:
        """The caption, with the unit of the values if the table has any."""
        units = {
            _unit(cell, column) for row in self.rows for cell, column in zip(row, self.columns, strict=True)
        }
        if {"per_cent", "fraction"} <= units:
            return f"{self.caption}; items in per cent, quads as fractions of 1"
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
    """Return a value followed by its interval in brackets, if it has one; a mean rank is followed by its
    deviation."""
    unit = estimate.unit or unit
    value = shown(estimate.value, unit)
    if estimate.low is None or estimate.high is None:
        return value
    if unit == "rank":
        return f"{value} ± {shown((estimate.high - estimate.low) / 2, unit)}"
    return f"{value} [{_end(estimate.low, unit)}, {_end(estimate.high, unit)}]"


def _end(value: float, unit: Unit) -> str:
    """Return an end of an interval as text; an end below 0 keeps its sign, to show whether the interval
    contains 0."""
    text = shown(value, unit)
    return f"−{text}" if value < 0 and not text.startswith("−") else text


def table_json(tables: Sequence[NumberTable]) -> list[dict[str, Any]]:
    """Return the data that the page's scripts need to save ``tables`` as CSV: names, columns and unrounded
    values.

    A column's name says if its values are fractions, since the page shows some of them in per cent.
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
