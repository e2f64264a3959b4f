"""The meanings of a released dataset's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.records.column_docs import column_docs
from nextset.records.nli_items import NliItem

__all__ = ["MEANINGS", "Column", "columns_of"]


@dataclass(frozen=True)
class Column:
    """A column of the dataset."""

    name: str
    """Its name."""
    type: str
    """Its Arrow type, without the fields inside."""
    meaning: str
    """Its meaning."""


MEANINGS: Mapping[str, str] = {
    **column_docs(NliItem),
    "fluency": "Mean log probability of a token of the hypothesis, by the model that filled it; may be null.",
    "missed_by": "Filter models that were asked and got it wrong; null for counterfactuals (never filtered).",
    "kept_because": "own: by the rule; with its pair: the rule keeps one that differs by group; may be null.",
    "verdict": "valid, invalid or incoherent, as judged; a counterfactual has its parent's.",
    "stance_judged": "The stance as judged; a counterfactual has the opposite of its parent's.",
    "judge": "people or rule; a counterfactual has its parent's.",
    "n_judgments": "Judgments of the hypothesis; a counterfactual has its parent's.",
    "counterpart_id": "The item with the groups swapped only in the hypothesis; symmetric; may be null.",
}
"""The meaning of each column, by name."""


def columns_of(items: pa.Table) -> tuple[Column, ...]:
    """Return the columns of ``items`` in their order; raises KeyError for one without a meaning here."""
    return tuple(Column(f.name, _type(f.type), MEANINGS[f.name]) for f in items.schema)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return "struct"
    return f"list of {_type(kind.value_type)}" if pa.types.is_list(kind) else str(kind)
