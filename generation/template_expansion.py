"""The expansion of templates into items: premises × statements × words × both orders of the groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

import pyarrow as pa

from nextset.errors import TemplateError
from nextset.generation.templates.placeholders import MASK, names, render
from nextset.generation.templates.template import Kind, Premise, Statement, Template, names_group
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Bindings, MaskedItem, NliItem, Stance, Word
from nextset.study.item_tables import with_ids
from nextset.study.stereotype_sentences import StereotypeRow

__all__ = [
    "Expansion",
    "MaskListRow",
    "TemplateRow",
    "count_rows",
    "example",
    "expand",
    "expanded_kinds",
    "full_product",
    "mask_lists",
    "refuse_too_many",
    "stereotype_rows",
    "template_rows",
]


@dataclass(frozen=True)
class TemplateRow:
    """A premise and a statement with placeholders: all that is needed to render an item."""

    template_id: str
    """The items' template_id."""
    stereotype: str
    """The stereotype's name."""
    premise: str
    """The premise, with placeholders."""
    hypothesis: str
    """The statement, with placeholders."""
    question: str
    """The question, with placeholders."""
    group1: str
    """The file's value of {{GROUP1}}."""
    group2: str
    """The file's value of {{GROUP2}}."""
    capitalise: bool
    """True if a placeholder that starts a sentence gets a capital."""
    stereotype_source: str
    """The work that documents the stereotype."""
    mask_constraints: tuple[str, ...] = ()
    """The constraint of each mask of the statement; empty for a mask without one."""
    question_forms: tuple[str, ...] = ()
    """The form of the word at each mask of the question; empty if the word stays as it is."""
    rules: tuple[str, ...] = ()
    """The names of the sound rules."""
    every_group: tuple[str, ...] = ()
    """All groups that its stereotype compares, if they are more than two; else empty."""


@dataclass(frozen=True)
class MaskListRow:
    """A list of words that masks of a stereotype's template take or exclude."""

    language: str
    """BCP 47 tag, such as en."""
    stereotype: str
    """The stereotype's name."""
    name: str
    """The list's name."""
    words: tuple[str, ...]
    """Its words: those of the template file or its overlays, else of the shipped list."""


@dataclass(frozen=True)
class Expansion:
    """The items that templates expand to."""

    items: pa.Table
    """NLI items without masks, one per id."""
    masked: pa.Table
    """MaskedItems: NLI items with {{MASK}} in their hypothesis, and the constraints of the masks."""
    counts: dict[str, int]
    """Rows by kind, and the number of rows merged."""


def expanded_kinds(tests: bool) -> tuple[Kind, ...]:
    """Return the kinds of statement that `expand` turns into rows."""
    return ("hypothesis", "masked", "test") if tests else ("hypothesis", "masked")


def full_product(template: Template) -> int:
    """Return the number of rows of the published expansion, before duplicates are merged.

    Premises × (hypotheses and test hypotheses) × all word lists, used or not × both orders of groups.
    """
    statements = sum(s.kind != "masked" for s in template.statements)
    words = math.prod(len(v) for v in template.words.values())
    return len(template.premises) * statements * words * 2 * len(template.by_contrast)


def count_rows(template: Template, kind: Kind) -> int:
    """Return the number of rows of ``kind`` that `expand` makes, without making them.

    Only word lists that a text uses are counted.
    """
    total = 0
    for premise, statement in itertools.product(template.premises, _of_kind(template, kind)):
        used = template.used_words(premise.text, statement.text, statement.question)
        total += 2 * math.prod(len(template.words[name]) for name in used)
    return total * len(template.by_contrast)


def example(template: Template, kind: Kind) -> NliItem | None:
    """Return the first item of ``kind`` from ``template``, with an empty id; None if there is none."""
    statements = _of_kind(template, kind)
    return next((item for _, item in _rows(template, statements)), None)


def _of_kind(template: Template, kind: Kind) -> list[Statement]:
    return [s for s in template.statements if s.kind == kind]


def template_rows(templates: Iterable[Template]) -> pa.Table:
    """Return every premise × statement of ``templates``, in the schema of TemplateRow."""
    rows = [
        TemplateRow(
            t.id(p, s),
            t.stereotype,
            p.text,
            s.text,
            s.question,
            *t.groups,
            t.capitalise,
            t.source,
            tuple(map(str, s.constraints)),
            s.question_forms,
            t.rules,
            t.every_group,
        )
        for template in templates
        for t in template.by_contrast
        for p, s in itertools.product(t.premises, t.statements)
    ]
    return table_of({r.template_id: r for r in rows}.values(), TemplateRow)


def mask_lists(templates: Iterable[Template]) -> pa.Table:
    """Return the lists of ``templates``, and the shipped lists that their masks name, as MaskListRows."""
    rows = []
    for t in templates:
        named = {name for s in t.statements for c in s.constraints for name in c.entries}
        for name in sorted({*t.lists, *named}):
            if words := t.word_list(name):  # an anchor may be a word itself
                rows.append(MaskListRow(t.language, t.stereotype, name, words))
    return table_of(rows, MaskListRow)


def stereotype_rows(templates: Iterable[Template]) -> pa.Table:
    """Return the stereotypes that ``templates`` state as sentences, as StereotypeRows."""
    rows = (
        StereotypeRow(
            language=t.language,
            stereotype=t.stereotype,
            pro_sentence=t.sentences.pro,
            anti_sentence=t.sentences.anti,
        )
        for t in templates
        if t.sentences is not None
    )
    return table_of(rows, StereotypeRow)


def expand(templates: Iterable[Template], *, tests: bool, max_rows: int) -> Expansion:
    """Expand ``templates``; raises TemplateError if there would be more than ``max_rows`` rows.

    The anti-stereotypical form swaps the groups in premise, hypothesis and question, as BBNLI does.
    Rows with the same id become one item.
    """
    templates = list(templates)
    kinds = expanded_kinds(tests)
    refuse_too_many(templates, kinds, max_rows)
    rows: dict[Kind, list[NliItem]] = {kind: [] for kind in get_args(Kind)}
    distinct: dict[Kind, int] = dict.fromkeys(rows, 0)
    for template, kind in itertools.product(templates, kinds):
        statements = _of_kind(template, kind)
        distinct_rows = {row for each in template.by_contrast for row in _rows(each, statements)}
        distinct[kind] += len(distinct_rows)
        rows[kind].extend(item for _, item in sorted(distinct_rows, key=lambda row: row[0]))
    items = with_ids(table_of([*rows["hypothesis"], *rows["test"]], NliItem))
    masked = with_ids(table_of(rows["masked"], MaskedItem))
    no_group = sum(not item.names_group for item in rows["hypothesis"])
    counts = {
        "audit rows": distinct["hypothesis"],
        "test rows": distinct["test"],
        "masked rows": distinct["masked"],
        "rows with the same text as another row, merged": sum(distinct.values())
        - items.num_rows
        - masked.num_rows,
        "audit rows that name no group and so cannot measure bias": no_group,
        "full product": sum(full_product(t) for t in templates),
    }
    return Expansion(items, masked, counts)


def refuse_too_many(templates: Sequence[Template], kinds: Sequence[Kind], max_rows: int) -> None:
    """Raise TemplateError, naming the largest file, if there would be more than ``max_rows`` rows."""
    counted = sorted(((sum(count_rows(t, k) for k in kinds), str(t.file)) for t in templates), reverse=True)
    total = sum(n for n, _ in counted)
    if total > max_rows:
        raise TemplateError(
            f"the templates expand to {total:,} rows, more than {max_rows:,} "
            f"({counted[0][0]:,} of them from this file)",
            file=counted[0][1],
            remedy="use fewer word lists per text, or raise generate.max_rows in study.yaml",
        )


RowKey = tuple[int, int, int, str, str, str]


def _rows(template: Template, statements: list[Statement]) -> Iterator[tuple[RowKey, NliItem]]:
    """Yield rows and their keys, which contain premise and group order, as in the published expansion."""
    for (i, premise), (j, statement) in itertools.product(
        enumerate(template.premises), enumerate(statements)
    ):
        used = template.used_words(premise.text, statement.text, statement.question)
        for values in itertools.product(*(template.words[name] for name in used)):
            words = tuple(map(Word, used, values))
            for swapped in (False, True):
                item = _item(template, premise, statement, words, swapped)
                key = (i, j, int(swapped), item.premise, item.hypothesis, item.question)
                yield key, item


def _item(
    template: Template, premise: Premise, statement: Statement, words: tuple[Word, ...], swapped: bool
) -> NliItem:
    first, second = reversed(template.groups) if swapped else template.groups
    values = {"GROUP1": first, "GROUP2": second, **{w.name: w.value for w in words}}
    template_id = template.id(premise, statement)
    stance: Stance = "test" if statement.kind == "test" else "anti" if swapped else "pro"
    masks = (
        {
            "mask_constraints": tuple(map(str, statement.constraints)),
            "question_forms": statement.question_forms,
            "rules": template.rules,
        }
        if statement.kind == "masked"
        else {}
    )
    rendered = partial(
        render,
        values=values,
        capitalise=template.capitalise,
        language=template.language,
        rules=template.sound_rules,
    )
    return (MaskedItem if masks else NliItem)(
        **masks,
        id="",
        language=template.language,
        domain=template.domain,
        stereotype=template.stereotype,
        template_id=template_id,
        premise=rendered(premise.text),
        hypothesis=rendered(statement.text),
        question=rendered(statement.question),
        label=statement.label,
        stance_design=stance,
        bindings=Bindings(first, second, words),
        premise_swapped=swapped and names_group(premise.text),
        names_group=names_group(premise.text, statement.text),
        set_id=None
        if MASK in names(statement.text)
        else _set_id(template.set_key(premise, statement), words),
        parent_id=None,
        supersedes=None,
        premise_source=premise.source,
    )


def _set_id(template_id: str, words: tuple[Word, ...]) -> str:
    return content_id("set", template_id, *(x for w in words for x in (w.name, w.value)))
