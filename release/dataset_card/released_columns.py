"""The meanings of a released dataset's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from nextset.records.class_labels import class_names
from nextset.records.column_docs import column_docs
from nextset.records.nli_items import NliItem, NliScore
from nextset.records.question_quads import MaskedStatement, QuadScore, QuestionQuad
from nextset.release.accompanying_data.annotator_demographics import AnnotatorRow
from nextset.release.accompanying_data.published_figures import PUBLISHED
from nextset.release.accompanying_data.released_judgments import ReleasedJudgment
from nextset.release.counterfactuals.pair_records import PairFinding
from nextset.release.overlap.overlap_records import ContaminationRow, DuplicateRow
from nextset.release.source_rows import KINDS
from nextset.release.versions.withdrawal import WithdrawnRow

__all__ = ["MEANINGS", "Column", "columns_of", "meanings_of"]


@dataclass(frozen=True)
class Column:
    """A column of the dataset."""

    name: str
    """Its name."""
    type: str
    """Its Arrow type, without inner fields; for numbers with names, the names."""
    meaning: str
    """Its meaning."""


_VERSION: Mapping[str, str] = {
    "unit_id": "The unit that was judged; its judgments are the rows of the config judgments with this id.",
    "canary": "The canary GUID of the card, the same in every row.",
}

MEANINGS: Mapping[str, str] = {
    **column_docs(NliItem),
    "fluency": "Mean log probability of the hypothesis's tokens, by a language model; may be null.",
    "relative_fluency": "Fluency minus the median of the stereotype's plain hypotheses; may be null.",
    "fill_marks": "Doubts about the fill, such as another meaning; null for counterfactuals.",
    "missed_by": "Filter models that got the item wrong; null for counterfactuals (never filtered).",
    "kept_because": "own: the rule keeps it; with its pair: it keeps one that differs by group; may be null.",
    "verdict": "valid, invalid or incoherent; null if no one judged; a counterfactual has its parent's.",
    "stance_judged": "The stance as judged; a counterfactual has the opposite of its parent's.",
    "judge": "people; null if no one judged; a counterfactual has its parent's.",
    "n_judgments": "Number of judgments of the hypothesis; a counterfactual has its parent's.",
    "form_ok": "Whether the rule finds the form ok (judge: rule); a counterfactual has its parent's.",
    "counterpart_id": "The item with the groups swapped only in the hypothesis; symmetric; may be null.",
    "counterfactual_set": "Shared by an item and all of its counterfactuals; null if there are none.",
    **_VERSION,
}
"""The meaning of each column of the config items, by name."""

_QUAD: Mapping[str, str] = {
    "found_by": "Filter models that, each by itself, would make the rule keep the quad.",
    "kept_because": "own: the rule keeps it; may be null.",
    "verdict": "valid, invalid or incoherent, as judged.",
    "stance_judged": "The stance as judged; null for quads, which have none.",
    "judge": "people; null if no one judged.",
    "n_judgments": "Number of judgments of the quad.",
    "counterpart_id": "The quad with the groups swapped; symmetric; may be null.",
    "counterfactual_set": MEANINGS["counterfactual_set"],
    **_VERSION,
}


def meanings_of(config: str) -> Mapping[str, str]:
    """Return the meaning of each column of ``config`` by name; empty for an unknown config."""
    return {
        "items": MEANINGS,
        "questions": {**column_docs(QuestionQuad), **_QUAD},
        "statements": {**column_docs(MaskedStatement), **_QUAD},
        "judgments": column_docs(ReleasedJudgment),
        "annotators": column_docs(AnnotatorRow),
        "scores": {**column_docs(QuadScore), **column_docs(NliScore)},
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
    main = config in KINDS
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
