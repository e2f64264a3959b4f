"""Pairs × templates × attributes, columnar: each context and each question is written once a block.

A row is two numbers, of its contexts and of what is asked; a block's texts are dictionaries behind them. So
time and memory go with the size of a block, whatever the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from generation.questions.contexts import Context, render_context
from generation.questions.pairs import Ints, pairs_at
from generation.questions.sets import Asked, QuestionSet, SetTemplate, Subject
from nextset.items import arrow_schema
from nextset.quads import MaskedStatement, QuadId, QuestionQuad, Span

__all__ = ["ROWS", "Cells", "blocks", "full_cells", "quad_table", "row_blocks"]

ROWS = 100_000
"""Rows a block, about."""


@dataclass(frozen=True)
class Cells:
    """Which rows of the product: the number of the pair, of the template, and of the attribute in it."""

    pairs: Ints
    templates: Ints
    asked: Ints

    def __getitem__(self, rows: slice) -> Cells:
        return Cells(self.pairs[rows], self.templates[rows], self.asked[rows])

    def __len__(self) -> int:
        return len(self.pairs)


def blocks(questions: QuestionSet) -> list[range]:
    """The numbers of the pairs of each block."""
    step = max(1, ROWS // questions.per_pair)
    return [range(i, min(i + step, questions.n_pairs)) for i in range(0, questions.n_pairs, step)]


def row_blocks(rows: int) -> list[slice]:
    """The rows of each block of a sample."""
    return [slice(i, min(i + ROWS, rows)) for i in range(0, rows, ROWS)]


def full_cells(questions: QuestionSet, pairs: range) -> Cells:
    """All rows of some pairs, pair after pair."""
    sizes = [len(t.asked) for t in questions.templates]
    templates = np.repeat(np.arange(len(sizes)), sizes)
    asked = np.concatenate([np.arange(n) for n in sizes])
    return Cells(
        np.repeat(np.arange(pairs.start, pairs.stop), len(templates)),
        np.tile(templates, len(pairs)),
        np.tile(asked, len(pairs)),
    )


@dataclass(frozen=True)
class _Both:
    """A template's contexts for a pair, in both orders."""

    template: SetTemplate
    first: Subject
    second: Subject
    one: Context
    two: Context


def quad_table(questions: QuestionSet, cells: Cells) -> pa.Table:
    """The rows ``cells`` as QuestionQuads, or MaskedStatements where the set is of statements.

    Columns of repeated texts are dictionary arrays; the ids are computed in bulk.
    """
    n_templates = len(questions.templates)
    places, at = np.unique(cells.pairs * n_templates + cells.templates, return_inverse=True)
    both = list(_contexts(questions, places))
    begins = np.cumsum([0, *(len(t.asked) for t in questions.templates)])
    asked = [a for t in questions.templates for a in t.asked]
    wanted = begins[cells.templates] + cells.asked

    def of_context(value: Callable[[_Both], str]) -> pa.Array:
        return _encoded([value(b) for b in both], at)

    def of_asked(value: Callable[[Asked], str]) -> pa.Array:
        return _encoded([value(a) for a in asked], wanted)

    def span(value: Callable[[_Both], Span]) -> pa.Array:
        found = [value(b) for b in both]
        ends = [np.array([getattr(s, name) for s in found], np.int32)[at] for name in ("start", "end")]
        return pa.StructArray.from_arrays([pa.array(e) for e in ends], fields=list(arrow_schema(Span)))

    columns = {
        "id": _ids(questions, both, asked, at, wanted),
        "language": _encoded([questions.language], np.zeros_like(at)),
        "subject_class": _encoded([questions.name], np.zeros_like(at)),
        "template_id": of_context(lambda b: b.template.id),
        "attribute": of_asked(lambda a: a.attribute.name),
        "attribute_kind": of_asked(lambda a: a.attribute.kind),
        "attribute_cluster": of_asked(lambda a: a.attribute.cluster),
        "subject1": of_context(lambda b: b.first.name),
        "subject2": of_context(lambda b: b.second.name),
        "cluster1": of_context(lambda b: b.first.cluster),
        "cluster2": of_context(lambda b: b.second.cluster),
        "context_12": of_context(lambda b: b.one.text),
        "context_21": of_context(lambda b: b.two.text),
        "question": of_asked(lambda a: a.text),
        "question_negated": of_asked(lambda a: a.negated),
        "statement": of_asked(lambda a: a.text),
        "statement_negated": of_asked(lambda a: a.negated),
        "candidate1": of_context(lambda b: b.one.text[b.one.first.start : b.one.first.end]),
        "candidate2": of_context(lambda b: b.one.text[b.one.second.start : b.one.second.end]),
        "subject1_in_12": span(lambda b: b.one.first),
        "subject2_in_12": span(lambda b: b.one.second),
        "subject1_in_21": span(lambda b: b.two.second),
        "subject2_in_21": span(lambda b: b.two.first),
    }
    record = QuestionQuad if questions.form == "question" else MaskedStatement
    fields = [field.with_type(columns[field.name].type) for field in arrow_schema(record)]
    return pa.Table.from_arrays([columns[f.name] for f in fields], schema=pa.schema(fields))


def _contexts(questions: QuestionSet, places: Ints) -> Iterator[_Both]:
    numbers, templates = np.divmod(places, len(questions.templates))
    firsts, seconds = pairs_at(numbers, questions)
    one, two = questions.lists
    for t, i, j in zip(templates.tolist(), firsts.tolist(), seconds.tolist(), strict=True):
        template, first, second = questions.templates[t], one[i], two[j]
        yield _Both(
            template,
            first,
            second,
            render_context(questions, template, first, second),
            render_context(questions, template, second, first),
        )


def _encoded(values: Sequence[str], at: Ints) -> pa.Array:
    """The texts ``values[at]`` as a dictionary array whose dictionary holds each text once."""
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(v, len(number)) for v in values], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes[at]), pa.array(list(number), pa.string()))


def _ids(
    questions: QuestionSet, both: Sequence[_Both], asked: Sequence[Asked], at: Ints, wanted: Ints
) -> pa.Array:
    kind = "quad" if questions.form == "question" else "masked"
    ids = QuadId(kind, questions.language, questions.name)
    states = [ids.contexts(b.one.text, b.two.text) for b in both]
    tails = [ids.asked(a.text, a.negated) for a in asked]
    digests = bytearray()
    for context, question in zip(at.tolist(), wanted.tolist(), strict=True):
        state = states[context].copy()
        state.update(tails[question])
        digests += state.digest()
    text = digests.hex().encode()
    offsets = pa.array(np.arange(0, len(text) + 1, 32, dtype=np.int32))
    return pa.StringArray.from_buffers(len(at), offsets.buffers()[1], pa.py_buffer(text))
