"""Files of published templates, as `nextset lint` checks them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nextset.generation.choices.choice_source import SourcePlace
from nextset.generation.choices.published_templates.template_sources import template_files_of
from nextset.generation.choices.published_templates.template_tables import (
    SUFFIXES,
    TemplateFile,
    read_templates,
    template_columns,
    template_format,
)
from nextset.generation.lint.linted_files import FoundInFiles
from nextset.lint_rules import Finding, lint_rules
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.study_folder import Study

__all__ = ["PUBLISHED_TEMPLATE_FILES", "lint_templates"]


def lint_templates(read: TemplateFile) -> list[Finding]:
    """Return the findings of all rules of the kind published in a file, sorted by line."""
    rules = lint_rules("published").values()
    findings = [finding for rule in rules for finding in rule.findings(read.templates)]
    return sorted(findings, key=lambda finding: (finding.line or 0, finding.rule, finding.message))


class _PublishedTemplateFiles:
    """Files of published templates."""

    def is_of_kind(self, file: Path) -> bool:
        """Return True if ``file`` has the columns of a format; raises TemplateError if it cannot be read."""
        if file.suffix.lower() not in SUFFIXES:
            return False
        return template_format(template_columns(file)) is not None

    def files_of_language(self, folder: Path) -> tuple[Path, ...]:
        """Return no files: published templates are not parts of a language."""
        del folder
        return ()

    def lint_file(self, file: Path) -> Iterator[Finding]:
        """Yield the findings in ``file``; raises InputErrors if it cannot be read.

        Of a workbook with texts in several languages, the Spanish ones are linted.
        """
        language = "es" if file.suffix.lower() == ".xlsx" else "en"
        yield from lint_templates(read_templates(file, language))

    def lint_study(self, study: Study) -> FoundInFiles:
        """Lint the files that ``study`` names in choices.templates; raises InputErrors."""
        settings = study.settings.section("choices", ChoiceSettings)
        if settings is None:
            return FoundInFiles()
        place = SourcePlace(study.path, study.file, study.settings.language, study.settings.generate.max_rows)
        files = template_files_of(settings, place)
        findings = tuple(finding for read in files for finding in lint_templates(read))
        return FoundInFiles(tuple(read.file for read in files), findings)


PUBLISHED_TEMPLATE_FILES = _PublishedTemplateFiles()
"""The kind of files."""
