"""The fluency of filled hypotheses by a model, so that annotators can see incoherent ones first or last."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

__all__ = ["Fluency", "with_fluency"]


@dataclass(frozen=True)
class Fluency:
    """The pseudo-log-likelihood of a filled hypothesis, by the model that filled it."""

    sentence: str
    """The hypothesis."""
    fluency: float | None
    """The mean log probability of a token, natural logarithm: at most 0; null if there is no token."""
    tokens: int
    """The number of tokens in the mean."""


def with_fluency(items: pa.Table, fluency: pa.Table) -> pa.Table:
    """Return ``items`` with the column fluency appended; ``fluency`` is a table of Fluency."""
    columns = (fluency["sentence"].to_pylist(), fluency["fluency"].to_pylist())
    found = dict(zip(*columns, strict=True))
    return items.append_column(
        "fluency", pa.array([found[h] for h in items["hypothesis"].to_pylist()], pa.float64())
    )
