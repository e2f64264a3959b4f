"""The check that the options of a template's items differ."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.generation.questions.pack_choices.choice_template import ResolvedChoice
from nextset.generation.questions.pack_choices.rendered_choice import ChoiceRenderer
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Subject
from nextset.letter_case import folded

__all__ = ["check_options"]


def check_options(template: ResolvedChoice, language: str, unknown: Sequence[str], place: Place) -> None:
    """Raise WordListError if two people, or a person and a wording of ``unknown``, are the same option."""
    renderer = ChoiceRenderer(language, template.gender, ())
    taken = {folded(text, language): f"the wording {text!r} of unknown" for text in unknown}
    for _, people in template.people.of_cues():
        options: dict[str, Subject] = {}
        for person in people:
            option = renderer.option(template.texts.option, person)
            key = folded(option, language)
            other = options.setdefault(key, person)
            same = taken.get(key) or (repr(other.name) if other.cluster != person.cluster else "")
            if same:
                raise place.error(
                    f"{person.name!r} and {same} are the same option, {option!r}",
                    "write options such that they differ, or change a form of the person",
                )
