"""KoBBQ's template file (Jin et al. 2024): TSV, one row per template and version, in Korean."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path

from nextset.errors import TemplateError
from nextset.generation.choices.published_templates.braced_text import listed
from nextset.generation.choices.published_templates.korean_slots import (
    bracketed_lists,
    bracketed_text,
    forms_of,
)
from nextset.generation.choices.published_templates.people_pairs import PeoplePairs
from nextset.generation.choices.published_templates.published_template import PublishedTemplate, WordSlot
from nextset.generation.choices.published_templates.slotted_text import Entry, SlottedText
from nextset.generation.choices.published_templates.template_format import (
    TemplateReading,
    TemplateRow,
    wanted_cell,
)

__all__ = ["KOBBQ_TEMPLATES", "KOBBQ_UNKNOWN"]

KOBBQ_UNKNOWN = "알 수 없음"
"""The option unknown in the published test samples."""
_EXCHANGED = {"X1": "X2", "X2": "X1"}
_MIRRORED = ("b", "d")
"""The versions that name the other person first."""
_TEXTS = (
    "Ambiguous_context",
    "Disambiguating_context",
    "Biased_question",
    "Counter-biased_question",
    "Biased_question_answer",
    "Counter-biased_question_answer",
)
_SPACES = re.compile(" {2,}")


class _KobbqTemplates:
    """The format of KoBBQ's templates."""

    columns = (*_TEXTS, "Names", "N1_info", "N2_info", "Target_group")

    def read(self, reading: TemplateReading) -> list[PublishedTemplate]:
        """Return the templates, whose language is Korean."""
        return [_template(reading.file, row) for row in reading.rows]


KOBBQ_TEMPLATES = _KobbqTemplates()
"""The format."""


def _template(file: Path, row: TemplateRow) -> PublishedTemplate:
    cell = partial(wanted_cell, file, row)
    spare = partial(wanted_cell, file, row, optional=True)
    ambiguous, disambiguating, biased, counter, answer, other = (
        bracketed_text(_SPACES.sub(" ", cell(column).strip(" \b"))) for column in _TEXTS
    )
    texts = (ambiguous, disambiguating, biased, counter, answer, other)
    lists = bracketed_lists(f"{cell('Names')}; {spare('Lexical_diversity')}")
    _refuse_unlisted(file, row.line, texts, lists)
    category, number, version = cell("Category"), cell("ID"), spare("version")
    targets = listed(spare("Target_group"))
    people = tuple(
        _people(lists[f"NAME{i}"], cell(f"N{i}_info"), targets, _forms(texts, f"NAME{i}")) for i in (1, 2)
    )
    mirrored = version in _MIRRORED
    return PublishedTemplate(
        file=file,
        line=row.line,
        language="ko",
        category=category,
        subcategory="",
        number=number,
        version=version,
        stereotype=spare("Stereotype"),
        source=spare("Reference") or None,
        target_groups=targets,
        ambiguous=ambiguous,
        disambiguating=disambiguating,
        negative=biased,
        non_negative=counter,
        answers=(answer, other),
        pairs=PeoplePairs(((people[1], people[0]) if mirrored else (people[0], people[1]),)),
        mirrored=mirrored,
        words=_words(lists, texts, mirrored),
        unknown=(KOBBQ_UNKNOWN,),
        sample_id=partial(_sample_id, f"{category.lower()}-{_digits(number)}{version}"),
        notes={"Names": cell("Names")},
    )


def _digits(number: str) -> str:
    return f"{int(number):03}" if number.isascii() and number.isdecimal() and len(number) < 9 else number


def _sample_id(template: str, number: int, ambiguous: bool, negative: bool) -> str:
    """Return a published id, such as age-001a-002-amb-bsd."""
    ends = f"{'amb' if ambiguous else 'dis'}-{'bsd' if negative else 'cnt'}"
    return f"{template}-{number + 1:03}-{ends}"


def _forms(texts: Iterable[SlottedText], name: str) -> list[str]:
    """Return the forms that the slot ``name`` has in ``texts``."""
    return list(dict.fromkeys(s.form for text in texts for s in text.slots() if s.name == name))


def _entry(texts: tuple[str, ...], place: int, forms: Iterable[str], group: str, targeted: bool) -> Entry:
    return Entry(texts[place], group, targeted, {form: forms_of(form)[place] for form in forms})


def _people(
    names: tuple[str, ...], info: str, targets: Collection[str], forms: list[str]
) -> tuple[Entry, ...]:
    """Return the people in a list, with one group for all of them, or a group for each."""
    groups = listed(info)
    if len(groups) != len(names):
        groups = (info.strip(),) * len(names)
    return tuple(
        _entry(names, i, forms, group, not set(listed(group)).isdisjoint(targets))
        for i, group in enumerate(groups)
    )


def _words(
    lists: dict[str, tuple[str, ...]], texts: Iterable[SlottedText], mirrored: bool
) -> tuple[WordSlot, ...]:
    """Return the lists of words: X1 and X2, which belong to the people, and then W1, W2 …"""
    texts = tuple(texts)
    slots = sorted((slot for slot in lists if slot[0] in "WX"), key=lambda slot: (slot[0] == "W", slot))
    words = [
        WordSlot(
            slot,
            _EXCHANGED.get(slot, slot) if mirrored else slot,
            tuple(_entry(lists[slot], i, _forms(texts, slot), "", False) for i in range(len(lists[slot]))),
        )
        for slot in slots
    ]
    return tuple(sorted(words, key=lambda word: (word.name[0] == "W", word.name)))


def _refuse_unlisted(
    file: Path, line: int, texts: Iterable[SlottedText], lists: dict[str, tuple[str, ...]]
) -> None:
    """Raise TemplateError for a slot without a list, or with fewer entries than its list."""
    for slot in (slot for text in texts for slot in text.slots()):
        if slot.name not in lists:
            raise TemplateError(
                f"the slot {slot.name} has no list in Names or Lexical_diversity", file=file, line=line,
                remedy="add the list, or remove the slot",
            )  # fmt: skip
        if len(forms_of(slot.form)) < len(lists[slot.name]):
            raise TemplateError(
                f"[{slot.form[:60]}] has fewer entries than the list {slot.name} ({len(lists[slot.name])})",
                file=file,
                line=line,
                remedy="write every entry of the list, in the same order",
            )
    for name in ("NAME1", "NAME2"):
        if not lists.get(name):
            raise TemplateError(
                f"Names has no list {name[0]}{name[-1]}", file=file, line=line,
                remedy="write both lists, as in N1: [one]; N2: [another]",
            )  # fmt: skip
