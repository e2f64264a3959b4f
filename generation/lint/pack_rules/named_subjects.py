"""Texts that name a subject outside of its slots: an attribute, a context, a question, a prefix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_model import read_model
from nextset.generation.lint.finding import Finding
from nextset.generation.lint.pack_rules.pack_entries import (
    attributes,
    context_pieces,
    entry_finding,
    subjects,
    template_finding,
)
from nextset.generation.lint.pack_rules.word_borders import find_word
from nextset.generation.questions.pack_schema import PackFile
from nextset.generation.questions.question_set import QuestionSet, SetTemplate
from nextset.generation.questions.slots import Run

__all__ = ["named_in_prefixes", "named_subjects"]

RULE = "named-subject"


def named_subjects(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """An attribute or a fixed text that names a subject of its class: the question would answer itself."""
    for questions in sets:
        texts = _texts(questions)
        folded = {text.casefold(): subject for text, subject in texts.items()}
        named = set[int]()
        for a in attributes(questions):
            for text in a.forms.values():
                found = _found(text.casefold(), folded)
                if found:
                    at = text[found[0] : found[0] + len(found[1])]
                    named.add(id(a))
                    yield entry_finding(a, RULE, f"{at!r} is a subject of {questions.name}")
        for template in questions.templates:
            for what, text in _fixed_texts(questions, template, named):
                found = _found(text, texts)
                if found:
                    problem = f"the {what} names {found[1]!r}, a subject of {questions.name}"
                    yield template_finding(questions, template, RULE, problem)


def named_in_prefixes(file: Path, sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """A prefix of the pack.yaml ``file`` that names a subject of a class: it stands before every context."""
    head, located = read_model(file, PackFile, WordListError)
    for name, text in head.prefixes.items():
        for questions in sets:
            found = _found(text, _texts(questions))
            if found:
                message = f"the prefix {name} names {found[1]!r}, a subject of {questions.name}"
                yield Finding(file, located.line(("prefixes", name)), RULE, message, name)


def _texts(questions: QuestionSet) -> dict[str, str]:
    """Return the answers of all forms of the subjects, with their names."""
    return {text[slice(*s.answer(key))]: s.name for s in subjects(questions) for key, text in s.forms.items()}


def _found(text: str, subject_texts: Mapping[str, str]) -> tuple[int, str] | None:
    """Return the first place of a subject's text in ``text``, and that text; the longest of several."""
    places = (
        (at, -len(words), words)
        for words in subject_texts
        if words in text and (at := find_word(text, words)) is not None
    )
    best = min(places, default=None)
    return best and (best[0], best[2])


def _fixed_texts(questions: QuestionSet, template: SetTemplate, named: set[int]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a template that stand around its slots; attributes in ``named`` are not looked at.

    Case counts here: *will* is not the name Will.
    """
    for piece in context_pieces(template):
        if isinstance(piece, str):
            yield "context", piece
        elif isinstance(piece, Run):
            yield from (("context", words) for _, words in piece.values)
    example = next((a for a in template.by_attribute if id(a.attribute) not in named), None)
    if example:
        yield questions.form, example.text
        yield f"negated {questions.form}", example.negated
