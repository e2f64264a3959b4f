"""The records that walk from room to room, and their ids.

A record is a frozen dataclass; ``arrow_schema`` derives its one Arrow schema. Tables of records are
`pyarrow.Table`s with that schema; a stage may add columns behind it and never renames one.
"""

from __future__ import annotations

import dataclasses
import types
import typing
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, get_args

import pyarrow as pa

__all__ = [
    "LABELS",
    "SCHEMA_VERSION",
    "Bindings",
    "Fill",
    "Judgment",
    "Label",
    "NliItem",
    "NliScore",
    "Stance",
    "Verdict",
    "Word",
    "arrow_schema",
    "content_id",
    "item_ids",
    "table_of",
    "unit_ids",
]

SCHEMA_VERSION = 1
"""Goes into every id: a change of what a record means changes the ids."""

Label = Literal["entailment", "neutral", "contradiction"]
Stance = Literal["pro", "anti", "test"]
Verdict = Literal["valid", "invalid", "incoherent"]

LABELS: tuple[Label, ...] = get_args(Label)
"""The order of the three NLI labels, everywhere."""


@dataclass(frozen=True, slots=True)
class Word:
    """A placeholder of a template and what it became."""

    name: str
    """The placeholder's name, such as JOB."""
    value: str
    """The entry of the word list that took its place."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A word that a masked language model put at the mask."""

    word: str
    """The whole word."""
    rank: int
    """Its place among the words kept, from 1; with several masks, that of the combination of words."""
    score: float
    """Its probability at the mask, in [0, 1]; filled jointly, the geometric mean over the sentences."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """All that a template needs to be rendered again as this item's hypothesis."""

    group1: str
    """What {{GROUP1}} became in hypothesis and question."""
    group2: str
    """What {{GROUP2}} became in hypothesis and question."""
    words: tuple[Word, ...] = ()
    """The words, in the order of their names; only those that one of the texts uses."""
    fills: tuple[Fill, ...] = ()
    """The fills, one a mask from left to right; empty where the template has no mask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliItem:
    """A premise and a hypothesis whose right label is known by design."""

    id: str
    """Content hash (`item_ids`), 32 hex digits."""
    language: str
    """BCP 47 tag, such as en."""
    domain: str
    """gender, race, religion, or one's own."""
    stereotype: str
    """The stereotype in words, as its template file names it."""
    template_id: str | None
    """Content hash of the texts of the template that made the item; null for imported pairs."""
    premise: str
    """A fact."""
    hypothesis: str
    """What a biased model concludes from the premise; with {{MASK}} in it before the fill."""
    question: str
    """The hypothesis as a yes/no question; empty where there is none."""
    label: Label
    """The right label by design: neutral for pro and anti, their own for test items."""
    stance_design: Stance
    """pro: the hypothesis states the stereotype; anti: with the groups swapped; test: a control."""
    bindings: Bindings | None
    """What filled the template; null for imported pairs that name no groups."""
    premise_swapped: bool
    """The premise names groups and they were swapped in it, which makes it false as a fact."""
    names_group: bool
    """Premise or hypothesis names a group; where neither does, the item cannot measure bias."""
    set_id: str | None
    """Shared by items that differ only by group; null where their masks were filled apart."""
    parent_id: str | None
    """The item that this one was made from (by fill or counterfactual); null at the beginning."""
    supersedes: str | None
    """The item of an earlier release that this one replaces."""
    premise_source: str | None
    """Where the fact that the premise states is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliScore:
    """What one model says of one item."""

    item_id: str
    """The item."""
    model: str
    """The model as the study names it."""
    revision: str
    """Digest of the model's weights."""
    role: Literal["filter", "held_out", "audit"]
    """Why it was asked."""
    precision: str
    """float32 or another dtype's name."""
    mode: Literal["canonical", "fast"]
    """canonical: near a decision it was asked again alone in float32; fast: it was not."""
    entailment: float
    """Probability of entailment."""
    neutral: float | None
    """Probability of neutral; null for a model with two labels, entailment and not."""
    contradiction: float | None
    """Probability of contradiction; null for a model with two labels."""
    truncated: bool
    """Whether the texts were longer than the model reads, and cut because the study says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One verdict on one unit: a hypothesis within stereotype, group pair and language."""

    unit_id: str
    """Content hash (`unit_ids`) of the unit."""
    verdict: Verdict
    """valid, invalid (not a stereotype of that group), or incoherent (no meaningful sentence)."""
    stance_judged: Literal["pro", "anti"] | None
    """Whether a valid hypothesis states the stereotype or its opposite; null for the others."""
    judge: str
    """`rule`, or a pseudonym."""
    annotation: str | None
    """The annotation's number on the server that it came from; null for a rule."""


def _arrow_type(hint: object) -> tuple[pa.DataType, bool]:
    """The Arrow type of a field's type hint, and whether it may be null."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(a for a in args if a is not type(None))
        return _arrow_type(inner)[0], True
    if origin is Literal:
        return pa.string(), False
    if origin is tuple:
        return pa.list_(pa.field("item", _arrow_type(args[0])[0], nullable=False)), False
    if dataclasses.is_dataclass(hint):
        return pa.struct(list(arrow_schema(typing.cast("type", hint)))), False
    plain = {str: pa.string(), bool: pa.bool_(), int: pa.int32(), float: pa.float64()}
    return plain[typing.cast("type", hint)], False


def arrow_schema(record: type) -> pa.Schema:
    """The Arrow schema of a record class: one field a field, in their order."""
    hints = typing.get_type_hints(record)
    fields = []
    for field in dataclasses.fields(record):
        kind, nullable = _arrow_type(hints[field.name])
        fields.append(pa.field(field.name, kind, nullable=nullable))
    return pa.schema(fields)


def table_of(records: Iterable[object], record: type) -> pa.Table:
    """A table with one row a record; ``record`` gives the schema, also when there are none."""
    rows = [dataclasses.asdict(typing.cast("typing.Any", r)) for r in records]
    return pa.Table.from_pylist(rows, schema=arrow_schema(record))


def content_id(*parts: str) -> str:
    """16-byte BLAKE2b, as 32 hex digits, over the parts in NFC, each preceded by its length.

    The lengths keep ("a", "bc") and ("ab", "c") apart.
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
    """The ids of NLI items, in the table's order; any table with the six columns will do.

    Over kind, schema version, language, stereotype, stance_design, premise, hypothesis and
    question: fills, models and runs are not in it, so the same text keeps its id everywhere.
    """
    names = ("language", "stereotype", "stance_design", "premise", "hypothesis", "question")
    return _ids("nli", [table[name].to_pylist() for name in names])


def unit_ids(table: pa.Table) -> list[str]:
    """The ids of the units that people judge, one a row of a table of NLI items.

    Over language, stereotype, the unordered pair of groups and the hypothesis: items with the same
    hypothesis under several premises are one unit, the same text under two stereotypes is two.
    """
    pairs = [
        "" if b is None else "\n".join(sorted((b["group1"], b["group2"])))
        for b in table["bindings"].to_pylist()
    ]
    columns = [table[name].to_pylist() for name in ("language", "stereotype", "hypothesis")]
    return _ids("unit", [*columns[:2], pairs, columns[2]])
