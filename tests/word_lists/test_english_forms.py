"""The English pack's articles and verbs, by inflect and lemminflect, which know nothing of nextset."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import inflect
import lemminflect  # type: ignore[import-untyped]

from nextset.generation.questions.context_spans import render_context
from nextset.generation.questions.question_set import Attribute, QuestionSet
from tests.word_lists.shipped_packs import pack_of


@functools.cache
def english() -> inflect.engine:
    return inflect.engine()


def texts(questions: QuestionSet) -> Iterator[str]:
    """All questions and statements, and contexts in which each subject stands once in each place."""
    one, two = questions.lists
    for template in questions.templates:
        for i, first in enumerate(one):
            yield render_context(questions, template, first, two[(i + 1) % len(two)]).text
        for asked in template.by_attribute:
            yield asked.text
            yield asked.negated


def attributes() -> dict[str, Attribute]:
    sets = pack_of("en").sets
    return {a.attribute.name: a.attribute for q in sets for t in q.templates for a in t.by_attribute}


def test_articles_are_those_of_inflect() -> None:
    """Contradictions would be listed here; there are none."""
    pairs = {
        (article.lower(), word)
        for questions in pack_of("en").sets
        for text in texts(questions)
        for article, word in re.findall(r"\b([Aa]n?) ([\w-]+)", text)
    }
    assert len(pairs) > 150
    assert {pair for pair in pairs if english().a(pair[1]).split()[0] != pair[0]} == set()


def test_plural_verbs_are_those_of_inflect() -> None:
    """The first word of a plural form is the plural of that of the singular; nothing contradicts."""
    pairs = {
        (form.split()[0], a.forms[key | {"pl"}].split()[0])
        for a in attributes().values()
        for key, form in a.forms.items()
        if key | {"pl"} in a.forms and "pl" not in key
    }
    assert ("was", "were") in pairs
    assert {(one, many) for one, many in pairs if english().plural_verb(one) != many} == set()


def test_verbs_are_past_tenses_of_lemminflect() -> None:
    """An attribute begins with a verb in the past tense, also its negation after *never*."""
    firsts = {
        word
        for a in attributes().values()
        for key, form in a.forms.items()
        if "pl" not in key
        for word in [form.removeprefix("never ").split()[0]]
    }
    auxiliaries = {"could"}
    wrong = {
        word
        for word in firsts - auxiliaries
        if not any(
            word in lemminflect.getInflection(lemma, "VBD")
            for lemma in lemminflect.getLemma(word, "VERB") or lemminflect.getLemma(word, "AUX")
        )
    }
    assert wrong == set()
