"""The expansion of question sets into tables: pairs × templates × attributes, column by column.

Each context and each question is stored once per block. A row is two numbers, one for its contexts and one
for its question; dictionaries hold a block's texts. So time and memory depend on the size of a block, not on
the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.array_types import Ints
from nextset.forms import FORMS
from nextset.generation.questions.context_spans import Context, candidate, render_context
from nextset.generation.questions.product_rows import Cells
from nextset.generation.questions.question_set import AttributeTexts, QuestionSet, SetTemplate, Subject
from nextset.generation.questions.subject_pairs import pairs_at
from nextset.records.arrow_schema import arrow_schema
from nextset.records.question_quads import QuadId, Span

__all__ = ["quad_table"]


@dataclass(frozen=True)
class _ContextPair:
    """A template's contexts for two subjects, in both orders."""

    template: SetTemplate
    first: Subject
    second: Subject
    one: Context
    two: Context


_OF_CONTEXT: dict[str, Callable[[_ContextPair], str]] = {
    "template_id": lambda b: b.template.id,
    "subject1": lambda b: b.first.name,
    "subject2": lambda b: b.second.name,
    "cluster1": lambda b: b.first.cluster,
    "cluster2": lambda b: b.second.cluster,
    "context_12": lambda b: b.one.text,
    "context_21": lambda b: b.two.text,
    "candidate1": lambda b: candidate(b.template, b.first),
    "candidate2": lambda b: candidate(b.template, b.second),
}
_SPANS: dict[str, Callable[[_ContextPair], Span]] = {
    "subject1_in_12": lambda b: b.one.first,
    "subject2_in_12": lambda b: b.one.second,
    "subject1_in_21": lambda b: b.two.second,
    "subject2_in_21": lambda b: b.two.first,
}
_OF_ATTRIBUTE: dict[str, Callable[[AttributeTexts], str]] = {
    "attribute": lambda a: a.attribute.name,
    "attribute_kind": lambda a: a.attribute.kind,
    "attribute_cluster": lambda a: a.attribute.cluster,
    "question": lambda a: a.text,
    "question_negated": lambda a: a.negated,
    "statement": lambda a: a.text,
    "statement_negated": lambda a: a.negated,
}


def quad_table(questions: QuestionSet, cells: Cells) -> pa.Table:
    """Return the rows ``cells`` as QuestionQuads, or as MaskedStatements for a set of statements.

    Columns of repeated texts are dictionary arrays; the ids are computed in bulk.
    """
    places, at = np.unique(cells.pairs * len(questions.templates) + cells.templates, return_inverse=True)
    contexts = list(_contexts(questions, places))
    begins = np.cumsum([0, *(len(t.by_attribute) for t in questions.templates)])
    texts = [a for t in questions.templates for a in t.by_attribute]
    text_at = begins[cells.templates] + cells.attributes

    def column(name: str) -> pa.Array:
        if name == "id":
            return _ids(questions, contexts, texts, at, text_at)
        if name in _OF_CONTEXT:
            return _encoded(map(_OF_CONTEXT[name], contexts), at)
        if name in _SPANS:
            return _spans([_SPANS[name](c) for c in contexts], at)
        if name in _OF_ATTRIBUTE:
            return _encoded(map(_OF_ATTRIBUTE[name], texts), text_at)
        constant = {"language": questions.language, "subject_class": questions.name}
        return _encoded([constant[name]], np.zeros_like(at))

    schema = arrow_schema(FORMS[questions.form].record)
    columns = [column(field.name) for field in schema]
    fields = [field.with_type(c.type) for field, c in zip(schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _contexts(questions: QuestionSet, places: Ints) -> Iterator[_ContextPair]:
    """Yield the contexts at ``places``: pair number × templates + template."""
    numbers, templates = np.divmod(places, len(questions.templates))
    firsts, seconds = pairs_at(numbers, questions)
    one, two = questions.lists
    for t, i, j in zip(templates.tolist(), firsts.tolist(), seconds.tolist(), strict=True):
        template, first, second = questions.templates[t], one[i], two[j]
        yield _ContextPair(
            template,
            first,
            second,
            render_context(questions, template, first, second),
            render_context(questions, template, second, first),
        )


def _encoded(values: Iterator[str] | Sequence[str], at: Ints) -> pa.Array:
    """Return the texts ``values[at]`` as a dictionary array, whose dictionary has each text once."""
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(v, len(number)) for v in values], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes[at]), pa.array(list(number), pa.string()))


def _spans(spans: Sequence[Span], at: Ints) -> pa.Array:
    ends = (np.array([getattr(s, name) for s in spans], np.int32)[at] for name in ("start", "end"))
    return pa.StructArray.from_arrays([pa.array(e) for e in ends], fields=list(arrow_schema(Span)))


def _ids(
    questions: QuestionSet,
    contexts: Sequence[_ContextPair],
    texts: Sequence[AttributeTexts],
    at: Ints,
    text_at: Ints,
) -> pa.Array:
    ids = QuadId(FORMS[questions.form].id_kind, questions.language, questions.name)
    # A row's id is a hash over two contexts and two questions, and each of them is in many rows. So the state
    # of the hash after the contexts is computed once per pair of contexts, and copied for each question.
    states = [ids.contexts(b.one.text, b.two.text) for b in contexts]
    tails = [ids.asked(a.text, a.negated) for a in texts]
    digests = bytearray()
    for context, question in zip(at.tolist(), text_at.tolist(), strict=True):
        state = states[context].copy()
        state.update(tails[question])
        digests += state.digest()
    # All ids have 32 hex digits, so the array is made from one buffer, without a Python text per row.
    joined = digests.hex().encode()
    offsets = pa.array(np.arange(0, len(joined) + 1, 32, dtype=np.int32))
    return pa.StringArray.from_buffers(len(at), offsets.buffers()[1], pa.py_buffer(joined))
