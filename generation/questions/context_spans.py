"""A context with two subjects in it, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.errors import WordListError
from nextset.generation.questions.question_set import QuestionSet, SetTemplate, Subject
from nextset.generation.questions.slots import Run, form
from nextset.generation.sound_rules.text_edits import edited
from nextset.records.question_quads import Span

__all__ = ["Context", "render_context", "with_distinct_templates"]


@dataclass(frozen=True)
class Context:
    """A rendered context."""

    text: str
    """The text, prefix included."""
    first: Span
    """Where the subject in [subj1] stands."""
    second: Span
    """Where the subject in [subj2] stands."""


def render_context(questions: QuestionSet, template: SetTemplate, first: Subject, second: Subject) -> Context:
    """The context of ``template`` with ``first`` in [subj1] and ``second`` in [subj2].

    The spans come from the slots, not from a search: Mali stands in Somalia too.
    """
    text = ""
    spans: dict[str, tuple[int, int]] = {}
    subjects = {"subj1": first, "subj2": second}
    for piece in template.context:
        if isinstance(piece, str):
            text += piece
        elif isinstance(piece, Run):
            text += dict(piece.values)[subjects[piece.subject].gender]
        else:
            words = form(subjects[piece.name].forms, piece.features, template.gender)
            assert words is not None, "resolve() looked every form up"
            spans[piece.name] = (len(text), len(text) + len(words))
            text += words
    text, (one, two) = edited(text, (spans["subj1"], spans["subj2"]), questions.rules)
    by = len(questions.prefix)
    return Context(questions.prefix + text, Span(one[0] + by, one[1] + by), Span(two[0] + by, two[1] + by))


def with_distinct_templates(questions: QuestionSet) -> QuestionSet:
    """``questions`` itself; raises WordListError when two of its templates read alike.

    They are compared as they read for the first and for the last pair of subjects.
    """
    one, two = questions.lists
    pairs = ((one[0], two[-1]), (one[-1] if questions.pairs == "across" else one[-2], two[-1]))
    seen: dict[tuple[str, ...], SetTemplate] = {}
    for template in questions.templates:
        contexts = (render_context(questions, template, *pair).text for pair in pairs)
        texts = (*contexts, *(text for a in template.asked for text in (a.text, a.negated)))
        if texts in seen:
            raise WordListError(
                f"{template.id} reads like {seen[texts].id}", file=questions.file, line=template.line,
                remedy="keep one, or let them differ",
            )  # fmt: skip
        seen[texts] = template
    return questions
