"""The parts of question sets that lint rules read, and findings in these parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nextset.generation.questions.question_set import Attribute, QuestionSet, SetTemplate, Subject
from nextset.generation.slots import Piece
from nextset.lint_rules import Finding

__all__ = [
    "PackRule",
    "attributes",
    "context_pieces",
    "entries",
    "entry_finding",
    "subject_pairs",
    "subjects",
    "template_finding",
]

PackRule = Callable[[Sequence[QuestionSet]], Iterator[Finding]]
"""A function that returns the findings of one rule in the question sets of a pack."""


def subjects(questions: QuestionSet) -> list[Subject]:
    """Return the subjects of a class."""
    return [subject for listed in questions.subjects for subject in listed]


def attributes(questions: QuestionSet) -> list[Attribute]:
    """Return the attributes in the templates of a class, each once."""
    return list({id(a.attribute): a.attribute for t in questions.templates for a in t.by_attribute}.values())


def entries(questions: QuestionSet) -> list[Subject | Attribute]:
    """Return the subjects and the attributes of a class."""
    return [*subjects(questions), *attributes(questions)]


def entry_finding(entry: Subject | Attribute, rule: str, problem: str) -> Finding:
    """Return a finding in a subject or an attribute."""
    return Finding(entry.file, entry.line, rule, f"{entry.name}: {problem}", entry.name)


def template_finding(questions: QuestionSet, template: SetTemplate, rule: str, problem: str) -> Finding:
    """Return a finding in a template; its name is the template's name in the file, without the gender."""
    name = template.id.partition(".")[0]
    return Finding(questions.file, template.line, rule, f"{template.id}: {problem}", name)


def context_pieces(template: SetTemplate) -> list[Piece]:
    """Return the pieces of a context, with adjacent texts joined."""
    pieces: list[Piece] = []
    for piece in template.context:
        last = pieces[-1] if pieces else None
        if isinstance(piece, str) and isinstance(last, str):
            pieces[-1] = last + piece
        else:
            pieces.append(piece)
    return pieces


def subject_pairs(questions: QuestionSet) -> Iterator[tuple[Subject, Subject]]:
    """Yield pairs that have each subject once as the first and once as the second."""
    one, two = questions.lists
    if questions.pairs == "all":
        yield from zip(one, (*one[1:], one[0]), strict=True)
        return
    for i in range(max(len(one), len(two))):
        pair = one[i % len(one)], two[i % len(two)]
        yield pair
        yield pair[::-1]
