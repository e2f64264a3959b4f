"""The words of findings: values with their intervals, and the model that findings are about."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.report.number_table import Estimate, shown

__all__ = ["ROLES", "ends_text", "of_headline_model", "per_cent", "points", "with_ends"]

ROLES = {"held_out": "Held-out model ", "audit": "", "filter": "Filter model "}
"""The words before the name of a model, by its role."""


def of_headline_model(rows: Sequence[MeasureRow]) -> dict[str, MeasureRow]:
    """Return the measures of the model that findings are about; empty if no value is defined.

    It is a held-out model if there is one, else a model that only the audit names.
    """
    alone = all(r.items == "dataset" for r in rows)  # an audit of a dataset is about the models that it names
    order = {"held_out": 1 if alone else 0, "audit": 0 if alone else 1, "filter": 2}
    known = [r for r in rows if r.value is not None]
    if not known:
        return {}
    first = min(known, key=lambda r: (order.get(r.role, 3), -(r.measure == "mu") * (r.value or 0.0), r.model))
    return {r.measure: r for r in rows if r.model == first.model}


def with_ends(found: Estimate, unit: str = "per_cent") -> str:
    """Return a value with its interval in brackets."""
    if unit == "fraction":
        value = shown(found.value, "fraction")
        ends = [shown(v, "fraction") for v in (found.low, found.high) if v is not None]
    else:
        value = per_cent(found.value)
        ends = [points(v) for v in (found.low, found.high) if v is not None]
    return f"{value} [{ends[0]},\N{NO-BREAK SPACE}{ends[1]}]" if len(ends) == 2 else f"{value} (no interval)"


def per_cent(value: float | None) -> str:
    """Return a fraction in per cent."""
    return f"{shown(value, 'per_cent')} %"


def ends_text(low: float, high: float) -> str:
    """Return an interval in brackets."""
    return f"[{points(low)},\N{NO-BREAK SPACE}{points(high)}]"


def points(value: float) -> str:
    """Return a fraction in per cent, without the sign."""
    return shown(value, "per_cent")
