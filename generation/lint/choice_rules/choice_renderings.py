"""Rendered texts of templates of choices, as lint rules read them, and findings in these templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.generation.questions.pack_choices.choice_pieces import ChoicePiece
from nextset.generation.questions.pack_choices.choice_template import PackChoices, ResolvedChoice
from nextset.generation.questions.pack_choices.compared_people import compared_people
from nextset.generation.questions.pack_choices.rendered_choice import ChoiceRenderer
from nextset.generation.questions.question_set import Subject
from nextset.lint_rules import Finding

__all__ = ["choice_finding", "renderings", "texts_of_template"]


def choice_finding(template: ResolvedChoice, rule: str, problem: str) -> Finding:
    """Return a finding in a template; its name is the template's name in the file."""
    return Finding(template.file, template.line, rule, f"{template.id}: {problem}", template.name)


def renderings(choices: PackChoices, template: ResolvedChoice, pieces: Sequence[ChoicePiece]) -> set[str]:
    """Return ``pieces`` with each person in each place, and with each word of its lists at least once."""
    renderer = ChoiceRenderer(choices.language, template.gender, choices.rules)
    longest = max((len(values) for values in template.words.values()), default=1)
    texts = set()
    for people in _each_person(template):
        for i in range(longest):
            words = {name: values[i % len(values)] for name, values in template.words.items()}
            texts.add(renderer.text(pieces, people, words))
    return texts


def texts_of_template(choices: PackChoices, template: ResolvedChoice) -> Iterator[str]:
    """Yield the renderings of the contexts and questions of ``template``, sorted."""
    for pieces in template.texts.asked:
        yield from sorted(renderings(choices, template, pieces))


def _each_person(template: ResolvedChoice) -> list[tuple[Subject, Subject]]:
    """Return pairs with each person of ``template`` who is compared, as the first and as the second."""
    seen: set[str] = set()
    chosen = []
    for pair in compared_people(template, "others", seed=0):
        if not {pair.first.name, pair.second.name} <= seen:
            seen |= {pair.first.name, pair.second.name}
            chosen += [(pair.first, pair.second), (pair.second, pair.first)]
    return chosen
