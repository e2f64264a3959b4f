"""The page of an audit without a study, and the rows that its explorer shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_page import render
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.datasets.audited_dataset import KINDS, AuditedDataset, Judge
from nextset.auditing.report.explorer_payload import named_scores, selected, votes_by_unit
from nextset.auditing.report.report_data import ReportData
from nextset.forms import FORMS, FormName
from nextset.records.arrow_schema import arrow_schema
from nextset.study.stereotype_sentences import by_name, with_sentences

__all__ = ["dataset_page", "explorer_rows"]

_RELEASED = ("verdict", "stance_judged", "counterpart_id", "unit_id")


def dataset_page(
    name: str, number: str, judge: Judge | None, tables: AuditTables, explorer: Mapping[str, Any] | None
) -> bytes:
    """Return the page on version ``number`` of the dataset ``name``; ``number`` is empty for predictions.

    ``judge`` says who judged the rows: people, or a rule, which checks only their form; None if it is
    unknown.
    """
    data = ReportData(
        title=f"{name} {number}".strip(),
        dataset_name=name,
        dataset_version=number,
        dataset_path="",
        audit=tables,
        judge=judge,
        explorer=explorer,
        versions=tuple((library, version(library)) for library in ("nextset", "transformers", "torch")),
    )
    return render(data).encode()


def explorer_rows(
    dataset: AuditedDataset, scores: Mapping[FormName, Iterable[pa.Table]], judgments: pa.Table | None
) -> Mapping[str, Any] | None:
    """Return the explorer's rows: the first ones by id, up to the largest number that the explorer holds.

    ``scores`` are the scores of every form that was asked; without scores the result is None. NLI items have
    the answers in both forms; questions and masked statements are separate rows. If a dataset has rows of
    several kinds, only those of the first are shown, and a note says so. ``judgments`` has the columns
    unit_id and verdict; only the counts of each verdict are shown.
    """
    if not scores:
        return None
    first = AUDIT_FORMS[next(form for form in AUDIT_FORMS.names if form in scores)]
    shown = {form: pieces for form, pieces in scores.items() if AUDIT_FORMS[form].kind == first.kind}
    forms = tuple(dict.fromkeys(FORMS[form].rows_of for form in shown))
    known = [table for form in forms for table in dataset.tables(form, ("id",), ("counterpart_id",))]
    total = sum(table.num_rows for table in known)
    chosen = selected(pa.concat_tables(known, promote_options="default"))["id"].combine_chunks()
    parts = [
        table.filter(pc.is_in(table["id"], value_set=chosen))
        for form in forms
        for table in dataset.tables(form, arrow_schema(FORMS[form].record).names, _RELEASED)
    ]
    rows = pa.concat_tables(parts, promote_options="default")
    if first.states_stereotypes and dataset.stereotypes:
        rows = with_sentences(rows, by_name(dataset.stereotypes))
    own = (
        named_scores(piece.filter(pc.is_in(piece["item_id"], value_set=chosen)), form)
        for form, pieces in shown.items()
        for piece in pieces
    )
    payload = AUDIT_FORMS[forms[0]].payload(rows, own, votes_by_unit(judgments))
    left = dict.fromkeys(KINDS[form] for form in scores if form not in shown)
    others = " and ".join(left)
    only = " and ".join(dict.fromkeys(KINDS[form] for form in forms))
    note = f"The dataset also has {others}, but the explorer shows only its {only}." if left else ""
    return {**payload, "total": total, "note": note}
