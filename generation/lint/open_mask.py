"""The lint rule on masks that any word could fill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.template_texts import is_english
from nextset.generation.templates.placeholders import GROUPS, MASK, names
from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, LintRule
from nextset.word_lists.closed_class import closed_class_words

__all__ = ["OPEN_MASK", "open_masks"]

_PEOPLE = frozenset({"people", "person", "persons"})
"""Words that merely complete a group's name."""


def open_masks(template: Template) -> Iterator[Finding]:
    """Find masked English sentences without a content word besides their groups and their masks.

    A content word is a word other than *people* that is not in the list of function words
    (word_lists/en/closed_class.yaml). A word list counts as a content word.
    """
    if not is_english(template):
        return
    for s in template.statements:
        if s.kind == "masked" and not _content_words(s.text):
            message = f"only groups and function words constrain the mask: {s.text[:60]!r}"
            yield Finding(s.file, s.line, "open-mask", message)


def _content_words(text: str) -> set[str]:
    lists = names(text) - {*GROUPS, MASK}
    words = re.findall(r"[^\W\d_]+", re.sub(r"\{\{\w+\}\}", " ", text).casefold())
    closed = closed_class_words("en")
    return lists | (set(words) - _PEOPLE - (closed.functions if closed else set()))


OPEN_MASK: LintRule[Template] = LintRule(
    "open-mask",
    open_masks,
    "a masked sentence with no content word except its groups and its mask, such as `{{GROUP2}} are "
    "{{MASK}}.`; English only",
)
