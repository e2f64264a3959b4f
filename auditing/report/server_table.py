"""The table of the models behind servers: the answers and tokens of each stage, and their cost."""

from __future__ import annotations

from nextset.auditing.report.number_table import Column, NumberTable
from nextset.pipeline.server_costs import ServerCosts, money

__all__ = ["server_table"]

_COLUMNS = (
    Column("Model"),
    Column("Stage"),
    Column("Answers", "count"),
    Column("Tokens read", "count"),
    Column("Tokens written", "count"),
    Column("Cost"),
)


def server_table(costs: ServerCosts) -> NumberTable | None:
    """Return one row per model and stage, then the warnings about changed models; None without answers."""
    if not costs.rows:
        return None
    rows = tuple(
        (row.model, row.stage, row.answers, row.read, row.written, money(row.cost)) for row in costs.rows
    )
    caption = "Answers of models behind servers, with their cost at the prices in study.yaml"
    return NumberTable("servers", "; ".join((caption, *costs.warnings)), _COLUMNS, rows)
