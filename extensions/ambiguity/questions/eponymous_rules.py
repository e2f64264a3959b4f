"""Lint rules for questions with several right answers: contexts name the people, names can be replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from nextset.errors import InputError
from nextset.extensions.ambiguity.questions.eponymous_yaml import read_eponymous
from nextset.extensions.ambiguity.questions.mentions import located
from nextset.extensions.ambiguity.questions.renaming_obstacles import UNNAMED, renaming_obstacle
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.extensions.ambiguity.questions.text_people import people_of_text
from nextset.files.yaml_reader import read_yaml
from nextset.lint_rules import Finding

__all__ = ["is_eponymous", "lint_eponymous", "lint_questions"]

_ATTRIBUTE = "gender"


def is_eponymous(file: Path) -> bool:
    """Return whether the YAML ``file`` has questions with several right answers, by its keys."""
    data = read_yaml(file, InputError).data if file.suffix == ".yaml" else None
    return isinstance(data, dict) and "items" in data


def lint_eponymous(file: Path) -> Iterator[Finding]:
    """Yield the findings in ``file``; raises WordListError if it cannot be read."""
    yield from lint_questions(read_eponymous(file, file.name, _ATTRIBUTE), _ATTRIBUTE)


def lint_questions(questions: Iterable[SourceQuestion], attribute: str) -> Iterator[Finding]:
    """Yield the findings in ``questions``, whose people are compared by ``attribute``."""
    for question in questions:
        for person in located(question):
            if person.position is None:
                message = f"the context does not name {person.person.name}"
                line = person.person.line or question.line
                yield Finding(question.file, line, "unnamed-person", message, question.key)
        people = people_of_text(question.context, question.item, question.people, question.language)
        groups = [person.group(attribute) for person in question.people]
        obstacle = renaming_obstacle(question, people, groups)
        if obstacle is not None and obstacle.reason != UNNAMED:
            message = (
                f"names cannot be replaced, so a balanced study omits it: {obstacle.reason}: {obstacle.place}"
            )
            yield Finding(question.file, question.line, "fixed-names", message, question.key)
