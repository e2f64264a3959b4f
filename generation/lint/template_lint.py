"""Lint of template files: the findings of all rules in one template."""

from __future__ import annotations

from pathlib import Path

from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, lint_rules
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["lint_template", "lint_yaml", "without_list"]


def lint_template(template: Template) -> list[Finding]:
    """Return all findings in ``template`` and in its YAML files, sorted by file and line."""
    findings = [f for rule in lint_rules("template").values() for f in rule.findings(template)]
    written = dict.fromkeys((template.file, *(s.file for s in template.statements)))
    for file in (file for file in written if file.suffix == ".yaml"):
        findings += lint_yaml(file)
    return sorted(set(findings), key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))


def lint_yaml(file: Path) -> list[Finding]:
    """Return the findings of the rules on any YAML file in ``file``."""
    return [finding for rule in lint_rules("yaml").values() for finding in rule.findings(file)]


def without_list(language: str) -> str:
    """Return which rules find less in ``language`` for lack of a list of words; empty if none does."""
    lists = (
        ("missing-comma", "closed_class.yaml", closed_class_words(language)),
        ("question-groups", "protected_groups.yaml", protected_groups(language)),
    )
    missing = [f"{rule} ({file})" for rule, file, words in lists if words is None]
    return f"{language}: rules without a list of words: {', '.join(missing)}" if missing else ""
