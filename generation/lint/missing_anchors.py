"""The lint rule on masks that do not say which words carry the template's claim."""

from __future__ import annotations

from collections.abc import Iterator

from nextset.errors import examples
from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, LintRule
from nextset.study.mask_constraint import MaskConstraint

__all__ = ["MISSING_ANCHORS", "missing_anchors"]


def missing_anchors(template: Template) -> Iterator[Finding]:
    """Find masks without anchors; the message proposes words of the mask's list."""
    for s in template.statements:
        if s.kind != "masked":
            continue
        for constraint in s.constraints:
            if not constraint.like:
                mask = f"{{{{MASK:{constraint}}}}}" if str(constraint) else "{{MASK}}"
                message = (
                    f"{mask} takes fills that say nothing, or the opposite: {_proposal(template, constraint)}"
                )
                yield Finding(s.file, s.line, "missing-anchors", message)


def _proposal(template: Template, constraint: MaskConstraint) -> str:
    listed = template.word_list(constraint.within) if constraint.within else None
    if not listed:
        return "write like, words that make the claim, unlike, and words that make its opposite"
    return f"write {examples(listed)} … of {constraint.within} after like or unlike, or leave them out"


MISSING_ANCHORS: LintRule[Template] = LintRule(
    "missing-anchors",
    missing_anchors,
    "a mask without `like` and `unlike`, the words that carry the template's claim and its opposite",
)
