"""The lint rules on anchors: masks without any, and anchors that can never be a fill of their mask."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from nextset.errors import examples
from nextset.generation.templates.anchors import anchors_of
from nextset.generation.templates.template import Template
from nextset.generation.word_forms import english_words, is_english
from nextset.letter_case import folded
from nextset.lint_rules import Finding, LintRule
from nextset.study.mask_constraint import MaskConstraint
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["MISSING_ANCHORS", "UNUSABLE_ANCHORS", "missing_anchors", "unusable_anchors"]


def missing_anchors(template: Template) -> Iterator[Finding]:
    """Find masks without anchors; the message proposes words of the mask's list."""
    for s in template.statements:
        if s.kind != "masked":
            continue
        for constraint in s.constraints:
            if not constraint.like:
                message = (
                    f"{_mask(constraint)} takes fills that say nothing, or the opposite: "
                    f"{_proposal(template, constraint)}"
                )
                yield Finding(s.file, s.line, "missing-anchors", message)


def unusable_anchors(template: Template) -> Iterator[Finding]:
    """Find anchors that their mask excludes, that name a group, or that are misspelt names of lists."""
    for s in template.statements:
        for constraint in s.constraints:
            for problem in _problems(template, constraint):
                yield Finding(s.file, s.line, "unusable-anchors", f"{problem}: {_mask(constraint)[:120]}")


def _problems(template: Template, constraint: MaskConstraint) -> Iterator[str]:
    anchors = anchors_of(constraint, template.language, template.word_list)
    if anchors is None:
        return
    for entry in (*constraint.like, *constraint.unlike):
        near = difflib.get_close_matches(entry.lower(), template.lists, n=1, cutoff=0.8)
        if near and template.word_list(entry) is None:
            yield f"{entry!r} is a word and no list; did you mean the list {near[0]}?"
    words = (*anchors.like, *anchors.unlike)
    out = {folded(word, template.language) for word in template.word_list(constraint.without) or ()}
    if excluded := [word for word in words if folded(word, template.language) in out]:
        yield f"the list {constraint.without} excludes {examples(excluded)}"
    groups = protected_groups(template.language)
    if groups and (named := [word for word in words if groups.named_by(word)]):
        yield f"{examples(named)} would be dropped as the name of a group"
    if is_english(template.language) and constraint.categories:
        lexicon = english_words()
        other = [w for w in words if lexicon.has(w) and not lexicon.is_one_of(w, constraint.categories)]
        if other:
            yield f"{examples(other)} would be dropped as no {' or '.join(constraint.categories)}"


def _mask(constraint: MaskConstraint) -> str:
    return f"{{{{MASK:{constraint}}}}}" if str(constraint) else "{{MASK}}"


def _proposal(template: Template, constraint: MaskConstraint) -> str:
    listed = template.word_list(constraint.within) if constraint.within else None
    if not listed:
        return "write like, words that make the claim, unlike, and words that make its opposite"
    return f"write words of {constraint.within}, such as {examples(listed)}, after like or unlike"


MISSING_ANCHORS: LintRule[Template] = LintRule(
    "missing-anchors",
    missing_anchors,
    "a mask without `like`, the words that carry the template's claim",
)
UNUSABLE_ANCHORS: LintRule[Template] = LintRule(
    "unusable-anchors",
    unusable_anchors,
    "an anchor that its mask never takes: excluded by `not`, of another part of speech in English, or the "
    "name of a group; an anchor that is nearly the name of a list",
)
