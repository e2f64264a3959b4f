"""Which quads have two subjects with equally many tokens, for each model."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.quads.quad_columns import Bools, QuadModel
from nextset.auditing.quads.quad_tables import QuadTable
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.subjects.subject_tokens import Place, subject_token_counts

__all__ = ["PLACES", "TokenLengths"]

PLACES = (
    "subject_class", "template_id", "subject1", "subject2", "context_12", "context_21",
    "subject1_in_12", "subject2_in_21",
)  # fmt: skip
"""The columns of questions that say where the subjects stand when they come first."""

Key = tuple[str, str, str]
"""A class, a template and a subject."""


class TokenLengths:
    """The token counts of subjects by the tokenizers of some models; called with quads and a model."""

    def __init__(self, questions: Iterable[pa.Table], sources: Mapping[str, ModelSource]) -> None:
        """Read the columns `PLACES` of ``questions``; ``sources`` are the models by their published names."""
        self._places = _places(questions)
        self._sources = sources
        self._counts = functools.cache(self._counted)

    def __call__(self, quads: QuadTable, model: QuadModel) -> Bools | None:
        """Return whether the subjects of each quad have equally many tokens; None if nobody knows."""
        counts = self._counts(model.model)
        if counts is None or quads.columns.form != "question":
            return None
        c = quads.columns
        table = np.zeros((len(c.templates), len(c.subjects)), np.int64)
        for i, template in enumerate(c.templates):
            for k, subject in enumerate(c.subjects):
                table[i, k] = counts.get((c.subject_class, template, subject), -1 - k)
        equal: Bools = table[c.template, c.subject1] == table[c.template, c.subject2]
        return equal

    def _counted(self, model: str) -> Mapping[Key, int] | None:
        source = self._sources.get(model)
        counts = None if source is None else subject_token_counts(source, list(self._places.values()))
        return None if counts is None else dict(zip(self._places, counts, strict=True))


def _places(questions: Iterable[pa.Table]) -> dict[Key, Place]:
    found: dict[Key, Place] = {}
    for piece in questions:
        for subject, context, span in (
            ("subject1", "context_12", "subject1_in_12"),
            ("subject2", "context_21", "subject2_in_21"),
        ):
            keys = piece.select(["subject_class", "template_id", subject]).append_column(
                "row", pa.array(np.arange(piece.num_rows))
            )
            first = keys.group_by(["subject_class", "template_id", subject]).aggregate([("row", "min")])
            rows = piece.take(first["row_min"])
            names = (rows[name].to_pylist() for name in ("subject_class", "template_id", subject))
            spans = (pc.struct_field(rows[span], end).to_pylist() for end in ("start", "end"))
            for *key, text, start, end in zip(*names, rows[context].to_pylist(), *spans, strict=True):
                found.setdefault((key[0], key[1], key[2]), (text, start, end))
    return found
