"""The grids of the audit report: rows of the measure table arranged by model, domain or stereotype."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.examples import AuditedModel

__all__ = ["KEPT_BY_RULE", "Cell", "Grid", "Result", "grid", "notes", "results", "survival_grid"]

ALL = "all"
"""The heading of the column with totals."""
KEPT_BY_RULE = "any"
"""The name in a survival table for what the filter's rule keeps, regardless of the model."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value and the number of items that it is based on."""

    value: float | None
    """A fraction; None if it is undefined."""
    n: int
    """The number of items."""
    low: float | None = None
    """The lower end of the 95 % interval, if there is one."""
    high: float | None = None
    """The upper end of the 95 % interval, if there is one."""
    note: str | None = None
    """The note on the value."""


@dataclass(frozen=True, slots=True)
class Result:
    """A model and its measures."""

    model: AuditedModel
    """The model."""
    plain: Mapping[str, Cell]
    """Its measures on the plain expansion, by name."""
    new: Mapping[str, Cell]
    """Its measures on the released dataset, by name."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A measure in two directions: by model and by part of the items."""

    columns: tuple[str, ...]
    """The columns' headings."""
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    """Each row's heading and its cells, one per column."""


def results(models: Sequence[AuditedModel], plain: pa.Table, new: pa.Table) -> list[Result]:
    """Return each model with its measures, from a table of `MeasureRow` over everything."""
    before, after = _cells(plain), _cells(new)
    return [Result(m, before.get(m.model, {}), after.get(m.model, {})) for m in models]


def grid(table: pa.Table, measure: str) -> Grid:
    """Return one measure of a table with parts: one row per part, one column per model."""
    rows = [r for r in table.to_pylist() if r["measure"] == measure]
    models = tuple(dict.fromkeys(r["model"] for r in rows))
    found = {(r["model"], r["part"]): Cell(r["value"], r["n"]) for r in rows}
    parts = dict.fromkeys(r["part"] for r in rows)
    return Grid(models, tuple((part, tuple(found[m, part] for m in models)) for part in parts))


def notes(table: pa.Table, name: str) -> list[str]:
    """Return the notes on a table's values, each listed once with its models and measures."""
    models: dict[tuple[str, str], list[str]] = {}
    for row in table.to_pylist():
        if row["note"] and not row["note"].startswith("undefined"):
            models.setdefault((row["note"], row["measure"]), []).append(row["model"])
    measures: dict[tuple[str, str], list[str]] = {}
    every = len(set(table["model"].to_pylist()))
    for (note, measure), named in models.items():
        who = "all models" if len(named) == every > 1 else ", ".join(named)
        measures.setdefault((note, who), []).append(measure.replace("_", " "))
    return [f"{name}, {who}, {', '.join(what)}: {note}." for (note, who), what in measures.items()]


def survival_grid(survival: pa.Table) -> Grid:
    """Return the share of candidates that each model gets wrong: one row per model, one column per domain.

    ``survival`` has the columns domain, model, candidates, survived; the parts of a domain are added
    up, and the last column adds up the domains. The last row shows what the rule kept.
    """
    candidates: Counter[tuple[str, str]] = Counter()
    survived: Counter[tuple[str, str]] = Counter()
    for row in survival.to_pylist():
        for domain in (row["domain"], ALL):
            candidates[row["model"], domain] += row["candidates"]
            survived[row["model"], domain] += row["survived"]
    domains = (*sorted({domain for _, domain in candidates} - {ALL}), ALL)
    models = sorted({model for model, _ in candidates}, key=lambda m: (m == KEPT_BY_RULE, m))
    return Grid(
        domains,
        tuple((m, tuple(_share(survived[m, d], candidates[m, d]) for d in domains)) for m in models),
    )


def _share(part: int, whole: int) -> Cell:
    return Cell(part / whole if whole else None, whole)


def _cells(table: pa.Table) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    for row in table.to_pylist():
        cell = Cell(row["value"], row["n"], row["low"], row["high"], row["note"])
        found.setdefault(row["model"], {})[row["measure"]] = cell
    return found
