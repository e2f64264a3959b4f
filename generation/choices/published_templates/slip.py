"""A file of published templates for the lint rules of the kind published, and the findings in its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.lint_rules import Finding, LintRule

__all__ = ["Templates", "slip_rule"]

Templates = Sequence[PublishedTemplate]
"""The templates of one file, in its order."""


def slip_rule(
    name: str, messages: Callable[[PublishedTemplate], Iterable[str]], finds: str
) -> LintRule[Templates]:
    """Return the rule ``name``, whose findings are the different ``messages`` of each template."""

    def check(templates: Templates) -> Iterator[Finding]:
        for template in templates:
            for message in dict.fromkeys(messages(template)):
                yield Finding(template.file, template.line, name, message, template.id)

    return LintRule(name, check, finds)
