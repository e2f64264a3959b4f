"""The lint rule on masks that any word could fill."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.finding import Finding, is_english
from nextset.generation.templates.placeholders import GROUPS, MASK, names
from nextset.generation.templates.template import Template

__all__ = ["open_masks"]

# Words that do not constrain a mask. "People" is here because it only completes a group's name.
_LISTED = """
    a an the this that these those some any no every each either neither both all most many much few
    little more less least several other others another such same own one ones
    i you he she it we they me him her us them my your his its our their mine yours hers ours theirs
    myself yourself himself herself itself ourselves themselves someone anyone everyone nobody
    who whom whose which what when where why how
    about above across after against among around as at before behind below beside between by down during
    for from in into like near of off on onto out over per since than through to toward towards under
    until up upon with within without
    and but or nor so yet if because although though while whether unless
    am are is was were be been being become becomes became seem seems seemed remain remains remained
    have has had having do does did doing done can could may might must shall should will would ought
    not never always often usually rarely seldom sometimes mostly generally ever still already just only
    even also too very quite rather really again there here then now
    don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn t s re ve ll d
    people person persons
"""
_FUNCTION_WORDS = frozenset(_LISTED.split())


def open_masks(template: Template) -> Iterator[Finding]:
    """A masked English sentence without a content word, apart from its groups and its mask.

    A content word is one outside a short list of function words (articles, pronouns, prepositions,
    conjunctions, copulas, auxiliaries, common adverbs) and not *people*; a word list is one as well.
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
    return lists | (set(words) - _FUNCTION_WORDS)
