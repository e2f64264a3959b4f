"""Ids of items and units: hashes of their contents."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SCHEMA_VERSION", "JudgedUnit", "content_id", "item_ids", "unit_ids"]

JudgedUnit = Literal["hypothesis", "pair", "answer"]
"""The unit that annotators judge: a hypothesis for all its premises, or a premise with its hypothesis.
answer: a question with options, which annotators answer."""

SCHEMA_VERSION = 1
"""Part of every id: a change in a record's meaning changes the ids."""


def content_id(*parts: str) -> str:
    """Return the 16-byte BLAKE2b, as 32 hex digits, of the parts in NFC, each preceded by its length.

    The lengths distinguish ("a", "bc") from ("ab", "c").
    """
    state = blake2b(digest_size=16)
    for part in parts:
        raw = unicodedata.normalize("NFC", part).encode()
        state.update(len(raw).to_bytes(8, "little"))
        state.update(raw)
    return state.hexdigest()


def _ids(kind: str, columns: Sequence[Sequence[str]]) -> list[str]:
    head = (kind, str(SCHEMA_VERSION))
    return [content_id(*head, *row) for row in zip(*columns, strict=True)]


def item_ids(table: pa.Table) -> list[str]:
    """Return the ids of NLI items, in the table's order; the table needs only the six columns below.

    The ids are hashes of kind, schema version, language, stereotype, stance_design, premise, hypothesis and
    question. Fills, models and runs are not included, so the same text has the same id everywhere.
    """
    names = ("language", "stereotype", "stance_design", "premise", "hypothesis", "question")
    return _ids("nli", [table[name].to_pylist() for name in names])


def unit_ids(table: pa.Table, unit: JudgedUnit) -> list[str]:
    """Return the ids of the units that annotators judge, one per row of a table of NLI items.

    The ids are hashes of language, stereotype, the unordered pair of groups and the hypothesis: items with
    the same hypothesis under several premises are one unit; the same text under two stereotypes is two units.
    If ``unit`` is pair, the premise is part of the hash too, and the ids differ from those of hypotheses.
    """
    pairs = [
        "" if b is None else "\n".join(sorted((b["group1"], b["group2"])))
        for b in table["bindings"].to_pylist()
    ]
    language, stereotype, hypothesis = (
        table[name].to_pylist() for name in ("language", "stereotype", "hypothesis")
    )
    columns = [language, stereotype, pairs, hypothesis]
    if unit == "pair":
        return _ids("pair", [*columns, table["premise"].to_pylist()])
    return _ids("unit", columns)
