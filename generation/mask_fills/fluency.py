"""The fluency of filled hypotheses, absolute and relative to the plain hypotheses of their stereotype."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

__all__ = ["Fluency", "group_order", "plain_hypotheses", "with_fluency"]

GroupOrder = tuple[str, str, str, str]
"""Language, stereotype, and the two groups in the order of the hypothesis."""


@dataclass(frozen=True)
class Fluency:
    """The fluency of a hypothesis by a language model."""

    sentence: str
    """The hypothesis, filled or plain."""
    fluency: float | None
    """The mean natural log probability per token; null without tokens."""
    tokens: int
    """The number of tokens in the mean."""


def group_order(item: Mapping[str, Any]) -> GroupOrder:
    """Return the key that an item shares with the plain hypotheses that its fill is compared with."""
    bindings = item["bindings"]
    return item["language"], item["stereotype"], bindings["group1"], bindings["group2"]


def plain_hypotheses(items: pa.Table) -> dict[GroupOrder, list[str]]:
    """Return the distinct hypotheses of plain ``items`` by their `group_order`, without controls."""
    columns = ["language", "stereotype", "bindings", "stance_design", "hypothesis"]
    hypotheses: dict[GroupOrder, set[str]] = defaultdict(set)
    for row in items.select(columns).to_pylist():
        if row["stance_design"] != "test" and row["bindings"] is not None:
            hypotheses[group_order(row)].add(row["hypothesis"])
    return {key: sorted(texts) for key, texts in hypotheses.items()}


def with_fluency(items: pa.Table, masked: pa.Table, plain: pa.Table, fluency: pa.Table) -> pa.Table:
    """Return ``items`` with the columns fluency and relative_fluency appended.

    ``fluency`` is a table of Fluency for all hypotheses of ``items`` and ``plain``. relative_fluency is the
    fluency minus the median of the plain hypotheses of the same `group_order`. If there are none, it is the
    fluency minus the median of all fills of the same sentence of ``masked``.
    """
    columns = (fluency["sentence"].to_pylist(), fluency["fluency"].to_pylist())
    fluencies: dict[str, float | None] = dict(zip(*columns, strict=True))
    references = {
        key: _median([fluencies[t] for t in texts]) for key, texts in plain_hypotheses(plain).items()
    }
    sentences = dict(zip(masked["id"].to_pylist(), masked["hypothesis"].to_pylist(), strict=True))
    fills: dict[str, dict[str, float | None]] = defaultdict(dict)
    rows = items.to_pylist()
    for row in rows:
        fills[sentences[row["parent_id"]]][row["hypothesis"]] = fluencies[row["hypothesis"]]
    beside = {sentence: _median(list(values.values())) for sentence, values in fills.items()}
    alone = [fluencies[row["hypothesis"]] for row in rows]
    relative = []
    for row, value in zip(rows, alone, strict=True):
        reference = references.get(group_order(row))
        reference = beside[sentences[row["parent_id"]]] if reference is None else reference
        relative.append(None if value is None or reference is None else value - reference)
    table = items.append_column("fluency", pa.array(alone, pa.float64()))
    return table.append_column("relative_fluency", pa.array(relative, pa.float64()))


def _median(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None
