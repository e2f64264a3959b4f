"""Rendered contexts of questions, with the character spans of both subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.errors import WordListError
from nextset.generation.questions.question_set import Attribute, QuestionSet, SetTemplate, Subject
from nextset.generation.slots import Piece, Run, Slot, form_key
from nextset.generation.sound_rules.text_edits import SoundRule, apply_rules_to_spans
from nextset.records.question_quads import Span
from nextset.scoring.masks.word_pattern import MASK

__all__ = [
    "Assertion",
    "Context",
    "candidate",
    "render_asked",
    "render_assertion",
    "render_context",
    "with_distinct_templates",
]


@dataclass(frozen=True)
class Context:
    """A rendered context."""

    text: str
    """The text, prefix included."""
    first: Span
    """Position of the subject in [subj1]."""
    second: Span
    """Position of the subject in [subj2]."""


@dataclass(frozen=True)
class Assertion:
    """A statement that a subject has an attribute, or does not have it."""

    text: str
    subject: Span
    """Position of the subject."""


def candidate(template: SetTemplate, subject: Subject) -> str:
    """Return ``subject`` in its form at the mask of the statements of ``template``."""
    key = form_key(subject.forms, template.mask_form, template.gender)
    assert key is not None, "resolve() looked every form up"
    start, end = subject.answer(key)
    return subject.forms[key][start:end]


def render_context(questions: QuestionSet, template: SetTemplate, first: Subject, second: Subject) -> Context:
    """Return the context of ``template`` with ``first`` in [subj1] and ``second`` in [subj2].

    The spans come from the slots, not from a search, which would find Mali in Somalia.
    """
    text = ""
    spans: dict[str, tuple[int, int]] = {}
    borders: list[int] = []
    subjects = {"subj1": first, "subj2": second}
    for piece in template.context:
        if isinstance(piece, str):
            text += piece
            continue
        at = len(text)
        if isinstance(piece, Run):
            text += dict(piece.values)[subjects[piece.subject].gender]
        else:
            subject = subjects[piece.name]
            key = form_key(subject.forms, piece.features or frozenset(), template.gender)
            assert key is not None, "resolve() looked every form up"
            start, end = subject.answer(key)
            spans[piece.name] = (at + start, at + end)
            text += subject.forms[key]
        borders += (at, len(text))
    text, (one, two) = apply_rules_to_spans(
        text,
        (spans["subj1"], spans["subj2"]),
        questions.rules,
        None if questions.rules_anywhere else borders,
    )
    shift = len(questions.prefix)
    first_span, second_span = (Span(start + shift, end + shift) for start, end in (one, two))
    return Context(questions.prefix + text, first_span, second_span)


def render_asked(
    pieces: Sequence[Piece],
    attribute: Attribute,
    gender: str,
    rules: Sequence[SoundRule],
    *,
    anywhere: bool = False,
    at_mask: str = MASK,
) -> str:
    """Return a question or statement with ``attribute`` and the text ``at_mask`` in their slots.

    ``gender`` is the template's gender. The ``rules`` act at the borders of slots, or ``anywhere``. Raises
    KeyError with the features of a form that the attribute lacks.
    """
    return _rendered(pieces, attribute, gender, rules, anywhere=anywhere, at_mask=at_mask)[0]


def render_assertion(
    questions: QuestionSet, template: SetTemplate, attribute: Attribute, subject: Subject, *, negated: bool
) -> Assertion:
    """Return the statement of ``template``, one of ``questions``, with ``subject`` at its mask."""
    text, (span,) = _rendered(
        template.denied if negated else template.asked,
        attribute,
        template.gender,
        questions.rules,
        anywhere=questions.rules_anywhere,
        at_mask=candidate(template, subject),
    )
    return Assertion(text, Span(*span))


def _rendered(
    pieces: Sequence[Piece],
    attribute: Attribute,
    gender: str,
    rules: Sequence[SoundRule],
    *,
    anywhere: bool,
    at_mask: str,
) -> tuple[str, list[tuple[int, int]]]:
    """Return the text of ``pieces``, and the positions of its masks."""
    text = ""
    borders: list[int] = []
    masks: list[tuple[int, int]] = []
    for piece in pieces:
        if not isinstance(piece, Slot):
            text += str(piece)
            continue
        at = len(text)
        if piece.name == "mask":
            text += at_mask
            masks.append((at, len(text)))
        else:
            features = piece.features or frozenset()
            key = form_key(attribute.forms, features, gender)
            if key is None:
                raise KeyError(".".join(sorted(features)))
            text += attribute.forms[key]
        borders += (at, len(text))
    return apply_rules_to_spans(text, masks, rules, None if anywhere else borders)


def with_distinct_templates(questions: QuestionSet) -> QuestionSet:
    """Return ``questions``; raises WordListError if two of its templates have the same texts.

    They are compared by their texts for the first and for the last pair of subjects.
    """
    one, two = questions.lists
    pairs = ((one[0], two[-1]), (one[-1] if questions.pairs == "across" else one[-2], two[-1]))
    seen: dict[tuple[str, ...], SetTemplate] = {}
    for template in questions.templates:
        contexts = (render_context(questions, template, *pair).text for pair in pairs)
        texts = (*contexts, *(text for a in template.by_attribute for text in (a.text, a.negated)))
        if texts in seen:
            raise WordListError(
                f"{template.id} has the same texts as {seen[texts].id}",
                file=questions.file,
                line=template.line,
                remedy="remove one of the two templates, or change its text",
            )
        seen[texts] = template
    return questions
