"""Lint rules: the table of rules that look for probable mistakes in the files of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from nextset.errors import InputError, NextsetError
from nextset.open_table import OpenTable
from nextset.own_code import guarded, raised, shown

__all__ = ["LINT_RULES", "Finding", "LintRule", "lint_rules"]

Checked = TypeVar("Checked")


@dataclass(frozen=True)
class Finding:
    """A probable mistake in a file."""

    file: Path
    """The file."""
    line: int | None
    """The line, from 1."""
    rule: str
    """The rule's name."""
    message: str
    """The problem."""
    name: str = ""
    """The subject, attribute or template of a language pack with the finding; packs accept findings by it."""


@dataclass(frozen=True)
class LintRule(Generic[Checked]):
    """A rule of one kind; the kind decides what ``check`` gets.

    | kind | ``check`` gets |
    |---|---|
    | template | a `nextset.generation.templates.template.Template`, with the overlays that extend it |
    | pack | a list of `nextset.generation.questions.question_set.QuestionSet`, those of one language pack |
    | item | a `LintedItems` of generation/choices/published_items: an entry of choices.items |
    | choice | a `nextset.generation.questions.pack_choices.choice_template.PackChoices`, of one pack |
    | study | a `nextset.study.study_folder.Study` |
    | published | a list of `PublishedTemplate` (nextset.generation.choices), those of one file |
    | yaml | the path of a YAML file: of a template, a language or a study |

    A package registers the rule as KIND.NAME in the group nextset.lint_rules.
    """

    name: str
    """The rule's name, which its findings have too."""
    check: Callable[[Checked], Iterable[Finding]]
    """A function that returns the findings, in any order."""
    finds: str
    """The mistakes that the rule finds, for the reference page, in Markdown."""

    def findings(self, checked: Checked) -> list[Finding]:
        """Return the findings in ``checked``; raises InputError if the rule itself fails."""
        with guarded(lambda e: e if isinstance(e, NextsetError) else self._failed(f"raised {raised(e)}")):
            findings = list(self.check(checked))
        for finding in findings:
            if not isinstance(finding, Finding) or finding.rule != self.name:
                raise self._failed(f"returned {shown(finding)} instead of a Finding with its own name")
        return findings

    def _failed(self, problem: str) -> InputError:
        of = f"{self.check.__module__}.{getattr(self.check, '__qualname__', self.name)}"
        return InputError(
            f"the lint rule {self.name} ({of}) {problem}",
            remedy="report the error to the authors of the rule, or uninstall its package",
        )


LINT_RULES: OpenTable[LintRule[Any]] = OpenTable("nextset.lint_rules", "lint rule", by_kind=True)
"""The lint rules of nextset and of installed packages, by KIND.NAME."""


def lint_rules(kind: str) -> dict[str, LintRule[Any]]:
    """Return the rules of a ``kind``, such as template, by their names: nextset's own come first.

    Raises InputError if a rule has a different name in the table.
    """
    rules = (LINT_RULES[key] for key in LINT_RULES.names if key.startswith(f"{kind}."))
    return {rule.name: rule for rule in rules}
