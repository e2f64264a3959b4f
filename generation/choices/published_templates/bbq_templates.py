"""BBQ's template files (Parrish et al. 2022): CSV, one row per template and version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from nextset.errors import StudyError
from nextset.generation.choices.published_templates.bbq_people import BbqRow, bbq_people
from nextset.generation.choices.published_templates.bbq_vocabulary import BbqVocabulary
from nextset.generation.choices.published_templates.braced_text import (
    braced_lists,
    braced_text,
    quoted_list,
    word_entries,
)
from nextset.generation.choices.published_templates.published_template import PublishedTemplate, WordSlot
from nextset.generation.choices.published_templates.slotted_text import Entry, SlottedText
from nextset.generation.choices.published_templates.template_format import (
    TemplateReading,
    TemplateRow,
    wanted_cell,
)

__all__ = ["BBQ_TEMPLATES", "BBQ_UNKNOWN"]

BBQ_UNKNOWN = (
    "Unknown",
    "Cannot be determined",
    "Can't be determined",
    "Not answerable",
    "Not known",
    "Not enough info",
    "Not enough information",
    "Cannot answer",
    "Can't answer",
    "Undetermined",
)
"""The ten wordings of unknown, which the authors' script draws from (Parrish et al. 2022, section 3)."""
_PREFIX = "new_templates - "
_BEFORE_VOWEL = re.compile(r"(\s[aA])(?=\s[aeiouAEIOU])")
_CORRECTED = (("lesbian man", "lesbian woman"), ("Latino woman", "Latina woman"))
"""Combinations of a label and a noun that the authors' script corrects."""


class _BbqTemplates:
    """The format of BBQ's templates, with its vocabularies in the same folder."""

    columns = (
        "Q_id",
        "Ambiguous_Context",
        "Disambiguating_Context",
        "Answer_negative",
        "Answer_non_negative",
    )

    def read(self, reading: TemplateReading) -> list[PublishedTemplate]:
        """Return the templates; raises StudyError for a study in another language than English."""
        if reading.language.split("-")[0] != "en":
            raise StudyError(
                f"BBQ's templates are in English, but the study's language is {reading.language}",
                file=reading.file,
                remedy="write language: en in study.yaml",
            )
        vocabulary = BbqVocabulary(reading.file.parent, reading.beside)
        templates: list[PublishedTemplate] = []
        for row in reading.rows:
            if row.cells.get("Ambiguous_Context", "").strip():
                template = _template(reading, row, vocabulary)
                templates.append(_like_earlier(template, templates))
        return templates


BBQ_TEMPLATES = _BbqTemplates()
"""The format."""


def _template(reading: TemplateReading, row: TemplateRow, vocabulary: BbqVocabulary) -> PublishedTemplate:
    cell = partial(wanted_cell, reading.file, row)
    spare = partial(wanted_cell, reading.file, row, optional=True)
    category = reading.file.stem.removeprefix(_PREFIX)
    targets = quoted_list(spare("Known_stereotyped_groups") or spare("Known_stereotyped_race"))
    second = spare("Known_stereotyped_var2")
    people = bbq_people(
        BbqRow(
            category,
            spare("Subcategory"),
            spare("Names"),
            targets,
            second,
            quoted_list(spare("Var2_info")),
            (spare("NAME1_info"), spare("NAME2_info")),
            spare("Proper_nouns_only").casefold() == "true",
        ),
        vocabulary,
        reading.every,
    )
    lists = braced_lists(spare("Lexical_diversity"))
    slots = {"NAME1", "NAME2", *lists}

    def text(column: str) -> SlottedText:
        return braced_text(cell(column), slots)

    def option(column: str) -> SlottedText:
        cell(column)
        return braced_text(row.cells[column], slots)  # with spaces at its ends, as published

    return PublishedTemplate(
        file=reading.file,
        line=row.line,
        language=reading.language,
        category=category,
        subcategory=spare("Subcategory"),
        number=cell("Q_id"),
        version=spare("version"),
        stereotype=spare("Relevant_social_values"),
        source=spare("Notes") or None,
        target_groups=(*targets, second) if second else targets,
        ambiguous=text("Ambiguous_Context"),
        disambiguating=text("Disambiguating_Context"),
        negative=text("Question_negative_stereotype"),
        non_negative=text("Question_non_negative"),
        answers=(option("Answer_negative"), option("Answer_non_negative")),
        pairs=people.pairs,
        swaps=people.swaps,
        words=tuple(WordSlot(name, name, word_entries(forms)) for name, forms in lists.items()),
        cue="name" if spare("Proper_nouns_only").casefold() == "true" else "label",
        unknown=BBQ_UNKNOWN,
        polish=_polished,
        notes=_notes(row.cells),
    )


def _notes(cells: Mapping[str, str]) -> dict[str, str]:
    return {name: cells[name] for name in ("Names", "Lexical_diversity") if cells.get(name)}


def _like_earlier(template: PublishedTemplate, earlier: list[PublishedTemplate]) -> PublishedTemplate:
    """Return ``template``, mirrored if an earlier version has the same people in exchanged slots."""
    swapped = template.pairs.swapped()
    for other in earlier:
        if other.number == template.number and other.pairs.texts() == swapped.texts():
            return template if len(template.swaps) > 1 else replace(template, pairs=swapped, mirrored=True)
    return template


def _polished(text: str, first: Entry, second: Entry) -> str:
    """Return ``text`` with the corrections of the authors' script, which knows vowels only by their letters.

    a becomes an before any vowel of the text, but only if a person's text begins with a vowel.
    """
    for wrong, right in _CORRECTED:
        text = text.replace(wrong, right)
    texts = [part for person in (first, second) for part in (person.text, *person.forms.values())]
    if any(part[:1] and part[0] in "aeiouAEIOU" for part in texts):
        text = _BEFORE_VOWEL.sub(r"\1n", text).replace(" an European", " a European")
    return text
