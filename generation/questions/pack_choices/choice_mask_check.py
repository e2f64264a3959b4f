"""The check that the masks of templates of choices can be filled: taggers, lists, several masks in a text."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from nextset.errors import TemplateError
from nextset.generation.questions.pack_choices.choice_pieces import masks_in
from nextset.generation.questions.pack_choices.choice_template import TEXTS, PackChoices
from nextset.generation.word_forms import is_english
from nextset.study.generation_settings import FillSettings
from nextset.study.mask_constraint import MaskConstraint, parse_constraint
from nextset.word_lists.fill_list import fill_list, fill_list_names

__all__ = ["check_choice_masks"]


def check_choice_masks(choices: PackChoices, settings: FillSettings) -> None:
    """Raise TemplateError if a mask of ``choices``, or fill.mask in its place, cannot be filled."""
    default = parse_constraint(settings.mask)
    tagged = is_english(choices.language) or bool(settings.tagger)
    for template in choices.templates:
        for key, pieces in zip(TEXTS, template.texts.asked, strict=True):
            constraints = [mask if str(mask) else default for mask in masks_in(pieces)]
            problem, remedy = _problem(choices.language, constraints, tagged)
            if problem:
                raise TemplateError(
                    f"{template.id}, {key}: {problem}", file=template.file, line=template.line, remedy=remedy
                )


def _problem(language: str, constraints: Sequence[MaskConstraint], tagged: bool) -> tuple[str, str]:
    """Return what is wrong with the masks of a text, and the remedy; empty texts if they can be filled."""
    for constraint in constraints:
        if constraint.categories and not tagged:
            return (
                f"{constraint} needs a tagger for {language}: the lexicon has only English words",
                "name a spaCy model of the language as fill.tagger in study.yaml, or list words: only like …",
            )
        if constraint.listed and len(constraints) > 1:
            return (
                f"{constraint} is for the only mask of a text, and this one has several",
                "write one mask in the text, or constraints without a list and without only",
            )
        missing = next((name for name in constraint.lists if not fill_list(language, name)), "")
        if missing:
            near = difflib.get_close_matches(missing, fill_list_names(language), n=1)
            other = f"did you mean {near[0]!r}?" if near else "list the words: only like lazy, slow"
            return f"there is no list {missing} for {language}", other
    return "", ""
