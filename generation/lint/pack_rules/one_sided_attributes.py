"""Attributes and texts that fit only one gender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import (
    attributes,
    entry_finding,
    subjects,
    template_finding,
)
from nextset.generation.lint.pack_rules.word_borders import find_word
from nextset.generation.questions.question_set import QuestionSet, SetTemplate
from nextset.letter_case import folded
from nextset.lint_rules import Finding, LintRule
from nextset.word_lists.gendered_words import gendered_words

__all__ = ["ONE_SIDED", "one_sided"]

_GENDERS = frozenset({"m", "f"})


def one_sided(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find attributes and template texts with a word for only one gender, in a class with two genders.

    A class has two genders if its subjects or its templates have two. Forms for one gender are skipped. The
    words are those of gendered_words.yaml in the pack's folder, else nextset's own list for the language.
    """
    for questions in sets:
        listed = gendered_words(questions.file.parents[1], questions.language)
        if listed is None or not _has_two_genders(questions):
            continue
        sides = [(word, "women") for word in listed.f] + [(word, "men") for word in listed.m]
        for a in attributes(questions):
            for key, text in a.forms.items():
                if key & _GENDERS:
                    continue
                for word, who in sides:
                    if find_word(folded(text, questions.language), word) is not None:
                        yield entry_finding(a, "one-sided", f"only {who} can have {word!r}, in {text!r}")
        for template in questions.templates:
            for text in _fixed_texts(questions, template):
                for word, who in sides:
                    if find_word(folded(text, questions.language), word) is not None:
                        problem = f"only {who} can have {word!r}, in {text!r}"
                        yield template_finding(questions, template, "one-sided", problem)


def _fixed_texts(questions: QuestionSet, template: SetTemplate) -> list[str]:
    """Return the words around the slots that must suit women and men alike.

    In a template for one gender, all texts except the question may have words for that gender.
    """
    asked = (*template.asked, *template.denied) if not questions.masks_subject or not template.gender else ()
    pieces = (*(() if template.gender else template.context), *asked)
    return list(dict.fromkeys(p for p in pieces if isinstance(p, str)))


def _has_two_genders(questions: QuestionSet) -> bool:
    of_subjects = {s.gender for s in subjects(questions)} - {""}
    of_templates = {t.gender for t in questions.templates} - {""}
    return len(of_subjects) > 1 or len(of_templates) > 1 or questions.pairs == "across"


ONE_SIDED: LintRule[Sequence[QuestionSet]] = LintRule(
    "one-sided",
    one_sided,
    "an attribute with a word that only one gender can have (*nun*, *his*), or such a word in a "
    "question, statement or context that is for both, in a class with two genders; the words are "
    "those of `gendered_words.yaml` in the pack's folder",
)
