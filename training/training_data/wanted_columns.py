"""The columns of a table that examples are made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nextset.errors import InputError
from nextset.files.similar_column import similar_column

__all__ = ["wanted_columns"]

_USUAL = {
    "sentence1": "premise", "text1": "premise", "sentence2": "hypothesis", "text2": "hypothesis",
    "goldlabel": "label", "gold": "label", "passage": "context", "paragraph": "context", "query": "question",
    "sentence": "text", "document": "text", "content": "text",
}  # fmt: skip
"""Names in other datasets, in lower case without separators, with nextset's names."""
_NEEDED = {
    "answers": "a reader needs id, question, context and answers",
    "hypothesis": "a classifier of pairs needs premise, hypothesis and label",
    "text": "a masked language model needs a column of texts",
}
"""The columns of each task, by a column that no other task has."""


def wanted_columns(
    there: Collection[str], wanted: Collection[str], given: Mapping[str, str], place: str
) -> dict[str, str]:
    """Return the table's name of each column in ``wanted``: the ``given`` name, or nextset's.

    ``there`` are the table's columns, and ``place`` is its path or name. Raises InputError for a missing
    column, with the column that is probably meant.
    """
    columns = {name: given.get(name, name) for name in wanted}
    for name, theirs in columns.items():
        if theirs in there:
            continue
        near = next((x for x in there if similar_column(x, [theirs], _USUAL) is not None), None)
        listed = ", ".join(there)[:200] or "none"
        remedy = f"name different data, or {_written(name, 'COLUMN')}, with one of {listed}"
        if near is not None:
            remedy = f"did you mean {near!r}? Then {_written(name, near)}"
        needed = next(text for column, text in _NEEDED.items() if column in wanted)
        raise InputError(f"there is no column {theirs!r}: {needed}", file=place, line=1, remedy=remedy)
    return columns


def _written(name: str, column: str) -> str:
    """Return the text for naming a column in training.yaml and on the command line."""
    return (
        f"write columns: {{{name}: {column}}} in training.yaml (--column {name}={column} on the command line)"
    )
