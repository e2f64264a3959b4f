"""The templates of choices that nextset ships, each pack read once."""

from __future__ import annotations

import functools
from typing import Any

from nextset.generation.questions.pack import read_pack_choices
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.pack_choices.expanded_choices import ChoiceExpansion
from nextset.word_lists import FOLDER

__all__ = ["CHOICE_LANGUAGES", "choices_of", "expanded", "template_names"]

CHOICE_LANGUAGES = sorted(folder.parent.name for folder in FOLDER.glob("*/choice"))


@functools.cache
def choices_of(language: str) -> PackChoices:
    """Return the templates of choices of the pack of ``language``."""
    choices = read_pack_choices(FOLDER / language)
    assert choices is not None
    return choices


@functools.cache
def expanded(language: str) -> tuple[tuple[str, list[dict[str, Any]]], ...]:
    """Return two sets of items per combination of words and cue of each template, with the template's id."""
    expansion = ChoiceExpansion(choices_of(language), "others", "one", 12, 0)
    return tuple((t.id, expansion.table(t).to_pylist()) for t in expansion.choices.templates)


def template_names(language: str) -> dict[str, set[str]]:
    """Return the names of the templates about stereotypes, by category."""
    names: dict[str, set[str]] = {}
    for template in choices_of(language).templates:
        if not template.is_control:
            names.setdefault(template.category, set()).add(template.name)
    return names
