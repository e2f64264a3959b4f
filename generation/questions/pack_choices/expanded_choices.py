"""The expansion of templates of choices into sets: conditions × polarities × two orders of people × orders.

A set is about two people and one combination of words. Its texts are rendered once per set, and the rows are
built as columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, Literal

import pyarrow as pa

from nextset.generation.questions.pack_choices.choice_pieces import masks_in
from nextset.generation.questions.pack_choices.choice_template import PackChoices, ResolvedChoice
from nextset.generation.questions.pack_choices.compared_people import (
    ComparedPeople,
    Contrasts,
    compared_people,
    even_sample,
)
from nextset.generation.questions.pack_choices.rendered_choice import ChoiceRenderer
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import (
    ChoiceItem,
    Condition,
    MaskedChoice,
    Option,
    Polarity,
    choice_ids,
    choice_set_id,
)
from nextset.records.nli_items import Word

__all__ = ["PER_SET", "ChoiceExpansion", "Orders", "rows_per_set"]

Orders = Literal["one", "rotated", "all"]
"""The orders of the options as rows of their own, as in `nextset.study.choice_settings.ChoiceSettings`."""
PER_SET = 12
"""The items of a set without orders: 4 ambiguous and 8 disambiguated ones."""
_UNKNOWN = 2
"""The role of the option unknown."""
_PERMUTATIONS = tuple(itertools.permutations(range(3)))
_CYCLES = (((0, 1, 2), (1, 2, 0), (2, 0, 1)), ((0, 2, 1), (2, 1, 0), (1, 0, 2)))
_POLARITIES: tuple[Polarity, ...] = ("negative", "non_negative")


def rows_per_set(orders: Orders) -> int:
    """Return the number of items of a set."""
    return PER_SET * {"one": 1, "rotated": 3, "all": 6}[orders]


@dataclass(frozen=True)
class _Cell:
    """An item of a set, before the options are ordered."""

    condition: Condition
    polarity: Polarity
    first: int
    """The role of the person whom the ambiguous context names first."""
    doer: int | None
    """The role of the person about whom the negative question is right; None in an ambiguous context."""

    @property
    def right(self) -> int:
        """The role of the right option."""
        if self.doer is None:
            return _UNKNOWN
        return self.doer if self.polarity == "negative" else 1 - self.doer


_DOERS: Mapping[Condition, tuple[int | None, ...]] = {"ambiguous": (None,), "disambiguated": (0, 1)}
_CELLS = tuple(
    _Cell(condition, polarity, first, doer)
    for condition, doers in _DOERS.items()
    for polarity in _POLARITIES
    for first in (0, 1)
    for doer in doers
)


@dataclass(frozen=True)
class ChoiceExpansion:
    """The expansion of the templates of a pack."""

    choices: PackChoices
    contrasts: Contrasts = "others"
    orders: Orders = "one"
    subset: int | None = None
    seed: int = 0
    _pairs: dict[str, list[ComparedPeople]] = field(default_factory=dict, repr=False)

    def pairs(self, template: ResolvedChoice) -> list[ComparedPeople]:
        """Return the people whom ``template`` compares."""
        if template.id not in self._pairs:
            self._pairs[template.id] = compared_people(template, self.contrasts, self.seed)
        return self._pairs[template.id]

    def sets(self, template: ResolvedChoice) -> int:
        """Return the number of sets of ``template``."""
        every = len(self.pairs(template)) * template.combinations
        return every if self.subset is None else min(every, self.subset)

    def rows(self, *, masked: bool) -> int:
        """Return the number of items of the templates with masks, or of those without."""
        sets = sum(self.sets(t) for t in self.choices.templates if t.masked == masked)
        return sets * rows_per_set(self.orders)

    def table(self, template: ResolvedChoice) -> pa.Table:
        """Return the items of ``template``, ChoiceItems or MaskedChoices, set by set."""
        draw = Random(f"{self.seed} {template.category} {template.id}")
        pairs, values = self.pairs(template), list(template.word_values())
        chosen = even_sample(pairs, len(values), self.subset, draw)
        wordings = [i % len(self.choices.unknown) for i in range(len(chosen))]
        draw.shuffle(wordings)
        rows: list[dict[str, Any]] = []
        for (pair, combination), wording in zip(chosen, wordings, strict=True):
            unknown = self.choices.unknown[wording]
            rows += self._set(template, pairs[pair], values[combination], unknown, draw)
        schema = arrow_schema(MaskedChoice if template.masked else ChoiceItem)
        table = pa.Table.from_pylist(rows, schema=schema)
        return table.set_column(0, schema.field("id"), pa.array(choice_ids(table), pa.string()))

    def _set(
        self,
        template: ResolvedChoice,
        pair: ComparedPeople,
        values: Sequence[str],
        unknown: str,
        draw: Random,
    ) -> Iterator[dict[str, Any]]:
        """Yield the items of a set."""
        choices, people = self.choices, (pair.first, pair.second)
        renderer = ChoiceRenderer(choices.language, template.gender, choices.rules)
        words = dict(zip(template.words, values, strict=True))
        texts = _SetTexts.of(template, renderer, pair, words, choices.join)
        by_role = [
            Option(renderer.option(template.texts.option, person), person.cluster, role)
            for role, person in enumerate(people)
        ]
        options = [asdict(option) for option in (*by_role, Option(unknown, "", _UNKNOWN))]
        shared = self._shared(template, pair, words)
        for cell, order in zip(*_ordered(self.orders, draw), strict=True):
            yield {
                **shared,
                **texts.of_cell(cell, template),
                "template_version": "ab"[cell.first],
                "condition": cell.condition,
                "polarity": cell.polarity,
                "options": [options[role] for role in order],
                "label": order.index(cell.right),
                "unknown": order.index(_UNKNOWN),
                "target": order.index(0) if pair.aimed else None,
                "first_group": people[cell.first].cluster,
            }

    def _shared(
        self, template: ResolvedChoice, pair: ComparedPeople, words: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the values that all items of a set share."""
        choices = self.choices
        shared = {
            "id": "",
            "language": choices.language,
            "category": template.category,
            "subcategory": template.subcategory,
            "stereotype": template.stereotype,
            "template_id": template.id,
            "target_groups": list(template.target),
            "cue": pair.cue,
            "words": [asdict(Word(name, value)) for name, value in words.items()],
            "fills": [],
            "source": template.source,
            "source_id": None,
            "published": None,
            "parent_id": None,
            "supersedes": None,
            "rules": list(choices.rule_names),
        }
        words_of_item = [Word(name, value) for name, value in words.items()]
        item = SimpleNamespace(**{**shared, "words": words_of_item})
        return {**shared, "set_id": choice_set_id(item, [pair.first.name, pair.second.name])}


@dataclass(frozen=True)
class _SetTexts:
    """The texts of a set."""

    ambiguous: tuple[str, str]
    """By the role of the person who is named first."""
    disambiguating: tuple[str, str]
    """By the role of the person about whom the negative question is right, with the text before it."""
    questions: Mapping[Polarity, str]

    @classmethod
    def of(
        cls,
        template: ResolvedChoice,
        renderer: ChoiceRenderer,
        pair: ComparedPeople,
        words: Mapping[str, str],
        join: str,
    ) -> _SetTexts:
        texts, (one, two) = template.texts, ((pair.first, pair.second), (pair.second, pair.first))
        after = [join + renderer.text(texts.disambiguating, people, words) for people in (one, two)]
        return cls(
            (renderer.text(texts.ambiguous, one, words), renderer.text(texts.ambiguous, two, words)),
            (after[0], after[1]),
            {
                "negative": renderer.text(texts.negative, one, words),
                "non_negative": renderer.text(texts.non_negative, one, words),
            },
        )

    def of_cell(self, cell: _Cell, template: ResolvedChoice) -> dict[str, Any]:
        """Return context and question of an item, with the constraints of its masks."""
        told = "" if cell.doer is None else self.disambiguating[cell.doer]
        asked = template.texts.negative if cell.polarity == "negative" else template.texts.non_negative
        pieces = (template.texts.ambiguous, template.texts.disambiguating if told else (), asked)
        return {
            "context": self.ambiguous[cell.first] + told,
            "question": self.questions[cell.polarity],
            "mask_constraints": [str(mask) for text in pieces for mask in masks_in(text)],
        }


def _ordered(orders: Orders, draw: Random) -> tuple[list[_Cell], list[tuple[int, ...]]]:
    """Return the items of a set, and the order of the options of each: roles from the first place on.

    one: over the set, each order is equally frequent.
    """
    if orders == "one":
        drawn = [_PERMUTATIONS[i % len(_PERMUTATIONS)] for i in range(len(_CELLS))]
        draw.shuffle(drawn)
        return list(_CELLS), drawn
    of_cell = _PERMUTATIONS if orders == "all" else draw.choice(_CYCLES)
    return [cell for cell in _CELLS for _ in of_cell], [order for _ in _CELLS for order in of_cell]
