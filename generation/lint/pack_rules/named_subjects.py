"""Texts that name a subject outside its slots: an attribute, a context, a question, a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.yaml_model import read_model
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
from nextset.generation.slots import Run
from nextset.letter_case import small_i
from nextset.lint_rules import Finding, LintRule

__all__ = ["NAMED_SUBJECT", "named_in_prefixes", "named_subjects"]

RULE = "named-subject"
_OPENING = " \u00a0\u202f\"'“”„«»‘’‹›([¿¡—–-"
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟", "।")


def named_subjects(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find attributes and fixed texts that name a subject of the class: a question would answer itself."""
    for questions in sets:
        texts = _texts(questions)
        folded = {small_i(text, questions.language).casefold(): subject for text, subject in texts.items()}
        named = set[int]()
        for a in attributes(questions):
            for text in a.forms.values():
                match = _found(small_i(text, questions.language).casefold(), folded)
                if match:
                    at = text[match[0] : match[0] + len(match[1])]
                    named.add(id(a))
                    yield entry_finding(a, RULE, f"names {at!r}, a subject of {questions.name}")
        for template in questions.templates:
            for what, text, begins in _fixed_texts(questions, template, named):
                found_text = _found_in_any_case(text, texts, begins=begins)
                if found_text:
                    problem = f"the {what} names {found_text!r}, a subject of {questions.name}"
                    yield template_finding(questions, template, RULE, problem)


def named_in_prefixes(file: Path, sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find prefixes in the pack.yaml ``file`` that name a subject: a prefix precedes every context."""
    head, located = read_model(file, PackFile, WordListError)
    for name, text in head.prefixes.items():
        for questions in sets:
            subject_text = _found_in_any_case(text, _texts(questions), begins=True)
            if subject_text:
                message = f"the prefix {name} names {subject_text!r}, a subject of {questions.name}"
                yield Finding(file, located.line(("prefixes", name)), RULE, message, name)


def _texts(questions: QuestionSet) -> dict[str, str]:
    """Return the answers of all forms of the subjects, each with the subject's name."""
    return {text[slice(*s.answer(key))]: s.name for s in subjects(questions) for key, text in s.forms.items()}


def _found(text: str, subject_texts: Iterable[str]) -> tuple[int, str] | None:
    """Return the first position of a subject's text in ``text``, and that text; of several, the longest."""
    places = (
        (at, -len(words), words)
        for words in subject_texts
        if words in text and (at := find_word(text, words)) is not None
    )
    best = min(places, default=None)
    return best and (best[0], best[2])


def _found_in_any_case(text: str, subject_texts: Iterable[str], *, begins: bool) -> str:
    """Return a subject's text that is in ``text``; empty if there is none.

    The text is found as written, with a capital at the beginning of a sentence, and all in capitals.
    Otherwise case counts: *will* is not the name Will. ``begins`` says whether ``text`` begins a sentence.
    """
    exact = _found(text, subject_texts)
    if exact:
        return exact[1]
    lower = _lower(text)
    for words in subject_texts:
        plain = _lower(words)
        at = find_word(lower, plain)
        while at is not None:
            there = text[at : at + len(plain)]
            before = text[:at].rstrip(_OPENING)
            first = before.endswith(_SENTENCE_ENDS) if before else begins
            if (there.isupper() and len(there) > 1) or (first and there[1:] == words[1:]):
                return words
            further = find_word(lower[at + 1 :], plain)
            at = None if further is None else at + 1 + further
    return ""


def _lower(text: str) -> str:
    """Return ``text`` in lower case, with the same number of characters."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _fixed_texts(
    questions: QuestionSet, template: SetTemplate, named: set[int]
) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts around the slots of a template, and whether they begin a sentence.

    Attributes in ``named`` are skipped.
    """
    for i, piece in enumerate(context_pieces(template)):
        if isinstance(piece, str):
            yield "context", piece, i == 0
        elif isinstance(piece, Run):
            yield from (("context", words, i == 0) for _, words in piece.values)
    example = next((a for a in template.by_attribute if id(a.attribute) not in named), None)
    if example:
        yield questions.form, example.text, True
        yield f"negated {questions.form}", example.negated, True


NAMED_SUBJECT: LintRule[Sequence[QuestionSet]] = LintRule(
    "named-subject",
    named_subjects,
    "an attribute, or the fixed text of a context, question, statement or prefix, that names a "
    "subject of its class: the question would answer itself",
)
