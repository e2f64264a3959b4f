"""The meanings of a released dataset's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.records.choice_items import ChoiceScore
from nextset.records.class_labels import class_names
from nextset.records.column_docs import column_docs
from nextset.records.nli_items import NliScore
from nextset.records.question_quads import QuadScore
from nextset.release.accompanying_data.annotator_demographics import AnnotatorRow
from nextset.release.accompanying_data.published_figures import PUBLISHED
from nextset.release.accompanying_data.released_judgments import ReleasedJudgment
from nextset.release.counterfactuals.pair_records import PairFinding
from nextset.release.forms.released_form import RELEASED, main_configs
from nextset.release.overlap.overlap_records import ContaminationRow, DuplicateRow
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = ["Column", "columns_of", "meanings_of"]


@dataclass(frozen=True)
class Column:
    """A column of the dataset."""

    name: str
    type: str
    """Its Arrow type, without inner fields; for numbers with names, the names."""
    meaning: str


def meanings_of(config: str) -> Mapping[str, str]:
    """Return the meaning of each column of ``config`` by name; empty for an unknown config."""
    return {
        **{form.config: form.meanings for form in RELEASED},
        "judgments": column_docs(ReleasedJudgment),
        "annotators": column_docs(AnnotatorRow),
        "scores": {**column_docs(ChoiceScore), **column_docs(QuadScore), **column_docs(NliScore)},
        "pairs": column_docs(PairFinding),
        "duplicates": column_docs(DuplicateRow),
        "contamination": column_docs(ContaminationRow),
        "withdrawn": column_docs(WithdrawnRow),
        **{published.config: column_docs(published.record) for published in PUBLISHED},
    }.get(config, {})


def columns_of(items: pa.Table | pa.Schema, config: str = "items") -> tuple[Column, ...]:
    """Return the columns of ``items``, a table or its schema, in their order.

    Raises KeyError if a column of a main config has no meaning here. In other configs, the meaning is empty.
    """
    schema = items.schema if isinstance(items, pa.Table) else items
    meanings, named = meanings_of(config), class_names(schema)
    main = config in main_configs()
    return tuple(
        Column(
            f.name,
            ", ".join(f"{i} {n}" for i, n in enumerate(named[f.name])) if f.name in named else _type(f.type),
            meanings[f.name] if main else meanings.get(f.name, ""),
        )
        for f in schema
    )


def _type(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return "struct"
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type)
    return f"list of {_type(kind.value_type)}" if pa.types.is_list(kind) else str(kind)
