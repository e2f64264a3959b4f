"""The expansion of published templates into choice items, in tables of some thousand rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from nextset.generation.choices.published_templates.item_columns import ItemColumns
from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.set_choice import (
    Orders,
    chosen_sets,
    option_orders,
    rows_per_set,
)
from nextset.generation.choices.published_templates.slotted_text import Entry
from nextset.records.choice_items import Condition, Polarity, choice_set_id
from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.records.nli_items import Fill, Word

__all__ = ["Expansion", "template_tables"]

_PIECE = 4000
"""The rows of a table, about."""
_UNKNOWN = 2
"""The role of the option unknown."""


@dataclass(frozen=True)
class Expansion:
    """The settings that decide which items templates give."""

    orders: Orders = "one"
    """The orders of the options."""
    subset: int | None = None
    """The number of sets of each template; None for all."""
    seed: int = 0
    """The seed of the sample."""

    def rows(self, template: PublishedTemplate) -> int:
        """Return the number of items that ``template`` gives."""
        sets = template.sets if self.subset is None else min(self.subset, template.sets)
        return sets * rows_per_set(template, self.orders)


def template_tables(templates: Iterable[PublishedTemplate], expansion: Expansion) -> Iterator[pa.Table]:
    """Yield the items of ``templates`` in their order, set after set."""
    columns = ItemColumns()
    for template in templates:
        for place, number in enumerate(chosen_sets(template, expansion.subset, expansion.seed)):
            _add_set(columns, _Set(template, number, place), option_orders(expansion.orders, place))
            if len(columns) >= _PIECE:
                yield columns.table()
                columns = ItemColumns()
    if len(columns):
        yield columns.table()


class _Key(NamedTuple):
    """The fields of an item that decide about its set."""

    language: str
    category: str
    template_id: str
    words: tuple[Word, ...]
    fills: tuple[Fill, ...]


class _Set:
    """One version of a set: two people and the words."""

    def __init__(self, template: PublishedTemplate, number: int, place: int) -> None:
        pair, wording = divmod(number, template.wordings)
        self.template = template
        self.number = number
        self.people = template.pairs[pair]
        self.unknown = template.unknown[place % len(template.unknown)]
        entries = template.words_at(wording)
        self.slots = {word.slot: entry for word, entry in zip(template.words, entries, strict=True)}
        named = sorted((word.name, entry.text) for word, entry in zip(template.words, entries, strict=True))
        self.words = [name for name, _ in named], [value for _, value in named]
        words = tuple(Word(name, value) for name, value in named)
        key = _Key(template.language, template.category, template.id, words, ())
        self.id = choice_set_id(key, [person.name for person in self.people])
        targeted = [person.targeted for person in self.people]
        self.target = targeted.index(True) if targeted.count(True) == 1 else None

    def filled(self, swapped: bool) -> _Filled:
        """Return the texts, with exchanged people if ``swapped``."""
        template = self.template
        roles = (1, 0) if template.mirrored != swapped else (0, 1)
        first, second = self.people[roles[0]], self.people[roles[1]]
        entries: dict[str, Entry] = {"NAME1": first, "NAME2": second, **self.slots}
        asked = (template.ambiguous, template.disambiguating, template.negative, template.non_negative)
        texts = [template.polish(text.filled(entries), first, second) for text in (*asked, *template.answers)]
        texts[: len(asked)] = [text.strip() for text in texts[: len(asked)]]
        named = (template.answers[0].person(), template.answers[1].person())
        role_of_negative = _role_of_negative(named, roles)
        before = template.ambiguous.person() or 1
        return _Filled(texts, (role_of_negative, 1 - role_of_negative), self.people[roles[before - 1]].group)


def _role_of_negative(named: tuple[int | None, int | None], roles: tuple[int, int]) -> int:
    """Return the role of the person in the negative answer, or the one that is not in the other answer."""
    negative, other = named
    if negative is not None:
        return roles[negative - 1]
    return roles[2 - other] if other is not None else roles[0]


class _Filled(NamedTuple):
    texts: list[str]
    answer_roles: tuple[int, int]
    """The roles of the people in the negative and the non-negative answer."""
    first_group: str


def _add_set(columns: ItemColumns, of: _Set, orders: Iterable[tuple[int, ...]]) -> None:
    filled = {swapped: of.filled(swapped) for swaps in of.template.swaps for swapped in swaps}
    done: set[bool] = set()
    for in_context, in_rest in of.template.swaps:
        conditions: tuple[Condition, ...] = ("disambiguated",) if in_context in done else _BOTH
        done.add(in_context)
        for condition in conditions:
            for order in orders:
                _add(columns, of, condition, (filled[in_context], filled[in_rest]), order, in_context)


_BOTH: tuple[Condition, ...] = ("ambiguous", "disambiguated")
_POLARITIES: tuple[Polarity, ...] = ("negative", "non_negative")


def _add(
    columns: ItemColumns,
    of: _Set,
    condition: Condition,
    texts: tuple[_Filled, _Filled],
    order: tuple[int, ...],
    swapped: bool,
) -> None:
    """Add the items of both questions."""
    template, (before, after) = of.template, texts
    ambiguous = condition == "ambiguous"
    context = before.texts[0] if ambiguous else f"{before.texts[0]} {after.texts[1]}"
    negative_role = after.answer_roles[0]
    by_role = ["", "", of.unknown]
    by_role[negative_role], by_role[1 - negative_role] = after.texts[4], after.texts[5]
    groups = [of.people[0].group, of.people[1].group, ""]
    shown = [by_role[role] for role in order]
    options = shown, [groups[role] for role in order], list(order)
    for at, polarity in enumerate(_POLARITIES):
        question = after.texts[2 + at]
        head = (template.language, template.category, condition, polarity, context, question)
        right = _UNKNOWN if ambiguous else after.answer_roles[at]
        values: dict[str, Any] = {
            "id": content_id("choice", str(SCHEMA_VERSION), *head, *shown),
            "language": template.language,
            "category": template.category,
            "subcategory": template.subcategory,
            "stereotype": template.stereotype,
            "template_id": template.id,
            "template_version": _version(template, swapped),
            "set_id": of.id,
            "condition": condition,
            "polarity": polarity,
            "context": context,
            "question": question,
            "label": order.index(right),
            "unknown": order.index(_UNKNOWN),
            "target": None if of.target is None else order.index(of.target),
            "target_groups": template.target_groups,
            "first_group": before.first_group,
            "cue": template.cue,
            "source": template.source,
            "source_id": _source_id(of, ambiguous, at == 0),
        }
        columns.add(values, options, of.words)


def _source_id(of: _Set, ambiguous: bool, negative: bool) -> str | None:
    sample_id = of.template.sample_id
    return None if sample_id is None else sample_id(of.number, ambiguous, negative)


def _version(template: PublishedTemplate, swapped: bool) -> str:
    """Return the version of the file; of people who exchange their slots, with a or b after it."""
    if len(template.swaps) == 1:
        return template.version
    return "-".join(filter(None, (template.version, "b" if swapped else "a")))
