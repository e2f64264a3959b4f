"""The quads whose two subjects have the same number of tokens, or one token each, for each model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.auditing.quads.quad_columns import Lengths, QuadModel
from nextset.auditing.quads.quad_tables import QuadTable
from nextset.forms import FORMS, FormName
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.subjects.subject_tokens import (
    MaskPlace,
    Place,
    candidate_token_counts,
    subject_token_counts,
)

__all__ = ["TokenLengths", "at_mask", "length_columns"]

_KEY = ("subject_class", "template_id")
_SPANS = ("subject1_in_12", "subject2_in_12", "subject1_in_21", "subject2_in_21")

Key = tuple[str, str, str, int]
"""A class, a template, a subject, and the subject's slot in the context: 0 or 1; 0 at a mask."""
Count = Callable[[ModelSource], Sequence[int | None] | None]


def length_columns(form: FormName) -> tuple[str, ...]:
    """Return the columns of questions, or of statements, with the places of their subjects."""
    names = (*_KEY, "subject1", "subject2", "context_12")
    if at_mask(form):
        return (*names, "statement", "candidate1", "candidate2")
    return (*names, "context_21", *_SPANS)


def at_mask(form: FormName) -> bool:
    """Return whether a row of ``form`` writes its subjects at a mask, not only in its context."""
    return "candidate1" in {field.name for field in fields(FORMS[form].record)}


@dataclass(frozen=True)
class _Places:
    """The places of each subject, and the function that counts its tokens there."""

    keys: tuple[Key, ...]
    count: Count


class TokenLengths:
    """The token counts of subjects by the tokenizers of some models; called with quads and a model.

    The two subjects of a quad appear in both slots of its context, and may have different forms there. They
    have the same length if they have it in each slot, or, for statements, at the mask.
    """

    def __init__(self, rows: Iterable[pa.Table], sources: Mapping[str, ModelSource], form: FormName) -> None:
        """Read the `length_columns` of ``rows``; ``sources`` are the models by their published names."""
        self._form = form
        self._places = _mask_places(rows) if at_mask(form) else _context_places(rows)
        self._sources = sources
        self._counts = functools.cache(self._counted)

    def __call__(self, quads: QuadTable, model: QuadModel) -> Lengths | None:
        """Return which quads have subjects with the same number of tokens; None if the lengths are
        unknown."""
        counts = self._counts(model.model)
        if counts is None or quads.columns.form != self._form:
            return None
        c = quads.columns
        equal: Bools = np.ones(c.rows, np.bool_)
        single: Bools = np.ones(c.rows, np.bool_)
        for slot in (0,) if at_mask(self._form) else (0, 1):
            table = np.zeros((len(c.templates), len(c.subjects)), np.int64)
            for i, template in enumerate(c.templates):
                for k, subject in enumerate(c.subjects):
                    length = counts.get((c.subject_class, template, subject, slot))
                    table[i, k] = -1 - k if length is None else length
            one, other = table[c.template, c.subject1], table[c.template, c.subject2]
            equal &= one == other
            single &= (one == 1) & (other == 1)
        return Lengths(equal, single)

    def _counted(self, model: str) -> Mapping[Key, int | None] | None:
        source = self._sources.get(model)
        counts = None if source is None else self._places.count(source)
        return None if counts is None else dict(zip(self._places.keys, counts, strict=True))


def _context_places(rows: Iterable[pa.Table]) -> _Places:
    by_key: dict[Key, Place] = {}
    for piece in rows:
        for column in _SPANS:
            subject, context = column[:8], f"context_{column[-2:]}"
            slot = int(column[-2] != column[7])  # subject1 is first in 12, subject2 in 21
            for key, row in _first_rows(piece, subject, (context, column)):
                span = row[column]
                by_key.setdefault((*key, slot), (row[context], span["start"], span["end"]))
    places = list(by_key.values())
    return _Places(tuple(by_key), lambda source: subject_token_counts(source, places))


def _mask_places(rows: Iterable[pa.Table]) -> _Places:
    by_key: dict[Key, MaskPlace] = {}
    for piece in rows:
        for subject, candidate in (("subject1", "candidate1"), ("subject2", "candidate2")):
            for key, row in _first_rows(piece, subject, ("context_12", "statement", candidate)):
                text = f"{row['context_12']} {row['statement']}"
                by_key.setdefault((*key, 0), (text, row[candidate]))
    places = list(by_key.values())
    return _Places(tuple(by_key), lambda source: candidate_token_counts(source, places))


def _first_rows(
    piece: pa.Table, subject: str, columns: tuple[str, ...]
) -> Iterable[tuple[tuple[str, str, str], dict[str, Any]]]:
    """Return the ``columns`` of the first row for each class, template and ``subject``, with these three as
    its key."""
    names = [*_KEY, subject]
    numbered = piece.select(names).append_column("row", pa.array(np.arange(piece.num_rows)))
    first = numbered.group_by(names).aggregate([("row", "min")])["row_min"]
    taken = piece.select([*names, *columns]).take(pc.cast(first, pa.int64()))
    return [((row[names[0]], row[names[1]], row[subject]), row) for row in taken.to_pylist()]
