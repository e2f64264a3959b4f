"""The shards of the question tables: their parts for the build, and their number of rows."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa

from nextset.artifacts.build import Part, PartResult
from nextset.errors import WordListError
from nextset.forms import FORMS
from nextset.generation.questions.product_rows import blocks, full_cells, row_blocks
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.study_packs import LoadedQuestions
from nextset.generation.questions.subset import sampled_cells
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.question_quads import AttributeRow, PackRow
from nextset.study.generation_settings import QuestionSettings

__all__ = ["attribute_table", "question_parts", "refuse_too_many", "rows_to_expand"]


def rows_to_expand(questions: QuestionSet, settings: QuestionSettings) -> int:
    """Return the number of rows that a study makes from one set."""
    return min(questions.rows, settings.subset) if settings.subset else questions.rows


def refuse_too_many(sets: Sequence[QuestionSet], settings: QuestionSettings, max_rows: int) -> None:
    """Raise WordListError, naming the largest set, if all sets have more than ``max_rows`` rows in total."""
    total = sum(rows_to_expand(s, settings) for s in sets)
    if total > max_rows:
        largest = max(sets, key=lambda s: rows_to_expand(s, settings))
        raise WordListError(
            f"the question sets expand to {total:,} rows, more than {max_rows:,} "
            f"({rows_to_expand(largest, settings):,} of them are {largest.name} {largest.form}s)",
            file=largest.file,
            remedy="name fewer classes, set questions.subset, or raise generate.max_rows in study.yaml",
        )


def question_parts(packs: LoadedQuestions, settings: QuestionSettings) -> list[Part]:
    """Return the parts of the tables quads and statements (block by block), attributes and packs."""
    sets = packs.sets
    parts = []
    for questions in sets:
        n = rows_to_expand(questions, settings)
        if n < questions.rows:
            sample = functools.cache(functools.partial(sampled_cells, questions, n, settings.seed))
            makers = [
                functools.partial(lambda q, s, rows: quad_table(q, s()[rows]), questions, sample, rows)
                for rows in row_blocks(n)
            ]
        else:
            makers = [
                functools.partial(lambda q, pairs: quad_table(q, full_cells(q, pairs)), questions, pairs)
                for pairs in blocks(questions)
            ]
        table = FORMS[questions.form].generated
        count = f"{questions.name} {table}"
        parts += [Part(table, functools.partial(_made, count, make)) for make in makers]
    named = {p.table for p in parts}
    empty = {form.generated: form.record for form in FORMS if form.quads and form.generated}
    parts += [
        Part(table, functools.partial(PartResult, arrow_schema(record).empty_table()))
        for table, record in empty.items()
        if table not in named
    ]
    attributes, pack_rows = attribute_table(sets), table_of(packs.packs, PackRow)
    return [
        *parts,
        Part("attributes", lambda: PartResult(attributes)),
        Part("packs", lambda: PartResult(pack_rows)),
    ]


def _made(count: str, make: functools.partial[pa.Table]) -> PartResult:
    table = make()
    return PartResult(table, {count: table.num_rows})


def attribute_table(sets: Sequence[QuestionSet]) -> pa.Table:
    """Return the attributes of ``sets``, each once, in the schema of AttributeRow."""
    rows = {
        (s.language, a.attribute.kind, a.attribute.name): AttributeRow(
            language=s.language,
            attribute=a.attribute.name,
            kind=a.attribute.kind,
            cluster=a.attribute.cluster,
            source=a.attribute.source,
        )
        for s in sets
        for t in s.templates
        for a in t.by_attribute
    }
    return table_of(rows.values(), AttributeRow)
