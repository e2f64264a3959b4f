"""Published rows as choice items: the parts that need the other rows of the source are filled in."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pyarrow as pa

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.source_facts import (
    SourceFacts,
    is_crossed,
    people_of,
    place_of_unknown,
    shared_words,
)
from nextset.published_choices.target_groups import target_person
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem, Option, choice_ids, choice_set_id

__all__ = ["completed_item", "item_pieces", "name_begin"]

_PIECE = 4096
"""Rows of a piece."""


def item_pieces(drafts: Iterable[ChoiceDraft], facts: SourceFacts, language: str) -> Iterator[pa.Table]:
    """Yield the items of ``drafts`` with their ids, some thousand rows at a time, in their order.

    ``language`` is that of formats that do not state their own.
    """
    rest = iter(drafts)
    while piece := list(islice(rest, _PIECE)):
        yield _table([completed_item(draft, facts, language) for draft in piece])


def completed_item(draft: ChoiceDraft, facts: SourceFacts, language: str) -> ChoiceItem:
    """Return the item of ``draft``, without its id."""
    unknown = place_of_unknown(draft, facts)
    target = _target(draft, unknown, facts)
    names = sorted({name for place, name in enumerate(draft.names) if place != unknown})
    context = facts.ambiguous_context(draft)
    item = ChoiceItem(
        id="",
        language=draft.language or language,
        category=draft.category,
        subcategory=draft.subcategory,
        stereotype=draft.stereotype,
        template_id=draft.template_id,
        template_version=draft.template_version,
        set_id=None,
        condition=draft.condition,
        polarity=draft.polarity,
        context=draft.context,
        question=draft.question,
        options=_options(draft, unknown, target, names),
        label=draft.label,
        unknown=unknown,
        target=target,
        target_groups=draft.target_groups or _named_target(draft, target),
        first_group=_first_group(draft, unknown, context),
        cue=draft.cue,
        words=(),
        fills=(),
        source=draft.source,
        source_id=draft.source_id,
        published=draft.published,
        parent_id=None,
        supersedes=None,
    )
    marks = draft.set_marks or (*names, "", shared_words(context))
    return replace(item, set_id=choice_set_id(item, marks))


def _target(draft: ChoiceDraft, unknown: int | None, facts: SourceFacts) -> int | None:
    """Return the place of the target: as stated, else of the biased answer if that is stated, else of the
    groups."""
    if draft.states_target:
        return draft.target
    people = people_of(draft, unknown)
    if draft.biased is not None:
        others = [person.place for person in people if person.place != draft.biased]
        if unknown is None or draft.biased == unknown:
            return None
        if draft.polarity == "negative":
            return draft.biased
        return others[0] if len(others) == 1 else None
    return target_person(
        people,
        draft.target_groups,
        crossed=is_crossed(draft),
        attributes=facts.attributes(draft.template_id) if is_crossed(draft) else (),
    )


def _named_target(draft: ChoiceDraft, target: int | None) -> tuple[str, ...]:
    return () if target is None else (draft.groups[target],)


def _options(
    draft: ChoiceDraft, unknown: int | None, target: int | None, names: Sequence[str]
) -> tuple[Option, ...]:
    """Return the options; a person's role is the place of the name in alphabetical order.

    If the published id states the set, names may differ within it. Then the target has the role 0.
    """
    by_target = bool(draft.set_marks) and target is not None
    return tuple(
        Option(text, "", len(names))
        if place == unknown
        else Option(
            text,
            draft.groups[place],
            int(place != target) if by_target else names.index(draft.names[place]),
        )
        for place, text in enumerate(draft.options)
    )


def _first_group(draft: ChoiceDraft, unknown: int | None, context: str) -> str:
    """Return the group of the person whom ``context`` names first; empty if a person is not in it."""
    people = people_of(draft, unknown)
    begins = [name_begin(person.name, context) for person in people]
    if not begins or min(begins) < 0 or len(set(begins)) < len(begins):
        return ""
    return people[begins.index(min(begins))].group


def name_begin(name: str, context: str) -> int:
    """Return the place of ``name`` in ``context``, or else of its first words; -1 if they are not there."""
    while name:
        word = _word(name).search(context)
        begin = word.start() if word else context.casefold().find(name.casefold())
        if begin >= 0:
            return begin
        name = name.rpartition(" ")[0]
    return -1


@functools.lru_cache(4096)
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _table(items: Sequence[ChoiceItem]) -> pa.Table:
    """Return a table of ``items``, with their ids."""
    schema = arrow_schema(ChoiceItem)
    columns = [pa.array(_values(items, field.name), field.type) for field in schema]
    table = pa.Table.from_arrays(columns, schema=schema)
    return table.set_column(0, schema.field(0), pa.array(choice_ids(table), pa.string()))


def _values(items: Sequence[ChoiceItem], name: str) -> list[Any]:
    values = [getattr(item, name) for item in items]
    if name != "options":
        return values
    return [[{"text": o.text, "group": o.group, "role": o.role} for o in options] for options in values]
