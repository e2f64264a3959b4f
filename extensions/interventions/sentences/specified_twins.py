"""Specified twins: questions and masked statements whose contexts name the answer (Zhao et al. 2021).

A twin's context says that one subject has the attribute and that the other does not, in the words of the
class's statements: *Maria was a surgeon. Thomas was never a surgeon.* So the context answers both the
question and its negation, in both orders.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from nextset.artifacts.build import Part, PartResult
from nextset.forms import FORMS, FormName
from nextset.generation.questions.context_spans import Assertion, candidate, render_assertion
from nextset.generation.questions.question_set import AttributeTexts, QuestionSet, SetTemplate, Subject
from nextset.generation.questions.subject_pairs import pairs_at
from nextset.generation.questions.subset import sampled_cells
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.question_quads import MaskedStatement, QuadId, QuestionQuad, Span
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["TWIN_TABLES", "specified_twins", "twin_parts"]

TWIN_TABLES: Mapping[FormName, str] = {
    "question": "specified_questions",
    "statement": "specified_statements",
}
_RECORDS: Mapping[FormName, type] = {"question": QuestionQuad, "statement": MaskedStatement}


@dataclass(frozen=True)
class _Pair:
    """Two subjects: the first has the attribute, the second does not."""

    first: Subject
    second: Subject


def twin_parts(
    sets: Sequence[QuestionSet], statements: Sequence[QuestionSet], most: int, seed: int
) -> list[Part]:
    """Return the parts of the tables `TWIN_TABLES`: up to ``most`` twins of each of ``sets``.

    ``statements`` are the classes in the form of statements, which provide the words of the contexts. A class
    without statements has no twins, and is counted.
    """
    worded = {(s.language, s.name): s for s in statements}
    parts = []
    for form, table in TWIN_TABLES.items():
        parts.append(Part(table, functools.partial(PartResult, arrow_schema(_RECORDS[form]).empty_table())))
        for of_form in (s for s in sets if s.form == form):
            words = worded.get((of_form.language, of_form.name))
            parts.append(Part(table, functools.partial(_made, of_form, words, most, seed)))
    return parts


def _made(questions: QuestionSet, words: QuestionSet | None, most: int, seed: int) -> PartResult:
    if words is None:
        none = arrow_schema(_RECORDS[questions.form]).empty_table()
        return PartResult(none, {f"{questions.name} has no statements and therefore no specified twins": 1})
    return PartResult(specified_twins(questions, words, most, seed))


def specified_twins(questions: QuestionSet, words: QuestionSet, most: int, seed: int) -> pa.Table:
    """Return up to ``most`` twins of ``questions``, sampled evenly over templates, pairs and attributes.

    ``words`` is the same class in the form of statements. The rows are QuestionQuads, or MaskedStatements:
    **subject1 is the answer to the question and subject2 to its negation**, regardless of the order of the
    context. In every two rows, the answer is the first subject of the pair once and the second subject once.
    """
    rows = list(_rows(questions, words, most, seed))
    return table_of(rows, _RECORDS[questions.form])


def _rows(
    questions: QuestionSet, words: QuestionSet, most: int, seed: int
) -> Iterator[QuestionQuad | MaskedStatement]:
    asked = _texts(questions)
    cells = sampled_cells(words, most, seed)
    firsts, seconds = pairs_at(cells.pairs, words)
    one, two = words.lists
    ids = QuadId(FORMS[questions.form].id_kind, questions.language, questions.name)
    columns = (firsts, seconds, cells.templates, cells.attributes)
    for i, (first, second, t, a) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        template = words.templates[t]
        texts = template.by_attribute[a]
        own = texts if questions.form == "statement" else _question(asked, template, texts.attribute.name)
        if own is None:
            continue
        pair = _Pair(one[first], two[second]) if i % 2 == 0 else _Pair(two[second], one[first])
        has = render_assertion(words, template, texts.attribute, pair.first, negated=False)
        lacks = render_assertion(words, template, texts.attribute, pair.second, negated=True)
        yield _twin(questions, template, own, pair, _Contexts.of(has, lacks, words.prefix, words.join), ids)


def _texts(questions: QuestionSet) -> dict[tuple[str, str], AttributeTexts]:
    """Return the questions by template and attribute, and by ("", attribute) the first one about it."""
    by_key: dict[tuple[str, str], AttributeTexts] = {}
    for template in questions.templates:
        for texts in template.by_attribute:
            by_key[template.id, texts.attribute.name] = texts
            by_key.setdefault(("", texts.attribute.name), texts)
    return by_key


def _question(
    asked: Mapping[tuple[str, str], AttributeTexts], template: SetTemplate, attribute: str
) -> AttributeTexts | None:
    """Return the question of the template with the same id, else the first one about ``attribute``."""
    return asked.get((template.id, attribute)) or asked.get(("", attribute))


@dataclass(frozen=True)
class _Contexts:
    """The contexts of a twin in both orders, with the positions of both subjects."""

    one: str
    two: str
    spans: Mapping[str, Span]

    @classmethod
    def of(cls, has: Assertion, lacks: Assertion, prefix: str, join: str) -> _Contexts:
        start = len(prefix)
        after_has = start + len(has.text + join)
        after_lacks = start + len(lacks.text + join)
        return cls(
            prefix + has.text + join + lacks.text,
            prefix + lacks.text + join + has.text,
            {
                "subject1_in_12": _moved(has.subject, start),
                "subject2_in_12": _moved(lacks.subject, after_has),
                "subject1_in_21": _moved(has.subject, after_lacks),
                "subject2_in_21": _moved(lacks.subject, start),
            },
        )


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _twin(
    questions: QuestionSet,
    template: SetTemplate,
    texts: AttributeTexts,
    pair: _Pair,
    contexts: _Contexts,
    ids: QuadId,
) -> QuestionQuad | MaskedStatement:
    state = ids.contexts(contexts.one, contexts.two)
    state.update(ids.asked(texts.text, texts.negated))
    same: dict[str, Any] = {
        "id": state.hexdigest(),
        "language": questions.language,
        "subject_class": questions.name,
        "template_id": template.id,
        "attribute": texts.attribute.name,
        "attribute_kind": texts.attribute.kind,
        "attribute_cluster": texts.attribute.cluster,
        "subject1": pair.first.name,
        "subject2": pair.second.name,
        "cluster1": pair.first.cluster,
        "cluster2": pair.second.cluster,
        "context_12": contexts.one,
        "context_21": contexts.two,
        **contexts.spans,
    }
    if questions.form == "question":
        return QuestionQuad(**same, question=texts.text, question_negated=texts.negated)
    assert MASK in texts.text
    return MaskedStatement(
        **same,
        statement=texts.text,
        statement_negated=texts.negated,
        candidate1=candidate(template, pair.first),
        candidate2=candidate(template, pair.second),
    )
