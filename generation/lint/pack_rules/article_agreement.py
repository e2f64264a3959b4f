"""Articles that do not agree with the form of the subject after them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import yaml

from nextset.generation.lint.pack_rules.pack_entries import context_pieces, subjects, template_finding
from nextset.generation.lint.pack_rules.word_borders import words
from nextset.generation.questions.question_set import QuestionSet, SetTemplate
from nextset.generation.slots import CASES, Features, Run, Slot, features, form_key
from nextset.lint_rules import Finding, LintRule

__all__ = ["ARTICLE", "articles"]

_GENDERS = frozenset({"m", "f", "n"})
_STRESSED_A = ("a", "á", "ha", "há")
"""The articles *el* and *un*, which Spanish uses before some feminine words."""


@dataclass(frozen=True)
class _Article:
    """An article right before a subject, and the subject's features."""

    word: str
    """The article, in lower case."""
    slot: Slot
    """The slot after the article."""
    gender: str
    """m, f or n; empty if no feature shows it."""


def articles(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find articles whose gender, number or case the form of the next subject cannot have.

    Only features are compared: a form without gender fits every article.
    """
    for questions in sets:
        readings = _readings(questions.language)
        singular = _singular_forms(sets, readings)
        for template in questions.templates:
            for article in _articles(questions, template):
                problem = _problem(questions, article, readings, singular)
                if problem:
                    yield template_finding(questions, template, "article", problem)


@functools.cache
def _readings(language: str) -> Mapping[str, tuple[Features, ...]]:
    """Return the readings of each article of ``language``; empty if they are not known."""
    text = (files("nextset.generation.lint.pack_rules") / "article_readings.yaml").read_text(encoding="utf-8")
    listed = yaml.safe_load(text).get(language.split("-")[0], {})
    return {word: tuple(features(key) for key in keys) for word, keys in listed.items()}


def _articles(questions: QuestionSet, template: SetTemplate) -> Iterator[_Article]:
    """Yield the words right before the subjects; words with one form per gender once for each gender."""
    pieces = context_pieces(template)
    for i, slot in enumerate(pieces):
        before = pieces[i - 1] if i else ""
        if not isinstance(slot, Slot) or not isinstance(before, str):
            continue
        run = pieces[i - 2] if i > 1 and before == " " else None
        if isinstance(run, Run) and run.subject == slot.name:
            texts = [(gender, f"{words}{before}") for gender, words in run.values]
        else:
            texts = [(_gender(questions, template, slot), before)]
        for gender, text in texts:
            word = _last_word(text)
            if word:
                yield _Article(word, slot, gender)


def _last_word(text: str) -> str:
    """Return the word before the space at the end of ``text``; empty after a comma: perhaps a pronoun."""
    if not text.endswith(" "):
        return ""
    rest, _, word = text[:-1].rpartition(" ")
    return word.casefold() if [word.casefold()] == words(word) and not rest.endswith(",") else ""


def _gender(questions: QuestionSet, template: SetTemplate, slot: Slot) -> str:
    """Return the gender of the forms in ``slot``: its own, or the template's if forms agree with it."""
    wanted = slot.features or frozenset()
    own = wanted & _GENDERS
    keys = {form_key(s.forms, wanted, template.gender) for s in subjects(questions)}
    agreeing = all(key is not None and template.gender in key for key in keys)
    return next(iter(own), "") or (template.gender if agreeing else "")


def _singular_forms(
    sets: Sequence[QuestionSet], readings: Mapping[str, tuple[Features, ...]]
) -> frozenset[Features]:
    """Return the forms of subjects that follow a singular article somewhere in the pack."""
    return frozenset(
        _without_case(article.slot)
        for questions in sets
        for template in questions.templates
        for article in _articles(questions, template)
        if article.word in readings and not any("pl" in r for r in readings[article.word])
    )


def _without_case(slot: Slot) -> Features:
    return (slot.features or frozenset()) - CASES


def _problem(
    questions: QuestionSet,
    article: _Article,
    readings: Mapping[str, tuple[Features, ...]],
    singular: frozenset[Features],
) -> str:
    """Return why the article does not fit; empty if it fits, or if no feature shows it."""
    if article.word not in readings:
        return ""
    wanted = article.slot.features or frozenset()
    number = _number(questions, article.slot, singular)
    fitting = [
        r
        for r in readings[article.word]
        if (not article.gender or not r & _GENDERS or article.gender in r)
        and (not number or ("pl" in r) == (number == "pl"))
    ]
    case = next(iter(wanted & CASES), "")
    in_case = [r for r in fitting if not case or not r & CASES or case in r]
    shown = f"{article.word!r} before [{article.slot.name}{':' * bool(wanted)}{'.'.join(sorted(wanted))}]"
    if not in_case:
        if _feminine_with_el(questions, article):
            return ""
        return f"{shown}, a form that is {' '.join(filter(None, (article.gender, number, case)))}"
    if not case and not _fits_without_case(questions, article, in_case):
        needed = " or ".join(sorted({c for r in in_case for c in r & CASES}))
        return f"{shown}, which does not name the case: {needed}"
    return ""


def _number(questions: QuestionSet, slot: Slot, singular: frozenset[Features]) -> str:
    """Return sg or pl; empty if no feature shows it."""
    wanted = slot.features or frozenset()
    if "pl" in wanted:
        return "pl"
    listed = any("pl" in key for s in subjects(questions) for key in s.forms)
    return "sg" if listed or {"sg"} & (wanted | questions.defaults) or _without_case(slot) in singular else ""


def _fits_without_case(questions: QuestionSet, article: _Article, readings: Sequence[Features]) -> bool:
    """Return whether a form that names no case fits one of ``readings``.

    It fits the nominative. It fits another case unless the subjects list a different form for that case.
    """
    wanted = article.slot.features or frozenset()
    for reading in readings:
        cases = reading & CASES
        if not cases or "nom" in cases:
            return True
        (case,) = cases
        gender = article.gender
        for s in subjects(questions):
            if gender and s.gender not in ("", gender):
                continue
            plain = form_key(s.forms, wanted, gender)
            inflected = form_key(s.forms, wanted | {case}, gender)
            if plain is None or inflected is None or s.forms[plain] == s.forms[inflected]:
                continue
            break
        else:
            return True
    return False


def _feminine_with_el(questions: QuestionSet, article: _Article) -> bool:
    """Return whether *el* or *un* is before a Spanish feminine form that begins with a stressed a."""
    if questions.language.split("-")[0] != "es" or article.word not in ("el", "un", "al", "del"):
        return False
    wanted = article.slot.features or frozenset()
    texts = [s.forms[key] for s in subjects(questions) if (key := form_key(s.forms, wanted, article.gender))]
    return all(text.casefold().startswith(_STRESSED_A) for text in texts)


ARTICLE: LintRule[Sequence[QuestionSet]] = LintRule(
    "article",
    articles,
    "an article right before a subject that does not fit the gender, number or case of its form, as "
    "far as the features say: *eine* before `dem.m`, *einen* before `dem.dat` (de, es, fr, it, nl, "
    "pt)",
)
