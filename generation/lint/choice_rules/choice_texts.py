"""Lint rules on the texts of templates of choices: repeated words, articles, contexts and questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.choice_rules.choice_renderings import (
    choice_finding,
    renderings,
    texts_of_template,
)
from nextset.generation.lint.wording_rules import doubled_word, wrong_articles
from nextset.generation.questions.pack_choices.choice_pieces import masks_in
from nextset.generation.questions.pack_choices.choice_template import TEXTS, PackChoices
from nextset.generation.word_forms import is_english
from nextset.lint_rules import Finding, LintRule
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["ARTICLE", "DOUBLED_WORD", "NO_QUESTION", "OPEN_MASK", "SAME_CONTEXT"]

_QUESTION_MARK = re.compile(r"[?？؟;]['\"”»’)]*\Z")


def _doubled(choices: PackChoices) -> Iterator[Finding]:
    """Find a word twice in a row in a rendered text, once per template."""
    for template in choices.templates:
        problem = next(filter(None, map(doubled_word, texts_of_template(choices, template))), None)
        if problem:
            yield choice_finding(template, "doubled-word", problem)


def _articles(choices: PackChoices) -> Iterator[Finding]:
    """Find a wrong *a* or *an* in rendered English texts."""
    if not is_english(choices.language):
        return
    for template in choices.templates:
        wrong = {w for text in texts_of_template(choices, template) for w in wrong_articles(text)}
        for problem in sorted(w for w in wrong if MASK not in w):
            yield choice_finding(template, "article", problem)


def _same_context(choices: PackChoices) -> Iterator[Finding]:
    """Find a disambiguating text that the ambiguous context already has: it would give the answer away."""
    for template in choices.templates:
        ambiguous = {t.casefold() for t in renderings(choices, template, template.texts.ambiguous)}
        told = {t.casefold() for t in renderings(choices, template, template.texts.disambiguating)}
        if any(t.rstrip(".") in text for t in told for text in ambiguous):
            message = "the ambiguous context has the disambiguating text, so it answers the question"
            yield choice_finding(template, "same-context", message)


def _no_question(choices: PackChoices) -> Iterator[Finding]:
    """Find questions that do not end in a question mark."""
    for template in choices.templates:
        for key, pieces in zip(TEXTS[2:], template.texts.asked[2:], strict=True):
            last = pieces[-1] if pieces and isinstance(pieces[-1], str) else ""
            if not _QUESTION_MARK.search(last):
                yield choice_finding(template, "no-question", f"{key} does not end in a question mark")


def _open_masks(choices: PackChoices) -> Iterator[Finding]:
    """Find masks without a constraint."""
    for template in choices.templates:
        for key, pieces in zip(TEXTS, template.texts.asked, strict=True):
            if any(not str(mask) for mask in masks_in(pieces)):
                message = f"{key} has {{{{MASK}}}} without a kind of word: write {{{{MASK:adj}}}}"
                yield choice_finding(template, "open-mask", message)


DOUBLED_WORD: LintRule[PackChoices] = LintRule(
    "doubled-word", _doubled, "a word twice in a row in a rendered context or question"
)
ARTICLE: LintRule[PackChoices] = LintRule(
    "article", _articles, "a wrong *a* or *an* in a rendered context or question; English only"
)
SAME_CONTEXT: LintRule[PackChoices] = LintRule(
    "same-context", _same_context, "an ambiguous context that has the disambiguating text"
)
NO_QUESTION: LintRule[PackChoices] = LintRule(
    "no-question", _no_question, "a question without a question mark at its end"
)
OPEN_MASK: LintRule[PackChoices] = LintRule(
    "open-mask", _open_masks, "a mask that names no kind of word: any word could turn the question"
)
