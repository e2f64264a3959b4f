"""How fluent a model finds each filled hypothesis, so that people can sort out the incoherent ones first."""

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
    """The mean log probability of a token, natural logarithm: at most 0; null where there is no token."""
    tokens: int
    """The tokens that the mean is over."""


def with_fluency(items: pa.Table, fluency: pa.Table) -> pa.Table:
    """``items`` with a column fluency behind the others; ``fluency`` is a table of Fluency."""
    columns = (fluency["sentence"].to_pylist(), fluency["fluency"].to_pylist())
    found = dict(zip(*columns, strict=True))
    return items.append_column(
        "fluency", pa.array([found[h] for h in items["hypothesis"].to_pylist()], pa.float64())
    )
