"""The lint rule on lists of words without commas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, LintRule
from nextset.word_lists.closed_class import closed_class_words

__all__ = ["MISSING_COMMA", "missing_commas"]


def missing_commas(template: Template) -> Iterator[Finding]:
    """Find entries of a list with several content words: three or more, or two if it is the only entry.

    Phrases such as *travel alone* have two words, and longer ones such as *go to college* have a function
    word. In a language without a list of function words, only single entries are found.
    """
    closed = closed_class_words(template.language)
    for key, lists in (("words", template.words), ("lists", template.lists)):
        for name, entries in lists.items():
            alone = len(entries) == 1
            if closed is None and not alone:
                continue
            for i, entry in enumerate(entries):
                parts = re.findall(r"[\w'’-]+", entry.casefold())
                content = closed is None or closed.functions.isdisjoint(parts)
                if content and len(parts) > (1 if alone else 2):
                    message = f"{entry[:60]!r} is one entry of {name}: write a comma after each word"
                    yield Finding(*template.place(key, name, i), "missing-comma", message)


MISSING_COMMA: LintRule[Template] = LintRule(
    "missing-comma",
    missing_commas,
    "a list entry that probably lacks its commas, such as `[sewing knitting carpentry]`: three "
    "or more words, or two if it is the only entry, without a function word",
)
