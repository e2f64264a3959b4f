"""The expansion of published templates into choice items, in tables of some thousand rows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from nextset.generation.choices.published_templates.item_columns import ItemColumns
from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.set_choice import (
    Orders,
    chosen_rows,
    chosen_sets,
    option_orders,
)
from nextset.generation.choices.published_templates.set_texts import UNKNOWN_ROLE, SetText, set_texts
from nextset.generation.choices.published_templates.slotted_text import Entry
from nextset.records.choice_items import choice_set_id
from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.records.nli_items import Fill, Word

__all__ = ["Expansion", "template_tables"]

_PIECE = 4000
"""The rows of a table, about."""


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
        return chosen_rows(template, self.subset, self.orders)


def template_tables(templates: Iterable[PublishedTemplate], expansion: Expansion) -> Iterator[pa.Table]:
    """Yield the items of ``templates`` in their order, set after set."""
    columns = ItemColumns()
    for template in templates:
        for place, numbers in enumerate(chosen_sets(template, expansion.subset, expansion.seed)):
            for number in numbers:
                _add_set(columns, template, number, place, expansion)
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


def _add_set(
    columns: ItemColumns, template: PublishedTemplate, number: int, place: int, expansion: Expansion
) -> None:
    """Add the items with the people and words of a ``number``, in the set at ``place`` of the chosen ones."""
    pair, wording = divmod(number, template.wordings)
    people = template.pairs[pair]
    entries = template.words_at(wording)
    used = template.shared.union(slot.name for slot in template.disambiguating.slots())
    shared, every = (_words(template, entries, slots) for slots in (template.shared, used))
    key = _Key(template.language, template.category, template.id, shared, ())
    targeted = [person.targeted for person in people]
    row = {
        **_fields(template),
        "set_id": choice_set_id(key, [person.name for person in people]),
    }
    target = targeted.index(True) if targeted.count(True) == 1 else None
    unknown = template.unknown[place % len(template.unknown)]
    groups = (people[0].group, people[1].group, "")
    named = template.language, template.category
    for text in set_texts(template, number):
        row |= {
            "template_version": _version(template, text.swapped),
            "condition": text.condition,
            "polarity": text.polarity,
            "context": text.context,
            "question": text.question,
            "first_group": text.first_group,
            "source_id": _source_id(template, number, text),
        }
        shown = (*text.people, unknown)
        asked = (text.condition, text.polarity, text.context, text.question)
        for order in option_orders(expansion.orders, place):
            texts = [shown[role] for role in order]
            row |= {
                "id": content_id("choice", str(SCHEMA_VERSION), *named, *asked, *texts),
                "label": order.index(text.right),
                "unknown": order.index(UNKNOWN_ROLE),
                "target": None if target is None else order.index(target),
            }
            words = shared if text.condition == "ambiguous" else every
            columns.add(row, (texts, [groups[role] for role in order], order), words)


def _words(template: PublishedTemplate, entries: Sequence[Entry], slots: Container[str]) -> tuple[Word, ...]:
    """Return the words for ``slots``, in the order of their names."""
    words = [
        Word(word.name, entry.text)
        for word, entry in zip(template.words, entries, strict=True)
        if word.slot in slots
    ]
    return tuple(sorted(words, key=lambda word: word.name))


def _fields(template: PublishedTemplate) -> dict[str, Any]:
    """Return the fields that all items of a template share."""
    return {
        "language": template.language,
        "category": template.category,
        "subcategory": template.subcategory,
        "stereotype": template.stereotype,
        "template_id": template.id,
        "target_groups": template.target_groups,
        "cue": template.cue,
        "source": template.source,
    }


def _source_id(template: PublishedTemplate, number: int, text: SetText) -> str | None:
    if template.sample_id is None:
        return None
    return template.sample_id(number, text.condition == "ambiguous", text.polarity == "negative")


def _version(template: PublishedTemplate, swapped: bool) -> str:
    """Return the version of the file; of people who exchange their slots, with a or b after it."""
    if len(template.swaps) == 1:
        return template.version
    return "-".join(filter(None, (template.version, "b" if swapped else "a")))
