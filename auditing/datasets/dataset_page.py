"""The page of an audit without a study, and the rows that its explorer shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.datasets.audited_dataset import KINDS, AuditedDataset
from nextset.auditing.report.audit_page import render
from nextset.auditing.report.explorer_payload import selected
from nextset.auditing.report.item_payload import item_payload
from nextset.auditing.report.quad_payload import quad_payload
from nextset.auditing.report.report_data import ReportData
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.records.question_quads import MaskedStatement, QuestionQuad
from nextset.scoring.scorer_protocol import Form

__all__ = ["dataset_page", "explorer_rows"]

_RECORDS: Mapping[Form, type] = {"nli": NliItem, "question": QuestionQuad, "statement": MaskedStatement}
_RELEASED = ("verdict", "stance_judged", "counterpart_id", "unit_id")


def dataset_page(name: str, number: str, tables: AuditTables, explorer: Mapping[str, Any] | None) -> bytes:
    """Return the page on the dataset ``name``, of version ``number``, which is empty for predictions."""
    data = ReportData(
        title=f"{name} {number}".strip(),
        dataset_name=name,
        dataset_version=number,
        dataset_path="",
        audit=tables,
        explorer=explorer,
        versions=tuple((library, version(library)) for library in ("nextset", "transformers", "torch")),
    )
    return render(data).encode()


def explorer_rows(
    dataset: AuditedDataset, form: Form, scores: Iterable[pa.Table], judgments: pa.Table | None
) -> Mapping[str, Any]:
    """Return the explorer's rows: the first ones by id, at most as many as an explorer takes.

    ``judgments`` has the columns unit_id and verdict; only how often each verdict was given is shown.
    """
    of_rows: Form = "nli" if form == "qa" else form
    known = list(dataset.tables(of_rows, ("id",), ("counterpart_id",)))
    total = sum(table.num_rows for table in known)
    chosen = selected(pa.concat_tables(known, promote_options="default"))["id"].combine_chunks()
    columns = arrow_schema(_RECORDS[of_rows]).names
    tables = dataset.tables(of_rows, columns, _RELEASED)
    parts = [table.filter(pc.is_in(table["id"], value_set=chosen)) for table in tables]
    rows = pa.concat_tables(parts, promote_options="default")
    votes: dict[str, Counter[str]] = {}
    for row in judgments.to_pylist() if judgments is not None else ():
        votes.setdefault(row["unit_id"], Counter())[row["verdict"]] += 1
    own = (piece.filter(pc.is_in(piece["item_id"], value_set=chosen)) for piece in scores)
    payload = item_payload if KINDS[form] == "items" else quad_payload
    return {**payload(rows, own, votes), "total": total}
