"""The lint rule on masks that any word could fill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.finding import Finding, is_english
from nextset.generation.templates.placeholders import GROUPS, MASK, names
from nextset.generation.templates.template import Template
from nextset.word_lists.closed_class import closed_class_words

__all__ = ["open_masks"]

_PEOPLE = frozenset({"people", "person", "persons"})
"""Words that only complete a group's name."""


def open_masks(template: Template) -> Iterator[Finding]:
    """A masked English sentence without a content word, apart from its groups and its mask.

    A content word is one outside the list of function words (word_lists/en/closed_class.yaml) and not
    *people*; a word list is one as well.
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
