"""Lint of template files: all rules, and the findings in one template."""

from __future__ import annotations

from nextset.generation.lint import content_rules as content
from nextset.generation.lint import open_mask
from nextset.generation.lint import typographic_quotes as quotes
from nextset.generation.lint import word_list_rules as word_lists
from nextset.generation.lint import wording_rules as wording
from nextset.generation.lint.finding import Finding, Rule
from nextset.generation.templates.template import Template

__all__ = ["RULES", "Finding", "lint_template"]

RULES: dict[str, Rule] = {
    "unused-words": content.unused_words,
    "no-group": content.no_group,
    "group-twice": content.group_twice,
    "no-source": content.no_source,
    "duplicate": content.duplicates,
    "missing-comma": word_lists.missing_commas,
    "doubled-word": wording.doubled_words,
    "article": wording.articles,
    "article-before-mask": wording.article_before_mask,
    "spacing": wording.spacing,
    "bracket": wording.brackets,
    "open-mask": open_mask.open_masks,
    "typographic-quotes": quotes.typographic_quotes,
}
"""The rules by name; docs/reference/lint_rules.md describes each."""


def lint_template(template: Template) -> list[Finding]:
    """Return all findings in ``template``, sorted by file and line."""
    findings = [finding for rule in RULES.values() for finding in rule(template)]
    return sorted(set(findings), key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))
