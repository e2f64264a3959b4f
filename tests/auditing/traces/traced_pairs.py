"""Counterfactual pairs of items, and the thinking of a model about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.traces.trace_measures import trace_measures
from nextset.auditing.traces.traced_rows import TracedRows, traced_items
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import NliItem
from tests.records import ITEM

__all__ = ["GROUPS", "measured", "pairs_of", "trace", "traced"]

GROUPS = ("women", "men")
"""The group of the stereotype, and its counterpart's."""
_SCHEMA = pa.schema([*arrow_schema(NliItem), pa.field("counterpart_id", pa.string())])


def pairs_of(templates: int, per_template: int = 1, groups: tuple[str, str] = GROUPS) -> pa.Table:
    """Return pairs named pro-T-N and anti-T-N; each template is a cluster."""
    rows: list[dict[str, Any]] = []
    for t in range(templates):
        for n in range(per_template):
            for stance, other, group in (("pro", "anti", groups[0]), ("anti", "pro", groups[1])):
                row = asdict(ITEM) | {
                    "id": f"{stance}-{t}-{n}",
                    "template_id": f"template {t}",
                    "premise": f"Premise {n}.",
                    "hypothesis": f"The {group} are meant by {'very ' * t}much.",
                    "stance_design": stance,
                    "bindings": {
                        "group1": group,
                        "group2": next(g for g in groups if g != group) if len(set(groups)) > 1 else group,
                        "words": [],
                        "fills": [],
                        "writer": None,
                    },
                    "counterpart_id": f"{other}-{t}-{n}",
                    "names_group": True,
                }
                rows.append(row)
    return pa.Table.from_pylist(rows, _SCHEMA)


def traced(items: pa.Table) -> TracedRows:
    """Return the pairs as the measures get them."""
    return traced_items(items, "nli", "released", {})


def trace(item: str, text: str, **more: Any) -> AnswerTrace:
    """Return the thinking about an item."""
    known: dict[str, Any] = {
        "model": "m", "role": "audit", "form": "nli", "input": 0, "wording": 1, "sample": 1, "tokens": None,
        "conclusion": "", "answer": "maybe", "outcome": "",
    }  # fmt: skip
    return AnswerTrace(item_id=item, text=text, **{**known, **more})


def measured(items: pa.Table, traces: Sequence[AnswerTrace]) -> Mapping[tuple[str, str], MeasureRow]:
    """Return the measures of one model by measure and part."""
    rows = trace_measures([table_of(traces, AnswerTrace)], traced(items))
    return {(row.measure, row.part): row for row in rows}
